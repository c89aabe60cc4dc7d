# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write docs/development/conformance.md from the rows that `make conformance` has left in build/conformance.jsonl.

    python tools/write_conformance.py

Exits with 1 and a message if there are no rows, if a case is unknown, or if a case has no row of ours.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from result_page import ROOT, Row, releases, table, write_page

ROWS = ROOT / "build" / "conformance.jsonl"
PAGE = ROOT / "docs/development/conformance.md"


class Known(NamedTuple):
    """The title of a case and the ancestor's behaviour, or the title of a section and its description."""

    title: str
    ancestor: str


_SCENARIOS: Mapping[str, Known] = {
    "E1": Known(
        "Every ordered pair of 13 states of the config source",
        "The API server rejects nine of them; a payload that does not parse or validate is found after a restart.",
    ),
    "E2": Known("A bad bundle after a last-known-good one, and back", "A restart to each: three."),
    "E3": Known("A bad key next to a good one", "Another key of the same ConfigMap: a restart to each."),
    "E4": Known("From one last-known-good to the next", "One restart for each; a crash in an early version."),
    "E5": Known("100 updates", "One restart for each; old checkpoints are never removed."),
    "E6": Known("Edits in place", "Each edit restarts every kubelet that uses the ConfigMap."),
    "E7": Known(
        "Edits in place of the last-known-good config", "Restarts to the bad edit, and back to its checkpoint."
    ),
    "E8": Known("Deleted and created again, good and bad", "A restart for each new object."),
    "E9": Known("The bundle is gone from the cluster", "Keeps running, with an error until it is created again."),
}
_GAPS: Mapping[str, Known] = {
    "G1": Known("The bundle is missing at the first assignment", "Polls for it every 10 to 12 s."),
    "G2": Known("Unassigned while in error", "The error stays until the next restart (F4)."),
    "G3": Known("Validates, and crashes the kubelet", "Becomes last-known-good (F1)."),
    "G4": Known("One of the node's own files is damaged", "The kubelet ends at every start (F3)."),
    "G5": Known("The files of last-known-good are missing", "The kubelet ends at every start (F3)."),
    "G6": Known("A reboot", "Uses what is assigned; its trial begins again with the first sync (F6)."),
    "G7": Known("The API server is down while the kubelet crashes", "No rollback without it, nor with it."),
    "G8": Known("Flags override the payload", "Silently."),
    "G9": Known("The trial is not over", "The age of a file, which every sync resets (F6)."),
    "G10": Known("A kubelet that exits with 0", "A unit with Restart=on-failure stays down."),
    "G11": Known("An empty value disables a default", "One restart for each, as for any change."),
    "G12": Known(
        "Dynamic Kubelet Configuration is turned on under the agent",
        "The kubelet uses its own ConfigMap and ignores the file.",
    ),
}
_FAULTS: Mapping[str, Known] = {
    "F1": Known("A config in a crash loop becomes last-known-good", "Yes, permanently, after ten minutes."),
    "F2": Known("Gaps of validation", "The kubelet exits."),
    "F3": Known("Damaged records are fatal", "At every start, until they are removed by hand."),
    "F4": Known("The error outlives its cause", "Until the next restart."),
    "F5": Known("A status that could not be written is not written again", "Stale until the next change."),
    "F6": Known(
        "Every sync begins the trial again", "A kubelet that restarts often never completes its trial. Ours: G9."
    ),
    "F7": Known("A checkpoint is trusted, and never removed", "A damaged one stays so until the ConfigMap changes."),
    "F8": Known("A missing ConfigMap is polled for without backoff", "Every 10 to 12 s from each node."),
    "F9": Known("Any edit of metadata restarts", "All kubelets that use the ConfigMap, at once."),
    "F10": Known("It exits with code 0", "Whether it comes back is up to the unit. Ours: G10."),
    "F11": Known("A kubelet without its directory says nothing", "The assignment is silently ignored."),
    "F12": Known(
        "The payload replaces the whole config, and flags silently override it",
        "The local config is lost while a payload is in use.",
    ),
    "F13": Known("Feature gates leak in from the local config", "A payload validates by gates that it does not have."),
    "F14": Known("Unknown fields are accepted", "With a warning in the log."),
    "F15": Known("Relative paths change with every version", "They are relative to the checkpoint's directory."),
    "F16": Known("Metrics disappeared unnoticed in one version", "For all nodes."),
    "F17": Known("The table of path fields is wrong by one", "In a test of it."),
    "F18": Known("No pinning, dry run, hash or size guard", "The newest version of a ConfigMap wins."),
}
GROUPS: Mapping[str, Mapping[str, Known]] = {
    "The ancestor's own scenarios": _SCENARIOS,
    "What its tests left out": _GAPS,
    "Its known faults": _FAULTS,
}

# The most important properties, with the cases that show them.
FIRST = {
    "A config that validates and then kills the kubelet is never promoted, and is rolled back.": ("F1", "G3"),
    "A node whose agent files are damaged still starts its kubelet.": ("F3", "G4", "G5"),
    "An invalid config costs no restart of the kubelet.": ("E1", "E2", "F2"),
}
# Sections that consist of figures, with their description; a row's side is the name of its section.
SECTIONS: Mapping[str, Known] = {
    "oracle": Known(
        "The real kubelet as oracle",
        "Configs made by field, by rule, at random and with YAML edge cases are given to the real kubelet of the "
        "release above and to our validation for it with the facts of its host. They agree if both accept or both "
        "refuse the config.",
    ),
    "options": Known(
        "The real control plane as oracle",
        "Each flag of a component with good and bad values, and sets of flags by chance, are given to the real "
        "component of the release above, which reads its flags and ends, and to our validation of ComponentOptions for "
        "it. They agree if both accept or both refuse the set.",
    ),
    "verdicts": Known(
        "Recorded verdicts of newer releases",
        "The Go code of each release was asked about 43,000 files; "
        "[the data](../../tests/support/verdicts/data/README.md) have its verdicts. "
        "The table has the share that our validation agrees with, in percent, by kind and minor. A file that a "
        "component accepts, and that then ends its process as our validation says, counts as agreement: the record "
        "ends before the start. A verdict that is not upstream's does not count.",
    ),
    "migration": Known(
        "Flags moved to a file",
        "The real kubelet is started with flags, and again with the file that `migrate` makes of them. Where it is "
        "available, kube-proxy writes the config that it makes of each of its flags and of that file.",
    ),
    "release-data": Known(
        "Data of a release from its binaries",
        "The components of the release above are asked for their feature gates, flags and defaults, as "
        "`release-data` asks those of a release that the data do not cover. The share is what the data have as well.",
    ),
    "profiles": Known("Profiles on the real kubelet", "The real kubelet is started with each profile."),
}
# Cases that are shown by another case.
ELSEWHERE = {"F6": "G9", "F10": "G10", "F17": "F15"}
# Cases that need the ancestor, which Kubernetes had until this minor.
NEED_ANCESTOR = {"G12"}
_LAST_ANCESTOR = 23
_MANY = 3  # a case in FIRST with more scenarios only refers to them

HEAD = """\
# Conformance with the ancestor

<!-- Written by make conformance from build/conformance.jsonl: change tools/write_conformance.py. -->

The kubelet of Kubernetes 1.20 had Dynamic Kubelet Configuration. `make conformance` runs the scenarios that it was
tested with (E), those that its tests omitted (G) and its known faults (F) against `configok-agent`, with a real
kubelet, systemd and API server. Where a comparison is useful, the same kubelet also runs with `--dynamic-config-dir`;
text in *italics* was measured in the same run. The ancestor's states are those of the config source here,
its in-place edits are edits of the ConfigMap, and its trial clock, the age of a file, was set back instead of waiting
for ten minutes.

A value that validation refuses never reaches the rollback. Each such value is therefore also given to an agent whose
validation is disabled (F1, *rolled back*). G3 is a value that validation accepts, and that crashes this kubelet.
"""


def page(rows: Iterable[Row]) -> str:
    """Return the page. Raises ValueError for a row of an unknown case, or a case without a row of ours."""
    rows = list(rows)
    ours: dict[str, list[Row]] = {name: [] for cases in GROUPS.values() for name in cases}
    ancestor: dict[str, list[Row]] = {name: [] for name in ours}
    figures: dict[str, list[Row]] = {section: [] for section in SECTIONS}
    for row in rows:
        if row["side"] in figures:
            figures[row["side"]].append(row)
            continue
        name = str(row["case"]).replace(",", " ").split()[0]
        if name not in ours:
            raise ValueError(f"the row {row['name']} is of no case in tools/write_conformance.py")
        (ours if row["side"] == "configok" else ancestor)[name].append(row)
    needless = set() if _has_ancestor(rows) else NEED_ANCESTOR
    missing = [name for name in sorted(set(ours) - needless) if not ours[ELSEWHERE.get(name, name)]]
    if missing:
        raise ValueError(f"there is no row of {', '.join(missing)}")
    lines = [HEAD, _releases(rows) + _summary(ours, ancestor), "", "## What matters most", ""]
    for sentence, names in FIRST.items():
        scenarios = [_first_line(row, ancestor[name]) for name in names for row in ours[name]]
        columns = ["", "configok", "restarts", "the ancestor, on the same kubelet"]
        lines += [f"**{sentence}**", "", *table(columns, scenarios, numbers=[2])]
    for group, cases in GROUPS.items():
        results = [_line(name, case, ours[name], ancestor[name]) for name, case in cases.items()]
        columns = ["case", "", "the ancestor", "configok", "restarts"]
        lines += [f"## {group}", "", *table(columns, results, numbers=[4])]
    for section, measured in figures.items():
        lines += _section(SECTIONS[section], measured) if measured else []
    return "\n".join(lines)


def _has_ancestor(rows: Iterable[Row]) -> bool:
    """Return whether a release that the rows were measured with has the ancestor."""
    return any(int(release.split(".")[1]) <= _LAST_ANCESTOR for release in releases(rows).split(", ") if release)


def _releases(rows: Iterable[Row]) -> str:
    named = releases(rows)
    if not named:
        raise ValueError("no row says which Kubernetes it was measured with")
    return f"This page is of a run with kubelet and API server of Kubernetes {named}, and shows no more.\n"


def _section(known: Known, rows: Sequence[Row]) -> list[str]:
    if any("details" in row for row in rows):
        return [f"## {known.title}", "", known.ancestor, "", *_shares(rows), *_causes(rows)]
    lines = ([_cell(row["case"]), f"{row['value']} {row['unit']}{_verdict(row)}", _saw(row)] for row in rows)
    return [f"## {known.title}", "", known.ancestor, "", *table(["", "", ""], lines, numbers=[1])]


def _shares(rows: Iterable[Row]) -> list[str]:
    """Return the table of the shares that agree, by kind and minor."""
    minors = {row["case"]: row["details"]["shares"] for row in rows if "shares" in row["details"]}
    kinds = sorted({kind for shares in minors.values() for kind in shares}, key=str.lower)
    lines = [[kind, *(_percent(shares.get(kind)) for shares in minors.values())] for kind in kinds]
    total = {row["case"]: f"{_percent(row['value'])}{_verdict(row)}" for row in rows if row["case"] in minors}
    return table(["", *minors], [*lines, ["all", *total.values()]], numbers=range(1, len(minors) + 1))


def _percent(share: float | None) -> str:
    """Return a share as a percentage that is never rounded up to 100."""
    return "" if share is None else f"{math.floor(share * 10000) / 100:g}"


def _causes(rows: Iterable[Row]) -> list[str]:
    """Return a table for each category of causes of disagreements, with their numbers by minor."""
    categories: dict[str, list[list[object]]] = {}
    for row in rows:
        if "category" in row["details"]:
            line = [_cell(row["case"]), row["value"], _by_minor(row["details"]["minors"])]
            categories.setdefault(row["details"]["category"], []).append(line)
    return [
        line
        for category, lines in categories.items()
        for line in (f"The verdicts differ: {category}.", "", *table(["cause", "verdicts", "by minor"], lines, [1]))
    ]


def _by_minor(numbers: Mapping[str, int]) -> str:
    """Return numbers by minor as text; neighbours with the same number are a range: 1.25 to 1.30: 7; 1.31: 8."""
    groups = [(number, [minor for minor, _number in run]) for number, run in groupby(numbers.items(), itemgetter(1))]
    return "; ".join(
        f"{minors[0]}: {number}" if len(minors) == 1 else f"{minors[0]} to {minors[-1]}: {number} each"
        for number, minors in groups
    )


def _summary(ours: Mapping[str, Sequence[Row]], ancestor: Mapping[str, Sequence[Row]]) -> str:
    scenarios = [row for rows in ours.values() for row in rows]
    passed = sum(bool(row["ok"]) for row in scenarios)
    compared = sum(len(rows) for rows in ancestor.values())
    return (
        f"**{passed} of {len(scenarios)} scenarios passed**, of {len(ours)} cases; "
        f"{compared} of them with the ancestor on the same kubelet.\n"
        "The restarts are those of our kubelet, with those that an adoption takes."
    )


def _first_line(row: Row, ancestor: Sequence[Row]) -> list[object]:
    compared = [_saw(measured) for measured in ancestor if _is_same_scenario(row, measured)]
    return [row["case"], f"{_saw(row)}{_verdict(row)}", row["value"], "; ".join(compared)]


def _is_same_scenario(row: Row, ancestor: Row) -> bool:
    """Return whether our row's case begins with the words of the ancestor's."""
    words = str(ancestor["case"]).split()
    return str(row["case"]).replace(",", " ").split()[: len(words)] == words


def _line(name: str, case: Known, ours: Sequence[Row], ancestor: Sequence[Row]) -> list[object]:
    measured = dict.fromkeys(_saw(row) for row in ancestor)  # each once
    before = case.ancestor + "".join(f" *{text}.*" for text in measured)
    if not ours:
        where = f"see {ELSEWHERE[name]}" if name in ELSEWHERE else "not run: this release no longer has the ancestor"
        return [name, case.title, before, where, ""]
    result = "<br>".join(_result(name, row) for row in ours)
    if len(ours) > _MANY and any(name in names for names in FIRST.values()):
        result = "see [above](#what-matters-most)" + "".join({_verdict(row) for row in ours})
    return [name, case.title, before, result, sum(row["value"] for row in ours)]


def _result(name: str, row: Row) -> str:
    rest = str(row["case"]).removeprefix(name).strip(" ,")
    return (f"{rest}: " if rest and rest not in ELSEWHERE else "") + _saw(row) + _verdict(row)


def _verdict(row: Row) -> str:
    return "" if row["ok"] else " **not so**"


def _saw(row: Row) -> str:
    return _cell("; ".join(row["saw"]))


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


if __name__ == "__main__":
    sys.exit(write_page(PAGE, ROWS, page, "make conformance"))
