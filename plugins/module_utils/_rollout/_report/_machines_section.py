# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Machines of a report as HTML: phases, versions, and each machine. Pure. Private to configok.node."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from ._markup import Html, element, join
from ._node_grid import table
from ._sections import part
from ._stylesheet import StyleRules
from .pool_report import MachineEntry, natural_order

_MAX_VERSIONS: Final = 12  # rows of the chart; a cluster has a few
_MAX_OPEN: Final = 60  # machines that are shown without a disclosure
_MAX_ROWS: Final = 5000

# The phases in the order of a list of what needs attention, each with the class of its square and its meaning.
_PHASES: Final = {
    "Failed": ("failed", "the Node is not Ready, its config is refused, or a change failed"),
    "Provisioning": ("elsewhere", "no Node yet"),
    "Updating": ("pending", "a rollout changes it"),
    "Deleting": ("gone", "to be deleted"),
    "Running": ("ok", "the Node is Ready"),
}
_HEADS: Final = ("Machine", "Phase", "Kubelet", "Container runtime", "Config", "ConfigOK", "Next run", "Why")


def machines_section(machines: Sequence[MachineEntry], rules: StyleRules) -> Html:
    """Return the phases as a bar, the versions as a chart, and the machines as a table."""
    counts = Counter(machine.phase for machine in machines)
    rows = [_row(machine) for machine in sorted(machines, key=_by_attention)[:_MAX_ROWS]]
    full = table(_HEADS, rows, caption="Machines", classes="cards machines")
    if len(machines) > _MAX_OPEN:
        full = element("details", element("summary", "All machines as a table"), full)
    more = len(machines) - _MAX_ROWS
    rest = element("p", f"... and {more:,} more; configok.node.machines --check has them all.") if more > 0 else None
    changing = sum(machine.action != "none" for machine in machines)
    size = f"{len(machines):,} machine{'s' if len(machines) != 1 else ''}"
    hint = f"{size}; the next run would change {changing:,}."
    return part("machines", "Machines", _phases(counts, rules), _versions(machines, rules), full, rest, hint=hint)


def _by_attention(machine: MachineEntry) -> tuple[int, bool, list[tuple[int, str]]]:
    order = list(_PHASES)
    position = order.index(machine.phase) if machine.phase in order else len(order)
    return position, machine.action == "none", natural_order(machine.name)


def _square(phase: str) -> Html:
    return element("i", class_=_PHASES.get(phase, ("unknown", ""))[0], aria_hidden="true")


def _phases(counts: Mapping[str, int], rules: StyleRules) -> Html:
    shown = [phase for phase in (*_PHASES, *sorted(counts.keys() - _PHASES.keys())) if counts.get(phase)]
    phases = element(
        "div",
        *(
            element(
                "i", class_=f"{_PHASES.get(phase, ('unknown', ''))[0]} {rules.class_of(f'flex-grow:{counts[phase]}')}"
            )
            for phase in shown
        ),
        class_="bar",
        aria_hidden="true",
    )
    items = (
        element(
            "li",
            _square(phase),
            element("span", element("b", f"{counts[phase]:,}"), f" {phase}"),
            title_=_PHASES[phase][1] if phase in _PHASES else None,
        )
        for phase in shown
    )
    return join([phases, element("ul", *items, class_="legend")])


def _versions(machines: Sequence[MachineEntry], rules: StyleRules) -> Html:
    """Return how many machines have each version, and how many of them are to leave it."""
    kubelets = [(machine.kubelet, machine.kubelet_desired) for machine in machines]
    runtimes = [(machine.runtime, machine.runtime_desired) for machine in machines]
    return element(
        "div",
        *_chart("Kubelet", kubelets, len(machines), rules),
        *_chart("Container runtime", runtimes, len(machines), rules),
        class_="versions",
    )


def _chart(title: str, versions: Sequence[tuple[str, str]], total: int, rules: StyleRules) -> Iterable[Html]:
    present = Counter(observed for observed, _desired in versions if observed)
    leaving = Counter(observed for observed, desired in versions if observed and desired)
    targets: dict[str, Counter[str]] = {}
    for observed, desired in versions:
        if desired:
            targets.setdefault(observed, Counter())[desired] += 1
    if not present:
        return
    yield element("h3", title)
    for version, count in sorted(present.items(), key=lambda item: (-item[1], item[0]))[:_MAX_VERSIONS]:
        moves = leaving[version]
        bars = [
            element("b", class_=f"{kind} {rules.class_of(f'width:{number / total:.2%}')}")
            for kind, number in (("settled", count - moves), ("leaving", moves))
            if number
        ]
        goals = targets.get(version, Counter()).most_common(3)
        to = ", ".join(f"{'all' if number == count else f'{number:,}'} to {target}" for target, number in goals)
        yield element("span", version, class_="mono")
        yield element("div", *bars, class_="track", aria_hidden="true")
        yield element("span", f"{count:,}", element("span", f", {to}") if to else None, class_="count")
    more = len(present) - _MAX_VERSIONS
    if more > 0:
        yield element("span", f"and {more} more", class_="count")


def _row(machine: MachineEntry) -> Html:
    phase = element("span", _square(machine.phase), machine.phase, class_="state")
    return element(
        "tr",
        element("th", machine.name, scope="row", class_="mono"),
        element("td", phase),
        element("td", _version(machine.kubelet, machine.kubelet_desired), data_label="Kubelet"),
        element("td", _version(machine.runtime, machine.runtime_desired), data_label="Container runtime"),
        element("td", machine.config, class_="mono", data_label="Config"),
        element("td", machine.config_ok, data_label="ConfigOK"),
        element("td", "" if machine.action == "none" else machine.action, data_label="Next run"),
        element("td", machine.reason, class_="words", data_label="Why"),
    )


def _version(observed: str, desired: str) -> Html | str:
    if not desired:
        return observed
    arrow = f" \u2192 {desired}" if observed else desired
    return element("span", observed, element("span", arrow, class_="to"))
