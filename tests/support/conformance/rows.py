# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Evidence: a row for each case on each side, as JSON lines in a file and on the screen."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from support.api.binaries import find, release_of

__all__ = ["Case", "Rows"]


class Case:
    """The evidence of a case so far."""

    def __init__(self, starts: Callable[[], int]) -> None:
        self._starts = starts
        self.begin()

    def begin(self) -> None:
        """Count starts from here, after the preparation."""
        self.saw: list[str] = []
        self._before = self._starts()
        self._since = time.monotonic()

    def say(self, sentence: str) -> None:
        """Record a piece of evidence for the page."""
        self.saw.append(sentence)

    def rebooted(self) -> None:
        """Count from the boot: the machine no longer counts the starts before it."""
        self._before = 0

    def counted(self, restarts: int) -> None:
        """Add starts that were made for this case before it began."""
        self._before = self._starts() - restarts

    @property
    def restarts(self) -> int:
        """Return how often the kubelet was started since begin()."""
        return self._starts() - self._before

    @property
    def seconds(self) -> float:
        """The seconds since begin()."""
        return time.monotonic() - self._since


class Rows:
    """Collects rows; each is written as soon as its case ends."""

    def __init__(self, say: Callable[[str], None], path: Path) -> None:
        """say: prints a line."""
        self._say = say
        self._path = path
        self.rows: list[dict[str, Any]] = []
        path.parent.mkdir(exist_ok=True)
        path.write_text("")

    @contextmanager
    def case(self, name: str, side: str, starts: Callable[[], int]) -> Iterator[Case]:
        """Run a case; its row has the restarts of the kubelet as value. name: "E2", or "F1 evictionHard"."""
        case = Case(starts)
        try:
            yield case
        except BaseException as error:
            case.say(f"failed: {str(error).splitlines()[0] if str(error) else type(error).__name__}"[:300])
            self._keep(name, side, case, ok=False)
            raise
        self._keep(name, side, case, ok=True)

    def figure(
        self,
        section: str,
        case: str,
        value: float,
        unit: str,
        *,
        ok: bool,
        saw: Sequence[str] = (),
        name: str = "",
        details: Mapping[str, Any] | None = None,
    ) -> None:
        """Record a figure for the page's section of this name, which has no cases of restarts.

        name: the row's name; section and case if it is empty
        details: more for the page, as JSON-able data
        """
        row = {"name": name or f"{section} {case}", "value": value, "unit": unit, "ok": ok}
        more = {} if details is None else {"details": details}
        self._write({**row, "case": case, "side": section, "saw": list(saw), **more})
        self._say(f"{row['name']:60} {value:>6} {unit}  {'ok' if ok else 'FAILED'}")

    def _keep(self, name: str, side: str, case: Case, *, ok: bool) -> None:
        try:
            restarts = case.restarts
        except Exception:  # noqa: BLE001 - whatever a lost node raises, its row is written
            restarts = -1
        row = {
            "name": name if side == "configok" else f"{name} ({side})",
            "value": restarts,
            "unit": "restarts",
            "ok": ok,
            "case": name,
            "side": side,
            "seconds": round(case.seconds, 1),
            "saw": case.saw,
        }
        self._write(row)
        self._say(
            f"{row['name']:44} {restarts:>3} restarts {case.seconds:>6.1f} s  {'ok' if ok else 'FAILED'}  "
            + "; ".join(case.saw)
        )

    def _write(self, row: dict[str, Any]) -> None:
        row["kubernetes"] = release_of(find("kubelet"))
        self.rows.append(row)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
