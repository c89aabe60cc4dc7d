# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Choosing the canary so that it covers the pool, and spreading nodes over zones. Pure. Private to configok.node."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ._node_view import COVER_FIELDS, NodeView

__all__ = ["CanaryChoice", "canary_refusals", "choose_canary", "has_labels", "spread_over_zones"]


@dataclass(frozen=True)
class CanaryChoice:
    """The canary's nodes in the order in which they move, and the combinations of the pool that none of them has."""

    nodes: tuple[str, ...]
    uncovered: tuple[str, ...]


def spread_over_zones(views: Sequence[NodeView]) -> list[NodeView]:
    """Return the nodes in an order in which every beginning has its fair part of every zone."""
    zones: dict[str, list[NodeView]] = {}
    for view in sorted(views, key=lambda one: one.name):
        zones.setdefault(view.zone, []).append(view)
    places = [
        ((2 * place + 1) / (2 * len(members)), zone, view.name, view)
        for zone, members in zones.items()
        for place, view in enumerate(members)
    ]
    return [view for _place, _zone, _name, view in sorted(places, key=lambda one: one[:3])]


def choose_canary(
    views: Sequence[NodeView],
    count: int,
    cover: Sequence[str],
    labels: Mapping[str, str],
    *,
    existing: Sequence[NodeView] = (),
) -> CanaryChoice:
    """Choose count nodes that cover as many combinations of the attributes in cover as they can.

    Greedy: the next node is the one that shows the most values nobody has shown, then a new combination, then the
    most common one. labels: only nodes with these labels are candidates; what they leave uncovered is named as well.
    besides: nodes of the canary already, which these are to complement.
    """
    combination = {view.name: tuple(view.attribute(name) for name in cover) for view in views}
    common = Counter(combination.values())
    order = spread_over_zones([view for view in views if has_labels(view, labels)])
    # Nodes of one combination are alike to the choice: one queue for each keeps it linear in the nodes.
    queues: dict[tuple[str, ...], list[NodeView]] = {}
    for view in order:
        queues.setdefault(combination[view.name], []).append(view)
    seen: set[tuple[int, str]] = set()
    covered = {tuple(view.attribute(name) for name in cover) for view in existing}
    for shown in covered:
        seen.update(enumerate(shown))
    chosen: list[str] = []
    while len(chosen) < min(count, len(order)):
        left = [key for key in queues if queues[key]]
        if all(key in covered for key in left):
            taken = set(chosen)
            chosen += [view.name for view in order if view.name not in taken][: count - len(chosen)]
            break
        best = min(left, key=lambda key: (-len(set(enumerate(key)) - seen), key in covered, -common[key], key))
        seen.update(enumerate(best))
        covered.add(best)
        chosen.append(queues[best].pop(0).name)
    uncovered = sorted((key for key in common if key not in covered), key=lambda key: (-common[key], key))
    return CanaryChoice(tuple(chosen), tuple(_describe(cover, key, common[key]) for key in uncovered))


def has_labels(view: NodeView, labels: Mapping[str, str]) -> bool:
    """Return whether a node has all these labels."""
    return all(view.labels.get(key) == text for key, text in labels.items())


def canary_refusals(
    views: Sequence[NodeView], cover: Sequence[str], labels: Mapping[str, str], movable: Sequence[str]
) -> list[str]:
    """Return why a canary of these labels, which cover these attributes, cannot be meant: one sentence for each reason.

    views: all nodes of the pool. movable: those that can be the canary, or that use the target already.
    """
    wanted = ",".join(f"{key}={value}" for key, value in sorted(labels.items()))
    refusals = []
    labelled = [view.name for view in views if has_labels(view, labels)]
    if not labelled:
        refusals.append(f"policy.canary.labels: no node of the pool has the labels {wanted}")
    elif movable and not set(labelled) & set(movable):
        refusals.append(
            f"policy.canary.labels: no node with the labels {wanted} can be moved: there would be no canary"
        )
    keys = {key for view in views for key in view.labels}
    for name in cover:
        if name not in COVER_FIELDS and name not in keys:
            alike = difflib.get_close_matches(name, (*COVER_FIELDS, *sorted(keys)), 1)
            refusals.append(
                f"policy.canary.cover: {name[:100]!r} is neither one of {', '.join(COVER_FIELDS)} "
                f"nor a label of a node of the pool" + (f": did you mean {alike[0]}?" if alike else "")
            )
    return refusals


def _describe(cover: Sequence[str], key: tuple[str, ...], count: int) -> str:
    values = ", ".join(f"{name}={value or 'none'}" for name, value in zip(cover, key))
    return f"{values} ({count} {'node' if count == 1 else 'nodes'})"
