# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The figures of a report: how its nodes, its Machines and its timeline are arranged. Pure.

The data are those of page_data. Private to configok.node.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from ansible_collections.configok.node.plugins.module_utils._rollout._record.record import TimelineEntry
from ansible_collections.configok.node.plugins.module_utils._rollout._report.pool_report import STATES, natural_order
from ansible_collections.configok.node.plugins.module_utils._rollout._report.timeline import (
    Step,
    Timeline,
    timeline_of,
)

_MAX_CHIPS: Final = 60  # nodes whose names are shown in the grid
_SQUARE_SIZES: Final = ((400, "large"), (1600, "medium"))  # up to so many nodes; else small
_MAX_COLUMNS: Final = 8  # waves next to each other; more are one below the other
_MAX_VERSIONS: Final = 12  # rows of the chart; a cluster has a few

PHASES: Final[Mapping[str, tuple[str, str]]] = {
    "Failed": ("failed", "the Node is not Ready, its config is refused, or a change failed"),
    "Provisioning": ("elsewhere", "no Node yet"),
    "Updating": ("pending", "a rollout changes it"),
    "Deleting": ("gone", "to be deleted"),
    "Running": ("ok", "the Node is Ready"),
}
"""The phases of Machines as a list of what needs attention: for each, the class of its square and its meaning."""

Data = Mapping[str, Any]


def state_counts(nodes: Sequence[Data]) -> dict[str, int]:
    """Return the number of nodes by state, in the order of STATES."""
    counts = Counter(node["state"] for node in nodes)
    return {state: counts[state] for state in STATES if counts[state]}


class BoardLane(NamedTuple):
    """A column of the board. cells: the nodes by zone, "" for none, for every zone of the board."""

    title: str
    progress: str
    nodes: Sequence[Data]
    states: Mapping[str, int]
    cells: Mapping[str, Sequence[Data]]

    @property
    def moved(self) -> int:
        """Return how many nodes use the config of the rollout."""
        return self.states.get("ok", 0) + self.states.get("trial", 0)


class Board(NamedTuple):
    """The nodes by wave and zone. layout: a declaration for the stylesheet."""

    lanes: Sequence[BoardLane]
    zones: Sequence[str]
    square: str
    layout: str

    @classmethod
    def of(cls, lanes: Sequence[Data]) -> Board:
        """Return the board of the lanes of a report."""
        total = sum(len(lane["nodes"]) for lane in lanes)
        zones = sorted({node["zone"] for lane in lanes for node in lane["nodes"]}, key=lambda zone: (not zone, zone))
        square = next((name for most, name in _SQUARE_SIZES if total <= most), "small")
        has_names = total <= _MAX_CHIPS
        minimum = "9.5rem" if has_names else "6.2rem"
        columns = " ".join(f"minmax({minimum},{1 if has_names else len(lane['nodes'])}fr)" for lane in lanes)
        layout = f"grid-template-columns:{'max-content ' if any(zones) else ''}{columns};"
        layout += f"grid-template-rows:repeat({len(zones) + 1},auto)"
        return cls([_board_lane(lane, zones) for lane in lanes], zones, square, layout)

    @property
    def has_names(self) -> bool:
        """Return whether the board shows the names of nodes instead of squares."""
        return sum(len(lane.nodes) for lane in self.lanes) <= _MAX_CHIPS

    @property
    def has_zones(self) -> bool:
        """Return whether a node has a zone."""
        return any(self.zones)

    @property
    def is_stack(self) -> bool:
        """Return whether the waves are one below the other."""
        return len(self.lanes) > _MAX_COLUMNS

    @property
    def states(self) -> list[str]:
        """Return the states that nodes have."""
        return [state for state in STATES if any(state in lane.states for lane in self.lanes)]


def _board_lane(lane: Data, zones: Sequence[str]) -> BoardLane:
    cells: dict[str, list[Data]] = {zone: [] for zone in zones}
    for node in lane["nodes"]:
        cells[node["zone"]].append(node)
    return BoardLane(lane["title"], lane["progress"], lane["nodes"], state_counts(lane["nodes"]), cells)


class VersionRow(NamedTuple):
    """The machines with a version. leaving: how many are to leave it; goals: for which versions, the first three."""

    version: str
    machines: int
    leaving: int
    goals: Sequence[tuple[str, int]]


class VersionChart(NamedTuple):
    """How many machines have each version of a component. rest: the number of versions without a row."""

    title: str
    rows: Sequence[VersionRow]
    rest: int


class MachineFigures(NamedTuple):
    """The Machines of a report, those that need attention first. phases: the number of machines by phase."""

    machines: Sequence[Data]
    phases: Mapping[str, int]
    charts: Sequence[VersionChart]
    changing: int

    @classmethod
    def of(cls, machines: Sequence[Data]) -> MachineFigures:
        """Return the figures of the machines of a report."""
        counts = Counter(machine["phase"] for machine in machines)
        phases = [phase for phase in (*PHASES, *sorted(counts.keys() - PHASES.keys())) if counts[phase]]
        return cls(
            sorted(machines, key=_by_attention),
            {phase: counts[phase] for phase in phases},
            [*_charts("Kubelet", "kubelet", machines), *_charts("Container runtime", "runtime", machines)],
            sum(machine["action"] != "none" for machine in machines),
        )

    def square(self, phase: str) -> str:
        """Return the class of the square of a phase."""
        return PHASES.get(phase, ("unknown", ""))[0]

    def meaning(self, phase: str) -> str:
        """Return what a phase means, "" for an unknown phase."""
        return PHASES.get(phase, ("unknown", ""))[1]


def _by_attention(machine: Data) -> tuple[int, bool, list[tuple[int, str]]]:
    order = list(PHASES)
    position = order.index(machine["phase"]) if machine["phase"] in order else len(order)
    return position, machine["action"] == "none", natural_order(machine["name"])


def _charts(title: str, component: str, machines: Sequence[Data]) -> Iterator[VersionChart]:
    """Yield the chart of a component, unless no machine reports its version."""
    present: Counter[str] = Counter()
    goals: dict[str, Counter[str]] = {}
    for machine in machines:
        observed, desired = machine[component], machine[f"{component}_desired"]
        if observed:
            present[observed] += 1
            if desired:
                goals.setdefault(observed, Counter())[desired] += 1
    rows = []
    for version, count in sorted(present.items(), key=lambda item: (-item[1], item[0]))[:_MAX_VERSIONS]:
        of_version = goals.get(version, Counter())
        rows.append(VersionRow(version, count, sum(of_version.values()), of_version.most_common(3)))
    if rows:
        yield VersionChart(title, rows, max(0, len(present) - _MAX_VERSIONS))


class TimelineFigure(NamedTuple):
    """The timeline of a rollout. waves: its steps by the title of their wave."""

    timeline: Timeline
    waves: Mapping[str, Sequence[Step]]

    @classmethod
    def of(cls, rollout: Data, generated: datetime | None) -> TimelineFigure | None:
        """Return the timeline up to the time of the report, None if its times cannot be read."""
        entries = [TimelineEntry(**entry) for entry in rollout["timeline"]]
        timeline = timeline_of(entries, generated, has_ended=rollout["has_ended"])
        if timeline is None:
            return None
        waves: dict[str, list[Step]] = {wave: [] for wave in rollout["waves"]}
        first = next(iter(waves), "")
        for step in timeline.steps:
            waves.setdefault(step.wave or first, []).append(step)
        return cls(timeline, waves)

    @property
    def is_one_day(self) -> bool:
        """Return whether the rollout began and ended on the same day."""
        return self.timeline.start.date() == self.timeline.end.date()

    @property
    def activities(self) -> set[str]:
        """Return what the bars of the timeline stand for."""
        return {step.activity for step in self.timeline.steps[1:]}

    def place(self, step: Step) -> str:
        """Return the declaration of where the bar of a step is."""
        left, right = self.timeline.position(step.start), self.timeline.position(step.end or step.start)
        return f"left:min({left:.2%},100% - 6px);width:{right - left:.2%}"
