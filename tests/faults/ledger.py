# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records the result of every case, for the screen, build/faults.jsonl, and docs/development/faults.md."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from faults.catalogue import place_of, theme_of
from faults.invariants import INVARIANTS, Expected, Observation, violations
from support.api.binaries import find, release_of

__all__ = ["Case", "Ledger", "TooManyFailures", "summary"]

_ENOUGH = 5  # the most failing cases of one test; more of them add no information


class TooManyFailures(AssertionError):
    """Raised to stop an enumeration with too many failures."""


class Key(NamedTuple):
    """A line of the table."""

    where: str
    fault: str
    phase: str
    theme: str


class Counts:
    """The number of cases of a line."""

    def __init__(self) -> None:
        self.cases = 0
        self.failed: list[str] = []
        self.invariants: set[str] = set()


class Case:
    """One fault in one phase; ``check`` compares the observations after it."""

    def __init__(self, key: Key, detail: str) -> None:
        self.key = key
        self.detail = detail
        self.violations: list[str] = []
        self.invariants: set[str] = set()

    def check(self, expected: Expected, observation: Observation) -> None:
        """Check all invariants."""
        self.invariants.update(INVARIANTS)
        if not expected.doomed:
            self.invariants.discard("I3")
        self.violations += violations(expected, observation)

    def holds(self, invariant: str, condition: bool, sentence: str) -> None:
        """Check an invariant, or with "" another property, by the case's own condition."""
        if invariant:
            self.invariants.add(invariant)
        if not condition:
            self.violations.append(f"{invariant}: {sentence}" if invariant else sentence)


class Ledger:
    """All cases and figures of one run."""

    def __init__(self) -> None:
        self.say: Callable[[str], object] = str  # reports a failing case immediately: a run may take half an hour
        self.counts: dict[Key, Counts] = {}
        self.figures: list[dict[str, Any]] = []
        self.failures: list[str] = []  # since the current test began

    @contextmanager
    def case(self, where: str, fault: str, phase: str, detail: str = "") -> Iterator[Case]:
        """Count a case, and record its violations; stop the test after too many failing cases.

        Raises ValueError for a fault that is not in the catalogue.
        """
        case = Case(Key(where, fault, phase, theme_of(fault)), detail)
        try:
            yield case
        except Exception as error:  # noqa: BLE001 - a case that cannot even be run has failed, the others go on
            case.violations.append(f"{type(error).__name__}: {error}")
        except BaseException as error:
            if type(error).__name__ != "Failed":  # pytest.fail: not an Exception
                raise
            case.violations.append(str(error))
        line = self.counts.setdefault(case.key, Counts())
        line.cases += 1
        line.invariants |= case.invariants
        if case.violations:
            sentence = f"{where}: {fault}, {phase} {detail}: " + "; ".join(case.violations)
            line.failed.append(sentence)
            self.failures.append(sentence)
            self.say(f"FAILED {sentence}")
            if len(self.failures) >= _ENOUGH:
                raise TooManyFailures(f"{len(self.failures)} cases failed, the rest is not run")

    def figure(
        self, name: str, value: float, unit: str, *, most: float | None = None, least: float | None = None
    ) -> None:
        """Record a measured figure with its limits."""
        ok = (most is None or value <= most) and (least is None or value >= least)
        self.figures.append(
            {"name": name, "value": round(value, 3), "unit": unit, "ok": ok, "most": most, "least": least}
        )
        if not ok:
            self.failures.append(f"{name}: {value:.3f} {unit}, allowed are at least {least} and at most {most}")

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows: one for each fault, place and phase, then the figures."""
        lines = []
        for key, line in sorted(self.counts.items(), key=lambda item: (place_of(item[0].fault), item[0])):
            row = {
                "name": "/".join((key.where, key.fault, key.phase)),
                "value": line.cases,
                "unit": "cases",
                "ok": not line.failed,
                **key._asdict(),
            }
            if key.where in ("real kubelet", "real control plane"):
                row["kubernetes"] = release_of(find("kubelet"))
            lines.append({**row, "failed": len(line.failed), "invariants": sorted(line.invariants)})
        return lines + self.figures

    def write(self, path: Path) -> None:
        """Write the rows as JSON lines."""
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(json.dumps(row) + "\n" for row in self.rows()), encoding="utf-8")


def summary(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the closing line."""
    cases = [row for row in rows if row["unit"] == "cases"]
    total, failed = (sum(row[what] for row in cases) for what in ("value", "failed"))
    faults = len({row["fault"] for row in cases})
    figures = [f"{row['name']} {row['value']:g} {row['unit']}" for row in rows if row["unit"] != "cases"]
    return "; ".join(
        [f"faults: {total} cases of {faults} faults, {failed} failed", *([", ".join(figures)] if figures else [])]
    )
