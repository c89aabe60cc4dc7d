# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""validate: report what is wrong with files, as text or JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ._agent._agent_configuration import AgentConfiguration, ComponentConfiguration
from ._componentconfig import ConfigError
from ._componentconfig._check import check
from ._componentconfig._codec._document import decode
from ._componentconfig._findings import Finding, InvalidConfig, bounded
from ._componentconfig._schema._releases import minor_of
from ._output import complain, show

if TYPE_CHECKING:
    from ._agent._state._node_state import NodeInputs

__all__ = ["FileValidator", "document_validator", "node_validator", "read_file", "validate_files"]

_OK, _REFUSED, _USAGE = 0, 1, 2
# Takes a file's content and name. Raises OSError, ConfigError.
FileValidator = Callable[[bytes, str], "list[Finding]"]


def validate_files(names: Sequence[str], validator: FileValidator, *, as_json: bool) -> int:
    """Print all findings of all files; return 0, 1 if one of them refuses, 2 if a file or a version cannot be read.

    names: paths, "-" for standard input. Findings are lines, or with as_json one list of objects.
    """
    findings: list[Finding] = []
    for name in names:
        try:
            findings += validator(read_file(name), name)
        except OSError as error:
            complain(f"{error.filename or name}: cannot be read: {error.strerror or error}")
            return _USAGE
        except ConfigError as error:  # an invalid version
            complain(str(error))
            return _USAGE
    if as_json:
        print(json.dumps([finding.as_dict() for finding in findings]))
    else:
        for finding in findings:
            show(f"{finding} [{finding.level}]")
    return _REFUSED if any(finding.is_refusal for finding in findings) else _OK


def read_file(name: str) -> bytes:
    """Return a file's content, or standard input for "-". Raises OSError."""
    if name == "-":
        return sys.stdin.buffer.read()
    with open(name, "rb") as stream:
        return stream.read()


def document_validator(
    component: str,
    versions: Sequence[str],
    *,
    bundle: bool,
    configured: ComponentConfiguration | None = None,
    allow_newer: bool = False,
) -> FileValidator:
    """Return a validator of files by themselves. configured: the component on this node, for its denied fields.

    allow_newer: whether the versions, of installed components, may be newer than the data.
    """

    def validate(text: bytes, name: str) -> list[Finding]:
        findings = check(
            text,
            file=name,
            component=component or None,
            versions=versions,
            bundle=bundle,
            allow_newer=allow_newer,
        )
        return bounded([*findings, *_denied(text, name, configured, versions[-1] if versions else "")])

    return validate


def node_validator(
    configuration: AgentConfiguration, component: str, versions: Sequence[str], *, only_host: bool, with_inputs: bool
) -> FileValidator:
    """Return a validator of a bundle's document as this node would run it.

    with_inputs: the file is JSON with the document and with what this node adds to it, as the agent has read both.
    """
    from ._agent._state._node_state import NodeInputs
    from ._agent._validation._validate_on_node import validate_on_node
    from ._host._host_facts import read_host

    def validate(text: bytes, name: str) -> list[Finding]:
        if with_inputs:
            request = json.loads(text)
            text, inputs = request["document"].encode(), NodeInputs.from_dict(request)
        else:
            inputs = _inputs(configuration, component)
        return validate_on_node(
            text,
            name,
            configuration.components[component],
            inputs=inputs,
            version=versions[-1] if versions else "",
            host_only=only_host,
            read_host=read_host,
        )

    return validate


def _inputs(configuration: AgentConfiguration, component: str) -> NodeInputs:
    from ._agent._store._store import Store
    from ._agent._system_clock import SystemClock
    from ._agent._validation._node_inputs import read_node_inputs

    store = Store(configuration.state_directory, now=SystemClock().now)
    return read_node_inputs(configuration.components[component], store)


def _own_configs(component: ComponentConfiguration) -> NodeInputs:
    """Read this node's own configs, without the command line, which does not matter for denied fields."""
    from ._agent._validation._node_inputs import read_own_configs

    return read_own_configs(component)


def _denied(text: bytes, name: str, configured: ComponentConfiguration | None, version: str) -> list[Finding]:
    if configured is None:
        return []
    from ._agent._validation._validate_on_node import denied_findings

    try:
        return denied_findings(decode(text, file=name), configured, minor_of(version), _own_configs(configured))
    except InvalidConfig:
        return []  # the check has reported it
