# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The nodes of a report as HTML: the grid by zone and wave, its legend, and the same as tables. Pure.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from ._markup import Html, element, join
from ._stylesheet import StyleRules
from .pool_report import STATES, Lane, NodeEntry, NodeState

_MAX_CHIPS = 60  # nodes whose names are shown in the grid
_SQUARE_SIZES = ((400, "large"), (1600, "medium"))  # up to so many nodes; else small
_MAX_COLUMNS = 8  # waves next to each other; more are one below the other
_NO_ZONE = "no zone"


def count_nodes(number: int) -> str:
    """Return "1 node" or "5,000 nodes"."""
    return f"{number:,} node" if number == 1 else f"{number:,} nodes"


def _slug(state: NodeState) -> str:
    return state.replace(" ", "-")


def state_icon(state: NodeState) -> Html:
    """Return the square of a state; the text next to it says the same."""
    return element("i", class_=_slug(state), aria_hidden="true")


def state_label(state: NodeState) -> Html:
    """Return the square of a state with its name."""
    return element("span", state_icon(state), STATES[state][0], class_="state")


def table(heads: Sequence[str], rows: Iterable[Html], *, caption: str, classes: str = "") -> Html:
    """Return a table that scrolls sideways where it does not fit; the caption is for screen readers."""
    head = element("thead", element("tr", *(element("th", text, scope="col") for text in heads)))
    return element(
        "div",
        element(
            "table",
            element("caption", caption, class_="hidden"),
            head,
            element("tbody", *rows),
            class_=classes or None,
        ),
        class_="table",
    )


def legend(counts: Mapping[NodeState, int], rules: StyleRules) -> Html:
    """Return how many nodes are in each state, as a bar and as a list."""
    shown = [state for state in STATES if counts.get(state)]
    proportions = element(
        "div",
        *(element("i", class_=f"{_slug(state)} {rules.class_of(f'flex-grow:{counts[state]}')}") for state in shown),
        class_="bar",
        aria_hidden="true",
    )
    items = [
        element(
            "li",
            state_icon(state),
            element("span", element("b", f"{counts[state]:,}"), f" {STATES[state][0]}"),
            title_=None,
            data_state=_slug(state),
        )
        for state in shown
    ]
    meanings = "; ".join(f"{STATES[state][0]}: {STATES[state][1]}" for state in shown)
    return join(
        [proportions, element("ul", *items, class_="legend", id="legend"), element("p", f"{meanings}.", class_="hint")]
    )


def grid(lanes: Sequence[Lane], rules: StyleRules) -> Html:
    """Return the nodes of each wave as squares, or with their names in a small pool, with a row for each zone."""
    total = sum(len(lane.nodes) for lane in lanes)
    zones = sorted({node.zone for lane in lanes for node in lane.nodes}, key=lambda zone: (not zone, zone))
    with_names = total <= _MAX_CHIPS
    size = next((name for most, name in _SQUARE_SIZES if total <= most), "small")
    minimum = "9.5rem" if with_names else "6.2rem"
    columns = " ".join(f"minmax({minimum},{1 if with_names else len(lane.nodes)}fr)" for lane in lanes)
    has_zones = any(zones)
    grid_rows = f"grid-template-columns:{'max-content ' if has_zones else ''}{columns};"
    grid_rows += f"grid-template-rows:repeat({len(zones) + 1},auto)"
    classes = ["board", size, "stack" if len(lanes) > _MAX_COLUMNS else "", rules.class_of(grid_rows)]
    labels = element("div", element("span"), *(element("span", zone or _NO_ZONE) for zone in zones), class_="zones")
    return element(
        "div",
        labels if has_zones else None,
        *(_lane(lane, zones, with_names=with_names, has_zones=has_zones) for lane in lanes),
        class_=" ".join(filter(None, classes)),
        id="board",
    )


def _lane(lane: Lane, zones: Sequence[str], *, with_names: bool, has_zones: bool) -> Html:
    nodes_by_zone: dict[str, list[NodeEntry]] = {zone: [] for zone in zones}
    for node in lane.nodes:
        nodes_by_zone[node.zone].append(node)
    return element(
        "section",
        element(
            "header",
            element("h3", lane.title),
            element("p", count_nodes(len(lane.nodes))),
            _progress_line(lane),
        ),
        *(
            _cell(lane, zone, nodes, with_names=with_names, has_zones=has_zones)
            for zone, nodes in nodes_by_zone.items()
        ),
        class_="lane",
    )


def _progress_line(lane: Lane) -> Html | None:
    if lane.progress in ("", "done", "not started"):
        return element("p", lane.progress) if lane.progress else None
    moved = lane.counts["ok"] + lane.counts["trial"]
    return element("p", f"{lane.progress}, {moved:,} moved", class_="now")


def _cell(lane: Lane, zone: str, nodes: Sequence[NodeEntry], *, with_names: bool, has_zones: bool) -> Html:
    label = element("span", zone or _NO_ZONE, class_="zone") if has_zones and nodes else None
    if not nodes:
        return element("div", class_="cell")
    if with_names:
        chips = (
            element(
                "li", state_icon(node.state), element("span", node.name, class_="mono"), **_about(node), tabindex=None
            )
            for node in nodes
        )
        return element("div", label, element("ul", *chips, class_="chips"), class_="cell")
    squares = element(
        "div",
        *(element("i", **_about(node)) for node in nodes),
        class_="sq",
        role="img",
        aria_label=f"{lane.title}, {zone or _NO_ZONE}: {_count_text(Counter(node.state for node in nodes))}",
    )
    return element("div", label, squares, class_="cell")


def _about(node: NodeEntry) -> dict[str, str]:
    text = f"{node.name}: {STATES[node.state][0]}"
    return {"class_": _slug(node.state), "title": f"{text}: {node.reason[:200]}" if node.reason else text}


def _count_text(counts: Mapping[NodeState, int]) -> str:
    return ", ".join(f"{counts[state]} {STATES[state][0]}" for state in STATES if counts.get(state))


def counts_table(lanes: Sequence[Lane]) -> Html:
    """Return the number of nodes by wave and state."""
    counts = [lane.counts for lane in lanes]
    states = [state for state in STATES if any(count[state] for count in counts)]
    rows = (
        element(
            "tr",
            element("th", lane.title, scope="row"),
            element("td", lane.progress),
            *(element("td", f"{count[state]:,}" if count[state] else "", class_="number") for state in states),
            element("td", f"{len(lane.nodes):,}", class_="number"),
        )
        for lane, count in zip(lanes, counts)
    )
    heads = ("Wave", "Progress", *(STATES[state][0] for state in states), "Nodes")
    return table(heads, rows, caption="Nodes by wave and state")


def all_nodes_table(lanes: Sequence[Lane]) -> Html:
    """Return every node with its zone, wave, state, config and version."""
    rows = (
        element(
            "tr",
            element("td", node.name, class_="mono"),
            element("td", node.zone),
            element("td", lane.title),
            element("td", STATES[node.state][0]),
            element("td", node.config),
            element("td", node.view.kubelet_version if node.view else ""),
            data_state=_slug(node.state),
        )
        for lane in lanes
        for node in lane.nodes
    )
    return table(("Node", "Zone", "Wave", "State", "Config", "Kubelet"), rows, caption="All nodes")
