# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Publish a bundle, or write its statement, and say so to a user."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..._componentconfig.findings import finding_lines, judged, not_judged_causes
from ..._kube.api_client import Client
from ..._nodeconfig.bundle import content_hash
from ..._nodeconfig.bundle_trial import Trial
from ..._rollout._decisions.statements import statement_line
from ..._rollout._nodes.node_view import NodeView
from ..._rollout._record.revisions import bundle_statement
from ..._text import sanitize, sanitize_all
from ..._trust.signature_list import list_signatures
from .._signing import Endorser, signing_command, write_statement_file
from ..bundle_changes import field_changes
from ._release import (
    Draft,
    Publication,
    left_out_warnings,
    prepare,
    prepare_statement,
    render_release,
)


class Publishing(NamedTuple):
    """What was done. result: of the module. before, after: the documents of the pool, and those of the bundle."""

    result: dict[str, Any]
    warnings: Sequence[str]
    before: Mapping[str, str]
    after: Mapping[str, str]


def publish(
    client: Client, publication: Publication, views: Sequence[NodeView], endorser: Endorser, *, now: str
) -> Publishing:
    """Validate the configs and publish them as a bundle. The errors are those of prepare."""
    release = prepare(client, publication, views, now=now, endorser=endorser)
    statement, lines = bundle_statement(release.bundle), render_release(release)
    if statement is not None:
        lines.append(statement_line(statement, release.floor_before))
    warnings = [*release.warnings, *left_out_warnings(release.draft.left_out)]
    if not release.is_recorded:
        warnings.append(
            f"these credentials may not write the record of pool {publication.pool}: the bundle is published, and the "
            "next rollout adds its revision"
        )
    source = release.target.source
    result = {
        "changed": release.changed,
        "bundle": release.target.to_dict(),
        "config_source": None if source is None else source.to_dict(),
        "revision": release.revision,
        "recorded": release.is_recorded and source is not None,
        "statement": None if statement is None else statement.as_dict(),
        "signatures": sanitize_all(list_signatures(release.bundle.signatures)),
        "signing_command": "",
        "text": sanitize_all([*lines, *(f"Warning: {warning}" for warning in warnings)]),
        **_change_facts(release.draft),
    }
    return Publishing(result, warnings, release.draft.before, release.draft.after)


def write_statement(
    client: Client, publication: Publication, views: Sequence[NodeView], endorser: Endorser, *, check: bool
) -> Publishing:
    """Validate the configs and write the statement of their bundle. The errors are those of prepare."""
    drafted, statement = prepare_statement(client, publication, views, endorser)
    path, metadata = endorser.options.statement_file, drafted.config_map["metadata"]
    command = signing_command(path)
    result = {
        "changed": write_statement_file(path, statement.encode(), check=check),
        "bundle": {
            "namespace": metadata["namespace"],
            "name": metadata["name"],
            "uid": "",
            "content_hash": content_hash(drafted.config_map["data"]),
            "components": sorted(drafted.after),
            "trial": (publication.trial or Trial()).encode(),
        },
        "config_source": None,
        "revision": drafted.record.next_revision_number(),
        "recorded": False,
        "statement": statement.as_dict(),
        "signatures": [],
        "signing_command": command,
        "text": [sanitize(f"{path} has the statement of {metadata['name']}. Sign it with {command}")],
        **_change_facts(drafted),
    }
    return Publishing(result, left_out_warnings(drafted.left_out), drafted.before, drafted.after)


def _change_facts(drafted: Draft) -> dict[str, Any]:
    """Return what a bundle changes, and the findings in it."""
    return {
        "field_changes": sanitize_all(field_changes(drafted.groups)),
        "kubernetes_versions": list(drafted.versions),
        "findings": sanitize_all([finding.as_dict() for finding in judged(drafted.findings)]),
        "not_judged": sanitize_all([cause.as_dict() for cause in not_judged_causes(drafted.findings)]),
        "lines": sanitize_all(finding_lines(drafted.findings)),
    }
