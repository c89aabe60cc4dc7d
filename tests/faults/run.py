# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run all faults, those on real kubelets in parallel with the others, and write build/faults.jsonl.

    python -m faults.run [--quick] [arguments for pytest]

Machines mostly wait, so both parts together take as long as the longer one. The last line is a summary. Exits with 1
if a case failed, or if a full run missed a fault of the catalogue.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from faults.catalogue import missing, place_of
from faults.ledger import summary
from support.session.guard import guard
from support.session.suites import Suite

__all__ = ["main", "merged"]

_HERE = Path(__file__).resolve().parent
_BUILD = _HERE.parents[1] / "build"
_REAL = "test_real_*.py"


def main(arguments: Sequence[str]) -> int:
    """Run both parts; return the exit code."""
    began = time.monotonic()
    quick = "--quick" in arguments
    options = [*(["-m", "quick"] if quick else []), *(argument for argument in arguments if argument != "--quick")]
    real = sorted(_HERE.glob(_REAL))
    others = sorted(set(_HERE.glob("test_*.py")) - set(real))
    _BUILD.mkdir(exist_ok=True)
    parts = [_Part("real kubelet", real, options), _Part("others", others, options)]
    codes = [part.wait() for part in parts]
    rows = merged(part.rows() for part in parts)
    (_BUILD / ("faults-quick.jsonl" if quick else "faults.jsonl")).write_text(
        "".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8"
    )
    # Without machines their tests are skipped with a reason, and their faults are not required.
    whole = not quick and all(part.rows() for part in parts)
    left_out = missing(row["fault"] for row in rows if "fault" in row) if whole else []
    if left_out:
        print(f"faults: not injected: {', '.join(left_out)}", file=sys.stderr)
    print(f"{summary(rows)}; {time.monotonic() - began:.0f} s")
    return 1 if any(codes) or left_out or not all(row["ok"] for row in rows) else 0


def merged(parts: Any) -> list[dict[str, Any]]:
    """Return the rows of all parts: the cases in the order of the catalogue, then the figures."""
    rows = [row for part in parts for row in part]
    cases = [row for row in rows if row["unit"] == "cases"]
    cases.sort(key=lambda row: (place_of(row["fault"]), row["where"], row["phase"]))
    return cases + [row for row in rows if row["unit"] != "cases"]


class _Part:
    """A pytest process, whose lines are shown as they arrive."""

    def __init__(self, name: str, files: Sequence[Path], options: Sequence[str]) -> None:
        self._rows = _BUILD / f"faults-{name.replace(' ', '-')}.jsonl"
        self._rows.unlink(missing_ok=True)
        command = [sys.executable, "-m", "pytest", "-vv", "--tb=short", *options, *map(str, files)]
        self._suite = Suite(name, command, environment={"CONFIGOK_FAULTS_ROWS": str(self._rows)})

    def wait(self) -> int:
        """Wait until it ends; return pytest's exit code."""
        return self._suite.wait()

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows that it has written."""
        if not self._rows.exists():
            return []
        return [json.loads(line) for line in self._rows.read_text(encoding="utf-8").splitlines()]


if __name__ == "__main__":
    guard()
    sys.exit(main(sys.argv[1:]))
