# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read what a Node says of its machine. Pure.

A Node is written by its kubelet and by others: texts are sanitized, and what is not well formed is left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from ..._nodeconfig.well_known import ANNOTATION_MACHINE
from ..._rollout._drain.cordon import marking_pool
from ..._rollout._nodes.node_view import node_view
from ..._text import sanitize
from .._objects.types import Runtime, Taint
from ._machine_annotation import NO_ANNOTATION, InvalidMachineAnnotation, MachineAnnotation
from .types import ObservedConfig, ObservedMachine

_MAX_TEXT: Final = 512
_RUNTIME = re.compile(r"([a-z][a-z0-9-]{0,62})://v?(.{0,128})\Z")
_EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_ADDRESS_TYPES: Final = ("InternalIP", "ExternalIP", "InternalDNS", "ExternalDNS", "Hostname")


def observe(node: Mapping[str, Any]) -> ObservedMachine:
    """Return what a Node object, complete, says of its machine."""
    view = node_view(node)
    status = node.get("status") or {}
    info = status.get("nodeInfo") or {}
    annotation, error = _read_annotation(node, view.name)
    return ObservedMachine(
        name=view.name,
        uid=view.uid,
        kubelet_version=view.system.kubelet_version.removeprefix("v"),
        runtime=parse_runtime(info.get("containerRuntimeVersion")),
        os_image=view.system.os_image,
        ready=view.ready,
        config=ObservedConfig(
            ok=view.answer.config_ok,
            message=view.report if view.answer.config_ok else "",
            source=view.assigned.source,
            active=view.active,
            local=view.answer.status.local_config if view.answer.status is not None else "",
        ),
        labels=view.labels,
        taints=_taints((node.get("spec") or {}).get("taints")),
        addresses=_addresses(status.get("addresses")),
        deleting=view.deleting,
        has_agent=view.has_agent,
        cordoned=view.unschedulable,
        cordoned_by=marking_pool(view),
        annotation=annotation,
        annotation_error=error,
    )


def parse_runtime(text: Any) -> Runtime | None:
    """Return the container runtime that a Node reports, for example containerd://1.7.24; None if it is not one."""
    match = _RUNTIME.match(sanitize(text, _MAX_TEXT)) if isinstance(text, str) else None
    return None if match is None else Runtime(match.group(1), match.group(2))


def _read_annotation(node: Mapping[str, Any], name: str) -> tuple[MachineAnnotation, str]:
    text = ((node.get("metadata") or {}).get("annotations") or {}).get(ANNOTATION_MACHINE)
    if not isinstance(text, str):
        return NO_ANNOTATION, ""
    try:
        annotation = MachineAnnotation.parse(text)
    except InvalidMachineAnnotation as invalid:
        return NO_ANNOTATION, f"the annotation {ANNOTATION_MACHINE} of Node {name} is not what a run writes: {invalid}"
    if annotation.machine != name:
        return (
            NO_ANNOTATION,
            f"the annotation {ANNOTATION_MACHINE} of Node {name} is that of machine {annotation.machine}",
        )
    return annotation, ""


def _taints(value: Any) -> tuple[Taint, ...]:
    taints = []
    for taint in value if isinstance(value, list) else ():
        key, effect = (taint.get("key"), taint.get("effect")) if isinstance(taint, dict) else (None, None)
        if isinstance(key, str) and effect in _EFFECTS:
            taints.append(Taint(key, str(taint.get("value") or ""), effect))
    return tuple(taints)


def _addresses(value: Any) -> tuple[str, ...]:
    entries = [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []
    by_type = [
        sanitize(entry["address"], _MAX_TEXT)
        for kind in _ADDRESS_TYPES
        for entry in entries
        if entry.get("type") == kind and isinstance(entry.get("address"), str)
    ]
    return tuple(dict.fromkeys(by_type))
