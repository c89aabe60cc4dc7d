# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run what CI runs, in three lanes at the same time, and close with one line of figures.

    python tools/run_tests.py [arguments for pytest]

From the checkout, by `make test`, which prepares what the suites need. One lane has the suites with real nodes, which
mostly wait; one has those that compute, and one the static checks, most of whose time is one process after another. The
suites of a lane run in turn: two of them would share the addresses and the inotify instances of the test nodes. On a
machine with one processor the lanes do so too. What runs on real nodes has limits in time, so the other lanes give way
to it. Every line begins with the name of its suite. All suites run, whatever the others find; tests that are marked as
slow are left to `make unit` and `make integration`. The exit code is 1 if one of them fails.

Within `control`, `unit` and `integration`, workers run tests side by side: as many as there are processors, and half as
many again for the integration tests, which mostly wait. A run that is ended, even by SIGKILL, ends its suites and all
that they have started.
"""

from __future__ import annotations

import os
import shlex
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from support.session.guard import guard  # noqa: E402 - in tests, which is not installed
from support.session.suites import Suite  # noqa: E402 - in tests, which is not installed

PYTEST = (sys.executable, "-m", "pytest")
INTEGRATION = "tests/integration"
ON_NODES = (f"{INTEGRATION}/machines", f"{INTEGRATION}/nodes")
MAKE = ("make", "--no-print-directory")
OLDEST = ".venv-oldest"  # has the oldest Python and ansible-core
_EXAMPLES = "0.5"  # of those that Hypothesis tries in `make unit`
_GIVING_WAY = ("nice", "-n5")  # a third of the processor time of one that does not


@dataclass
class Lane:
    """Suites that run in turn: name and command of each."""

    name: str
    commands: dict[str, Sequence[str]]
    gives_way: bool = False
    ended: dict[str, tuple[int, Suite]] = field(default_factory=dict)
    seconds: float = 0.0
    is_stopped: bool = False  # no other suite is to be started

    def run(self) -> None:
        """Run all suites."""
        began = time.monotonic()
        for name, command in self.commands.items():
            if self.is_stopped:
                return
            nice = _GIVING_WAY if self.gives_way else ()
            suite = Suite(name, (*nice, *command), label=f"{name:14}", environment=_environment())
            self.ended[name] = (suite.wait(), suite)
        self.seconds = time.monotonic() - began


def lanes(arguments: Sequence[str]) -> list[Lane]:
    """Return all lanes. arguments: for every pytest."""
    others = [f"--ignore={path}" for path in ON_NODES]
    quick = ("-m", "not slow")
    workers = _processors()
    unit = ["tests/unit", *(f"--ignore={path}" for path in _tested_by_control())]
    return [
        Lane("static", {"lint": (sys.executable, "tools/lint.py")}, gives_way=True),
        Lane(
            "compute",
            {
                "control": (
                    *(*MAKE, "control", f"CONTROL_VENVS={OLDEST}"),
                    *(f"WORKERS={workers}", f"PYTEST={shlex.join(arguments)}"),
                ),
                "unit": (*PYTEST, f"-n{workers}", *arguments, *quick, *unit),
                "integration": (
                    *(*PYTEST, f"-n{workers + (workers + 1) // 2}"),
                    *(*arguments, *quick, INTEGRATION, *others),
                ),
            },
            gives_way=True,
        ),
        Lane(
            "nodes",
            {
                "molecule": (*MAKE, "molecule-quick"),
                "nodes": (*PYTEST, *arguments, *quick, *ON_NODES),
                "faults": (sys.executable, "-m", "faults.run", "--quick"),
                "conformance": (*PYTEST, *arguments, "-m", "quick", "tests/conformance"),
            },
        ),
    ]


def main(arguments: Sequence[str]) -> int:
    """Run all lanes; return the exit code."""
    began = time.monotonic()
    all_lanes = lanes(arguments)
    if _processors() > 1:
        _run_together(all_lanes)
    else:
        for lane in all_lanes:
            lane.run()
    return _report(all_lanes, time.monotonic() - began)


def _run_together(all_lanes: Sequence[Lane]) -> None:
    threads = [threading.Thread(target=lane.run, name=f"lane {lane.name}") for lane in all_lanes]
    for thread in threads:
        thread.start()
    try:
        for thread in threads:
            thread.join()
    except KeyboardInterrupt:  # the terminal has sent it to the suites too: wait until they have cleaned up
        for lane in all_lanes:
            lane.is_stopped = True
        for thread in threads:
            thread.join()
        raise


def _report(all_lanes: Sequence[Lane], seconds: float) -> int:
    """Print the end of what failed suites said, a line for each suite and each failed test, and the closing line."""
    ended = [(name, code, suite) for lane in all_lanes for name, (code, suite) in lane.ended.items()]
    failed_suites = [(name, suite) for name, code, suite in ended if code]
    for name, suite in failed_suites:
        print(f"\ntest: the last lines of {name}:\n" + "\n".join(f"  {line}" for line in suite.lines))
    print()
    for name, code, suite in ended:
        last = next((line for line in reversed(suite.lines) if line.strip()), "")
        state, used = f"FAILED ({code})" if code else "ok", suite.processor_seconds
        print(f"test: {name:14} {state:12} {suite.seconds:5.0f} s, {used:5.0f} s of processors   {last.strip()}")
    for name, suite in failed_suites:
        for test in suite.failed_tests:
            print(f"test: {name:14} {test}")
    durations = ", ".join(f"{lane.name} {lane.seconds:.0f} s" for lane in all_lanes)
    failed = [name for name, _suite in failed_suites]
    which = f": {', '.join(failed)}" if failed else ""
    print(f"test: {len(ended) - len(failed)} suites ok, {len(failed)} failed{which}; {seconds:.0f} s ({durations})")
    return 1 if failed else 0


def _tested_by_control() -> list[str]:
    """Return the folders of unit tests that the suite control runs."""
    return os.environ.get("CONTROL", "").split() if (ROOT / OLDEST / ".made").exists() else []


def _environment() -> dict[str, str]:
    paths = [os.environ.get("PYTHONPATH", ""), str(ROOT / "tests")]  # faults.run is there
    examples = os.environ.get("CONFIGOK_FUZZ", _EXAMPLES)
    return {"PYTHONPATH": os.pathsep.join(path for path in paths if path), "CONFIGOK_FUZZ": examples}


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


if __name__ == "__main__":
    os.chdir(ROOT)
    guard()
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        print("test: interrupted", file=sys.stderr)
        sys.exit(130)
