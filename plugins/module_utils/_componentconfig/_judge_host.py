# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A config judged against the host that would run it.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ._check import context_of
from ._codec._document import Document
from ._findings import Finding, bounded, show
from ._rules._host_rules import Host, HostQuery, host_findings, query_for, stale_state
from ._schema._releases import minor_name, newest_minor, parse_minor

__all__ = ["judge_host"]


def judge_host(
    document: Document,
    component: str,
    versions: Sequence[str],
    read_host: Callable[[HostQuery], Host],
    *,
    root_directory: str,
    runtime: str,
    sets_state_aside: bool,
) -> list[Finding]:
    """Return what on this host does not go with an effective config, for each of the versions, or the newest that
    the data cover.

    read_host: reads what is wanted. root_directory and runtime: see `wanted_of`. sets_state_aside: whether state files
    of another policy are moved away before the component starts, as the agent does.

    Raises ValueError for a version that is none.
    """
    minors = sorted({parse_minor(version) for version in versions}) or [newest_minor()]
    found: dict[Finding, list[str]] = {}
    for minor in minors:
        context = context_of(document, minor)
        if context is None:
            continue
        host = read_host(query_for(context, component, root_directory=root_directory, runtime=runtime))
        problems = list(host_findings(context, component, host))
        if component == "kubelet" and not sets_state_aside:
            problems += stale_state(context, host)
        for finding in problems:
            value: Any = context.get(*(part for part in finding.path if isinstance(part, str)))
            if not isinstance(value, (dict, list)):
                finding = finding._replace(value=show(value, finding.path))
            found.setdefault(document.locate(finding, look_up=False), []).append(minor_name(minor))
    return bounded([finding._replace(versions=tuple(at)) for finding, at in found.items()])
