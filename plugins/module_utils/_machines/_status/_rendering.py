# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Render the status of Machines and the plan of a run as text. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from ..._rollout._nodes.reported_versions import is_version
from ..._rollout._report.tables import render_table as render_columns
from ..._text import count_of, first_names, sanitize
from .._changes.plan_change import machine_name
from .._changes.runtimes import is_runtime
from .._changes.types import ChangedField, MachineAction, MachineChange
from ._phases import MachineStatus

_HEADS: Final = ("NAME", "NODE", "KUBELET", "RUNTIME", "CONFIG", "CONFIGOK", "PHASE", "ACTION", "REASON")
_MAX_WIDTHS: Final = (63, 63, 24, 48, 64, 8, 12, 8, 120)
_NONE: Final = "<none>"
_NAMES_SHOWN: Final = 4
_NAMES_WIDTH: Final = 80
_MAX_GROUPS: Final = 100
_MAX_SENTENCES: Final = 100
_MAX_NOTES: Final = 10
_MAX_VALUE: Final = 200

_TITLES: Final = {
    MachineAction.CREATE: "create",
    MachineAction.UPDATE: "update in place",
    MachineAction.REPLACE: "replace",
    MachineAction.DELETE: "delete",
}


def render_table(statuses: Sequence[MachineStatus]) -> list[str]:
    """Return a table of machines, as kubectl shows objects. A value that is too wide is cut."""
    if not statuses:
        return ["No Machine matches."]
    rows = [[sanitize(text, limit) for text, limit in zip(_cells(status), _MAX_WIDTHS)] for status in statuses]
    return render_columns(_HEADS, rows)


def _cells(status: MachineStatus) -> Sequence[str]:
    kubelet, runtime = status.kubelet_desired, status.runtime_desired
    is_kubelet = is_version(kubelet, status.kubelet_observed, kubelet)
    return (
        status.name,
        status.node or _NONE,
        _both(status.kubelet_observed, kubelet, is_same=is_kubelet),
        _both(status.runtime_observed, runtime, is_same=is_runtime(runtime, status.runtime_observed, runtime)),
        config_text(status),
        status.config_ok or _NONE,
        status.phase.value,
        status.action,
        status.reason,
    )


def config_text(status: MachineStatus) -> str:
    """Return the config: the observed one, and the desired one if it differs."""
    return _both(status.config_observed, status.config_desired, is_same=status.config_observed == status.config_desired)


def _both(observed: object, desired: object, *, is_same: bool) -> str:
    """Return the observed value, and the desired one if it differs; one of them may not be known."""
    if not observed or not desired or is_same:
        return str(observed or desired or _NONE)
    return f"{observed} -> {desired}"


def render_machine_plan(
    changes: Sequence[MachineChange], packages: Mapping[str, Sequence[tuple[str, str]]] | None = None
) -> list[str]:
    """Return what a run would do with each machine as lines, the refusals first; equal changes are one entry.

    packages: by machine, what its provider would install, with the exact versions.
    """
    packages = packages or {}
    lines = _section("Refused:", _folded((change, change.refusals) for change in changes))
    groups: dict[Any, list[MachineChange]] = {}
    for change in changes:
        if change.is_change:
            kind = "" if change.provider is None else change.provider.kind
            installed = tuple(packages.get(change.name, ()))
            same = (change.action.value, kind, change.needs_drain, installed)
            key = (*same, *map(repr, change.fields), *change.adjusted)
            groups.setdefault(key, []).append(change)
    ordered = sorted(groups.values(), key=lambda group: (-len(group), group[0].name))
    order = list(_TITLES)
    for group in sorted(ordered, key=lambda group: order.index(group[0].action))[:_MAX_GROUPS]:
        lines += _group_lines(group, packages.get(group[0].name, ()))
    if len(groups) > _MAX_GROUPS:
        lines.append(f"... and {count_of(len(groups) - _MAX_GROUPS, 'more change')}")
    idle = [change.name for change in changes if not change.is_change and change.machine is not None]
    if idle:
        lines.append(f"Nothing to do: {_machines_text(idle)}")
    if not changes:
        lines.append("No Machine matches.")
    return lines + _section("Warnings:", _folded((change, change.warnings) for change in changes))


def render_notes(notes: Sequence[str]) -> list[str]:
    """Return the notes about files of Machines as lines, at most ten of them."""
    return _section("Notes:", notes, _MAX_NOTES)


def _group_lines(group: Sequence[MachineChange], packages: Sequence[tuple[str, str]]) -> list[str]:
    change = group[0]
    kind = f", provider {change.provider.kind}" if change.provider is not None else ""
    disruption = f", disruption {change.disruption}" if change.action is MachineAction.UPDATE else ""
    drained = ", drained first" if change.needs_drain else ""
    lines = [f"{_TITLES[change.action]} {_machines_text([c.name for c in group])}{kind}{disruption}{drained}"]
    paths = [changed.path for changed in change.fields]
    values = [_value_text(changed) for changed in change.fields]
    widths = [max(map(len, texts), default=0) for texts in (paths, values)]
    lines += [
        f"    {path:{widths[0]}}  {value:{widths[1]}}"
        + (f"  [{changed.disruption}]" if changed.disruption != "none" else "")
        for path, value, changed in zip(paths, values, change.fields)
    ]
    lines += [f"    adjusted: {text}" for text in change.adjusted]
    if packages:
        lines.append(f"    packages: {', '.join(f'{package} {version}' for package, version in packages)}")
    return [line.rstrip() for line in lines]


def _value_text(changed: ChangedField) -> str:
    before, after = (sanitize(value, _MAX_VALUE) if value else "" for value in (changed.before, changed.after))
    if not before:
        return after
    return f"{before} -> {after or '<unset>'}"


def _machines_text(names: Sequence[str]) -> str:
    shown = first_names(names, _NAMES_SHOWN, width=_NAMES_WIDTH)
    return shown if len(names) == 1 else f"{count_of(len(names), 'machine')} ({shown})"


def _folded(sentences: Iterable[tuple[MachineChange, Sequence[str]]]) -> list[str]:
    """Return sentences, each once: the same sentence about several machines names them together."""
    names: dict[str, list[str]] = {}
    whole: dict[str, str] = {}
    for change, texts in sentences:
        start = "" if change.machine is None else f"{machine_name(change.machine)}: "
        for text in texts:
            about = text.removeprefix(start) if start else text
            names.setdefault(about, []).append(change.name)
            whole.setdefault(about, text)
    return [
        whole[about] if len(of) == 1 or whole[about] == about else f"{_machines_text(of)}: {about}"
        for about, of in names.items()
    ]


def _section(title: str, sentences: Sequence[str], limit: int = _MAX_SENTENCES) -> list[str]:
    if not sentences:
        return []
    lines = [title, *(f"  {sanitize(sentence)}" for sentence in sentences[:limit])]
    more = len(sentences) - limit
    return [*lines, f"  ... and {more} more"] if more > 0 else lines


def diff_of(changes: Iterable[MachineChange]) -> list[dict[str, str]]:
    """Return what changes on each machine as texts before and after, for --diff."""
    return [
        {
            "before_header": f"machine {change.name}",
            "after_header": f"machine {change.name} ({_TITLES[change.action]})",
            "before": _side(change, "before"),
            "after": _side(change, "after"),
        }
        for change in changes
        if change.is_change
    ]


def _side(change: MachineChange, side: str) -> str:
    lines = [
        f"{changed.path}: {sanitize(value, _MAX_VALUE)}"
        for changed in change.fields
        if (value := getattr(changed, side)) not in (None, "")
    ]
    return "".join(f"{line}\n" for line in lines)
