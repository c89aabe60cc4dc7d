# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Validates the files on this node that options of a static Pod name, where they are.

They may hold keys: a finding has the path of a field in them, and nothing of their content.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..._componentconfig import ConfigError
from ..._componentconfig._codec.document import decode
from ..._componentconfig._scalars.field_path import Path
from ..._componentconfig.check import check
from ..._componentconfig.component_options import DIRECTORY, node_files, read_options
from ..._componentconfig.findings import Finding, InvalidConfig, Level, not_judged
from ..._componentconfig.option_check import OPTION_CHECK
from ..._static_pods.manifest import Manifest
from ..._static_pods.mounts import node_path
from .._store._durable_files import DurableFiles
from .._store._rendered_files import UndecodableConfig, config_fields, render_config

RULE_NODE_FILE = "node-file"
_PRIVATE = ("/tmp/", "/var/tmp/")  # the agent's directories differ from those of the component (PrivateTmp=)
_UNREAD = "the content of a file on the node"


class NodeFile(NamedTuple):
    """A file on this node that options name.

    field: where they name it. path: on the node. kind: that its flag asks for, "" for a text. content: None if it is
    missing, or could not be read; problem: why not, "" if it is missing.
    """

    field: Path
    path: str
    kind: str
    content: bytes | None
    problem: str = ""


def read_node_files(document: str, instance: str | None, manifest: Manifest | None) -> list[NodeFile]:
    """Read the files that a document of options names. instance: what this node lays over it.

    manifest: has the mounts of the component, None if it is not known. What cannot be decoded, has a wrong type, or is
    not mounted from the node, is another finding's, and is left out.
    """
    mounts = manifest.mounts if manifest is not None else ()
    try:
        options = read_options(config_fields(render_config(document, instance)))
        named = list(node_files(options))
    except (ConfigError, UndecodableConfig):
        return []
    return [
        _read(field, path, file.kind)
        for field, path, file in ((field, node_path(path, mounts), file) for field, path, file in named)
        if path.startswith("/") and not path.startswith(f"{DIRECTORY}/")  # that of an entry without one
    ]


def _read(field: Path, path: str, kind: str) -> NodeFile:
    try:
        content = DurableFiles(os.path.dirname(path)).read(os.path.basename(path))
    except OSError as error:
        return NodeFile(field, path, kind, None, error.strerror or "it cannot be read")
    if content is None and path.startswith(_PRIVATE):
        return NodeFile(field, path, kind, None, "an agent has other files there")
    return NodeFile(field, path, kind, content)


def digest_of_files(files: Sequence[NodeFile]) -> str:
    """Return a hash of what the files hold, "" without any: an answer about one content says nothing about another."""
    if not files:
        return ""
    contents = [f"{file.path}:{'' if file.content is None else _sha256(file.content)}" for file in files]
    return _sha256("\n".join(contents).encode())


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def node_file_findings(files: Sequence[NodeFile], version: str) -> Iterator[Finding]:
    """Yield what is wrong with files. version: of the component, "" for the newest that the data cover."""
    for file in files:
        if file.problem:
            yield not_judged(file.field, _UNREAD, file.problem)
        elif file.content is None:
            yield _finding(file, "is not on this node: put it there, or name another file")
        elif file.kind:
            yield from _content_findings(file, file.content, version)


def _content_findings(file: NodeFile, content: bytes, version: str) -> Iterator[Finding]:
    try:
        document = decode(content, file=file.path)
    except InvalidConfig as error:
        line = error.findings[0].line
        yield _finding(file, f"cannot be decoded{f' (line {line})' if line else ''}")
        return
    kind = document.head.get("kind") if isinstance(document.data, dict) else None
    if kind != file.kind:
        yield _finding(file, f"must be of kind {file.kind}")
        return
    versions = [version] if version else []
    findings = check(document, versions=versions, is_final=True, arguments=OPTION_CHECK)
    errors = [finding for finding in findings if finding.level is Level.COMPONENT]
    if errors:
        more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
        field = errors[0].field or "the whole file"
        yield _finding(file, f"is not valid: {field}{more}; configok-agent validate says why, on the node")
    yield from (finding._replace(path=file.field) for finding in findings if finding.level is Level.NOT_JUDGED)


def _finding(file: NodeFile, message: str) -> Finding:
    return Finding(file.field, f"{file.path} {message}", RULE_NODE_FILE)
