# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Render the comparison of two clusters as text and as data. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from ..._rollout._report.tables import render_table
from ..._text import count_of, first_names, sanitize
from ._compare_clusters import ClusterComparison, Difference, GroupComparison, MachineComparison

_HEADS: Final = ("COMPONENT", "FIELD", "BEFORE", "AFTER", "DISRUPTION")
_UNSET: Final = "<unset>"
_NAMES_SHOWN: Final = 6
_MAX_ENTRIES: Final = 100
_MAX_CELL: Final = 72


def render_comparison(comparison: ClusterComparison) -> list[str]:
    """Return the comparison as lines; machines with the same differences are one entry."""
    lines = list[str]()
    if comparison.only_before:
        lines.append(f"Only before: {_names(comparison.only_before)}")
    if comparison.only_after:
        lines.append(f"Only after: {_names(comparison.only_after)}")
    alike: dict[Any, list[MachineComparison]] = {}
    for pair in comparison.machines:
        if pair.differences:
            alike.setdefault((pair.differences, pair.notes), []).append(pair)
    ordered = sorted(alike.values(), key=lambda pairs: (-len(pairs), pairs[0].before))
    for pairs in ordered[:_MAX_ENTRIES]:
        lines += ["", f"{_names([_pair_name(pair) for pair in pairs])}:", *_table(pairs[0].differences)]
        lines += [f"  note: {note}" for note in pairs[0].notes]
    if len(ordered) > _MAX_ENTRIES:
        lines.append(f"... and {len(ordered) - _MAX_ENTRIES} more sets of differences")
    for group in comparison.groups:
        lines += ["", *_group_lines(group)]
    same = sum(not pair.differences for pair in comparison.machines)
    if same:
        lines += ["", f"{count_of(same, 'machine')} without a difference."]
    if not comparison.machines and not comparison.groups and not comparison.differs:
        lines.append("There is no machine to compare.")
    lines += [f"note: {note}" for note in comparison.notes]
    return lines[1:] if lines and not lines[0] else lines


def _pair_name(pair: MachineComparison) -> str:
    return sanitize(pair.before if pair.before == pair.after else f"{pair.before} and {pair.after}")


def _names(names: Sequence[str]) -> str:
    shown = first_names([sanitize(name) for name in names], _NAMES_SHOWN)
    return shown if len(names) == 1 else f"{count_of(len(names), 'machine')} ({shown})"


def _group_lines(group: GroupComparison) -> list[str]:
    sizes = f"{count_of(group.sizes[0], 'machine')} before, {count_of(group.sizes[1], 'machine')} after"
    lines = [f"Group {group.group or '<none>'}: {sizes}"]
    lines += _table(group.differences) if group.differences else []
    if not group.differences and all(group.sizes):
        lines.append("  no difference between the most common values")
    return lines + [f"  {text}" for text in group.uneven] + [f"  note: {note}" for note in group.notes]


def _table(differences: Sequence[Difference]) -> list[str]:
    rows = [
        (
            difference.component,
            difference.path,
            sanitize(difference.before if difference.before is not None else _UNSET, _MAX_CELL),
            sanitize(difference.after if difference.after is not None else _UNSET, _MAX_CELL),
            difference.disruption,
        )
        for difference in differences
    ]
    return [f"  {line}" for line in render_table(_HEADS, rows)]


def to_dict(comparison: ClusterComparison) -> dict[str, Any]:
    """Return the comparison as plain data: only machines and groups with a difference."""
    return {
        "machines": [
            {
                "before": pair.before,
                "after": pair.after,
                "differences": [difference._asdict() for difference in pair.differences],
                "notes": list(pair.notes),
            }
            for pair in comparison.machines
            if pair.differences
        ],
        "only_before": list(comparison.only_before),
        "only_after": list(comparison.only_after),
        "groups": [
            {
                "group": group.group,
                "sizes": {"before": group.sizes[0], "after": group.sizes[1]},
                "differences": [difference._asdict() for difference in group.differences],
                "uneven": list(group.uneven),
                "notes": list(group.notes),
            }
            for group in comparison.groups
        ],
        "notes": list(comparison.notes),
    }


def diff_of(comparison: ClusterComparison) -> list[dict[str, str]]:
    """Return the differences as texts before and after, for --diff."""
    entries: list[tuple[str, str, tuple[Difference, ...]]] = [
        (pair.before, pair.after, pair.differences) for pair in comparison.machines if pair.differences
    ]
    entries += [
        (f"group {group.group}",) * 2 + (group.differences,) for group in comparison.groups if group.differences
    ]
    return [
        {
            "before_header": sanitize(before),
            "after_header": sanitize(after),
            "before": _side(differences, 0),
            "after": _side(differences, 1),
        }
        for before, after, differences in entries
    ]


def _side(differences: Sequence[Difference], side: int) -> str:
    lines = []
    for difference in differences:
        value = (difference.before, difference.after)[side]
        if value is not None:
            lines.append(f"{difference.component} {difference.path}: {sanitize(value)}\n")
    return "".join(lines)
