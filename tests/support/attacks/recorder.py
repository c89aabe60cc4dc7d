# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes two rows for each attempt of an attack: with the layer off, where it must succeed, and with the layer on."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, NamedTuple

from support.attacks.catalogue import Layer, attack_named

__all__ = ["Attempt", "Recorder", "Result", "summary"]

Side = Literal["off", "on"]


class Result(NamedTuple):
    """What an attempt did. harmed: how many of a total of units, such as "nodes". saw: a sentence for the table."""

    harmed: int
    total: int
    unit: str
    saw: str


class Attempt:
    """The results of one attack against one layer."""

    def __init__(self) -> None:
        self.results: dict[Side, Result] = {}
        self.evaluated = False  # the layer was not there: its rules were evaluated by the test

    def off(self, harmed: int, total: int, unit: str, saw: str) -> None:
        """Record what happens without the layer."""
        self.results["off"] = Result(harmed, total, unit, saw)

    def on(self, harmed: int, total: int, unit: str, saw: str, *, evaluated: bool = False) -> None:
        """Record what happens with the layer."""
        self.results["on"] = Result(harmed, total, unit, saw)
        self.evaluated = evaluated


class Recorder:
    """Collects rows; each attempt is written as soon as it ends."""

    def __init__(self, path: Path, say: Callable[[str], object] = str) -> None:
        """say: prints a line for each row that is not as expected."""
        self.path = path
        self.say = say
        self.apiserver = ""
        self.rows: list[dict[str, Any]] = []

    @contextmanager
    def attempt(self, name: str, layer: Layer) -> Iterator[Attempt]:
        """Record an attempt, and check that it succeeds without the layer and with it is as the catalogue says."""
        attack = attack_named(name)
        stops = layer in attack.stopped_by
        if not stops and layer not in attack.not_stopped_by:
            raise KeyError(f"the catalogue does not have the layer {layer} for {name}")
        attempt = Attempt()
        try:
            yield attempt
        except BaseException as error:
            self._keep(name, layer, "off", Result(0, 0, "", f"failed: {type(error).__name__}"), ok=False)
            raise
        (off, on) = attempt.results["off"], attempt.results["on"]
        is_open = off.harmed == off.total > 0
        holds = (on.harmed == 0 if stops else on.harmed == on.total) and on.total > 0
        self._keep(name, layer, "off", off, ok=is_open)
        self._keep(name, layer, "on", on, ok=holds, evaluated=attempt.evaluated)
        if not is_open:
            raise AssertionError(f"{name}: without {layer} it succeeds against {off.harmed} of {off.total}: {off.saw}")
        if not holds:
            raise AssertionError(f"{name}: with {layer} it succeeds against {on.harmed} of {on.total}: {on.saw}")

    def _keep(self, name: str, layer: Layer, side: Side, result: Result, *, ok: bool, evaluated: bool = False) -> None:
        row = {
            "name": f"{name}: {layer} {side}",
            "value": result.harmed,
            "unit": result.unit,
            "ok": ok,
            "attack": name,
            "layer": layer,
            "side": side,
            "total": result.total,
            "saw": result.saw,
            "evaluated": evaluated,
            "apiserver": self.apiserver,
        }
        if not self.rows:
            self.path.parent.mkdir(exist_ok=True)
            self.path.write_text("")
        self.rows.append(row)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        if not ok:
            self.say(f"FAILED {row['name']}: {result.harmed} of {result.total} {result.unit}: {result.saw}")


def summary(rows: list[dict[str, Any]]) -> str:
    """Return the closing line."""
    failed = sum(not row["ok"] for row in rows)
    attempts = len({(row["attack"], row["layer"]) for row in rows})
    evaluated = len({row["attack"] for row in rows if row["evaluated"]})
    text = f"attacks: {attempts} attempts of {len({row['attack'] for row in rows})} attacks, {failed} failed"
    if evaluated:
        text += (
            f"; NOT RUN with admission policies: {evaluated} attacks, because Kubernetes {rows[0]['apiserver']} has "
            "none (1.30 and newer have them): their expressions were evaluated on the recorded requests"
        )
    return text
