# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Choose the canary so that it covers the pool; spread nodes over zones. Pure."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ..._text import count_of
from .._nodes.node_view import COVER_FIELDS, NodeView
from ..goals import MachineGoal
from ..plan import Target

_REPLACE: Final = "replace the host"
_UPDATE: Final = "change the host"
_CREATE: Final = "create the machine"
_CONFIG: Final = "change the config, labels or taints"
_DELETE: Final = "delete the machine"
_HEAVIEST_FIRST: Final = (_REPLACE, _UPDATE, _CREATE, _CONFIG, _DELETE)


@dataclass(frozen=True)
class CanaryChoice:
    """The canary's nodes in the order in which they move, and the combinations of the pool that they do not cover."""

    nodes: tuple[str, ...]
    uncovered: tuple[str, ...]


def spread_over_zones(views: Sequence[NodeView]) -> list[NodeView]:
    """Return the nodes in an order in which each prefix has a fair part of every zone."""
    zones: dict[str, list[NodeView]] = {}
    for view in sorted(views, key=lambda view: view.name):
        zones.setdefault(view.zone, []).append(view)
    ranked = [
        ((2 * index + 1) / (2 * len(members)), zone, view.name, view)
        for zone, members in zones.items()
        for index, view in enumerate(members)
    ]
    return [view for _rank, _zone, _name, view in sorted(ranked, key=lambda entry: entry[:3])]


def choose_canary(
    views: Sequence[NodeView],
    count: int,
    cover: Sequence[str],
    labels: Mapping[str, str],
    *,
    existing: Sequence[NodeView] = (),
) -> CanaryChoice:
    """Choose count nodes that cover as many combinations of the attributes in cover as possible.

    Greedy: the next node is the one with the most values that are not shown yet, then with a new combination, then with
    the most frequent one. labels: only nodes with these labels are candidates; the choice names what they leave
    uncovered. existing: nodes of the canary already, which the chosen nodes complement.
    """
    combination = {view.name: tuple(view.attribute(name) for name in cover) for view in views}
    frequency = Counter(combination.values())
    order = spread_over_zones([view for view in views if has_labels(view, labels)])
    # Nodes with the same combination are equal here; one queue per combination keeps the choice linear in the nodes.
    queues: dict[tuple[str, ...], list[NodeView]] = {}
    for view in order:
        queues.setdefault(combination[view.name], []).append(view)
    shown_values: set[tuple[int, str]] = set()
    covered = {tuple(view.attribute(name) for name in cover) for view in existing}
    for key in covered:
        shown_values.update(enumerate(key))
    chosen: list[str] = []
    while len(chosen) < min(count, len(order)):
        open_combinations = [key for key in queues if queues[key]]
        if all(key in covered for key in open_combinations):
            taken = set(chosen)
            chosen += [view.name for view in order if view.name not in taken][: count - len(chosen)]
            break
        best = min(
            open_combinations,
            key=lambda key: (-len(set(enumerate(key)) - shown_values), key in covered, -frequency[key], key),
        )
        shown_values.update(enumerate(best))
        covered.add(best)
        chosen.append(queues[best].pop(0).name)
    uncovered = sorted((key for key in frequency if key not in covered), key=lambda key: (-frequency[key], key))
    return CanaryChoice(tuple(chosen), tuple(_combination_text(cover, key, frequency[key]) for key in uncovered))


def has_labels(view: NodeView, labels: Mapping[str, str]) -> bool:
    """Return whether a node has all these labels."""
    return all(view.labels.get(key) == text for key, text in labels.items())


def canary_refusals(
    views: Sequence[NodeView], cover: Sequence[str], labels: Mapping[str, str], movable: Sequence[str]
) -> list[str]:
    """Return why no canary can have these labels or cover these attributes: one sentence for each reason.

    views: all nodes of the pool. movable: nodes that can be the canary, or that use the target already.
    """
    label_text = ",".join(f"{key}={value}" for key, value in sorted(labels.items()))
    refusals = []
    labelled = [view.name for view in views if has_labels(view, labels)]
    if not labelled:
        refusals.append(f"policy.canary.labels: no node of the pool has the labels {label_text}")
    elif movable and not set(labelled) & set(movable):
        refusals.append(
            f"policy.canary.labels: no node with the labels {label_text} can be moved: there would be no canary"
        )
    keys = {key for view in views for key in view.labels}
    for name in cover:
        if name not in COVER_FIELDS and name not in keys:
            suggestions = difflib.get_close_matches(name, (*COVER_FIELDS, *sorted(keys)), 1)
            refusals.append(
                f"policy.canary.cover: {name[:100]!r} is neither one of {', '.join(COVER_FIELDS)} "
                f"nor a label of a node of the pool" + (f": did you mean {suggestions[0]}?" if suggestions else "")
            )
    return refusals


def _combination_text(cover: Sequence[str], key: tuple[str, ...], count: int) -> str:
    values = ", ".join(f"{name}={value or 'none'}" for name, value in zip(cover, key))
    return f"{values} ({count_of(count, 'node')})"


def kinds_of_change(views: Iterable[NodeView], target: Target) -> dict[str, list[NodeView]]:
    """Return the machines by the kind of their change, the heaviest kind first; {} for a rollout of a config.

    One kind of change proves nothing about another.
    """
    kinds: dict[str, list[NodeView]] = {kind: [] for kind in _HEAVIEST_FIRST}
    for view in views:
        goal = target.goals.get(view.name)
        if goal is not None:
            kinds[_kind(goal)].append(view)
    return {kind: members for kind, members in kinds.items() if members}


def _kind(goal: MachineGoal) -> str:
    if goal.action == "update":
        return _UPDATE if goal.needs_host else _CONFIG
    return {"replace": _REPLACE, "create": _CREATE, "delete": _DELETE}[goal.action]
