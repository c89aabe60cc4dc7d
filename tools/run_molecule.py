# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run Molecule scenarios, report each action and its result, and print a summary.

    python tools/run_molecule.py [SCENARIO...]      the default is all scenarios

Run it from the checkout, with molecule on PATH. The output of the playbooks is in build/molecule/log; its end is shown
when an action fails. The exit code is molecule's, or 1 if an action failed, or 128 plus the signal's number if a signal
ended the run: an interrupt, or SIGALRM when it took too long. The test nodes are always removed. Several checkouts may
run at once, since each run has a testbed of its own; in one checkout a second run ends at once, with 2.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Sequence
from contextlib import closing
from pathlib import Path
from types import FrameType

import yaml

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from support.session.guard import guard, unmarked_environment  # noqa: E402 - in tests, which is not installed

SCENARIOS = ROOT / "extensions/molecule"
MACHINES = ROOT / "tests/support/bin/machines"
LOG = ROOT / "build/molecule/log"
STATE = ROOT / "build/molecule/state"
LOCK = ROOT / "build/molecule/lock"
TESTBED = f"molecule-{os.getpid()}"
SHOWN = 60  # lines of the log, of an action that failed
LIMIT = 1800  # seconds for a scenario, on average; the slowest takes about 900 on two cores
GRACE = 15  # seconds for Molecule to exit after a signal
STOPS = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated", signal.SIGALRM: "took too long"}

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_BEGUN = re.compile(r"^\w+ +(?P<scenario>\S+) ➜ (?P<action>[^:]+): Executing")
_ENDED = re.compile(r"^\w+ +(?P<scenario>\S+) ➜ (?P<action>[^:]+): Executed: (?P<state>\w+)")


class Stopped(BaseException):
    """Raised when a signal ends the run; the first argument is the exit code."""


def lines(names: Sequence[str]) -> Generator[str, None, None]:
    """Run Molecule and yield the lines that it prints, without colours; the last item is its exit code.

    Closing the generator ends Molecule.
    """
    command = ["molecule", "test"]
    for name in names:
        command += ["--scenario-name", name]
    environment = {
        **os.environ,
        "MOLECULE_EPHEMERAL_DIRECTORY": str(STATE),
        # For default/create.yml: the testbed's name, the nodes to start, and the process with which they end, even if
        # it is killed.
        "NODES_NAME": TESTBED,
        "SCENARIO_NODES": ",".join(nodes(names)),
        "NODES_UNTIL": str(os.getpid()),
    }
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        # A terminal's interrupt must reach only this process, which then ends Molecule.
        start_new_session=True,
    ) as running:
        try:
            for line in running.stdout or ():
                yield _COLOUR.sub("", line.rstrip("\n"))
            yield str(running.wait())
        finally:
            end(running)


def end(running: subprocess.Popen[str]) -> None:
    """End Molecule, and the playbook that it runs."""
    for kind in (signal.SIGINT, signal.SIGKILL):
        if running.poll() is None:
            os.killpg(running.pid, kind)
            try:
                running.wait(GRACE)
            except subprocess.TimeoutExpired:
                pass


def nodes(names: Sequence[str]) -> list[str]:
    """Return the nodes that these scenarios use, or an empty list for all nodes."""
    union: list[str] = []
    for name in names:
        text = (SCENARIOS / name / "molecule.yml").read_text(encoding="utf-8")
        used = ((yaml.safe_load(text) or {}).get("ansible") or {}).get("env", {}).get("SCENARIO_NODES")
        if used is None:
            return []
        union += [node for node in used.split(",") if node not in union]
    return union


def main(names: Sequence[str]) -> int:
    """Run the scenarios, or all; return the exit code."""
    # The scenario `default` only has the nodes, which Molecule starts before and removes after all other scenarios.
    scenarios = sorted(path.parent.name for path in SCENARIOS.glob("*/molecule.yml") if path.parent.name != "default")
    unknown = [name for name in names if name not in scenarios]
    if unknown:
        print(f"molecule: there is no scenario {', '.join(unknown)}: there are {', '.join(scenarios)}")
        return 2
    names = names or scenarios
    LOCK.parent.mkdir(parents=True, exist_ok=True)
    with LOCK.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # the system releases it when this process ends
        except BlockingIOError:
            print("molecule: another run uses build/molecule in this checkout: wait until it has ended")
            return 2
        return _run(names)


def _run(names: Sequence[str]) -> int:
    # Molecule would reuse the state of an earlier run that was killed.
    shutil.rmtree(STATE, ignore_errors=True)
    STATE.mkdir(parents=True)
    begin = since = time.monotonic()
    ended: list[tuple[str, bool]] = []
    shown: list[str] = []
    for number in STOPS:
        signal.signal(number, _stop)
    signal.alarm(LIMIT * len(names))
    try:
        with LOG.open("w", encoding="utf-8", buffering=1) as log, closing(lines(names)) as output:
            for line in output:
                log.write(line + "\n")
                shown.append(line)
                begun, done = _BEGUN.match(line), _ENDED.match(line)
                if begun:
                    print(f"molecule: {begun['scenario']} {begun['action']}:", end=" ", flush=True)
                    since = time.monotonic()
                if done:
                    good = done["state"] == "Successful"
                    ended.append((done["scenario"], good))
                    print(f"{done['state'].lower()} ({time.monotonic() - since:.0f} s)", flush=True)
                    if not good:
                        print("\n".join(shown[-SHOWN:]), flush=True)
                    shown = []
        code = int(line)
    except Stopped as stopped:
        code = stopped.args[0]
        print(f"{STOPS[code - 128]}: see {LOG.relative_to(ROOT)}", flush=True)
        shown = []
    finally:
        signal.alarm(0)
        # After the end of `make`, too, when the guard ends everything else.
        command = [str(MACHINES), "down", TESTBED]
        subprocess.run(command, stdin=subprocess.DEVNULL, env=unmarked_environment(), check=False)
    if code and shown and all(good for _scenario, good in ended):
        print("\n".join(shown[-SHOWN:]))
    failed = sum(not good for _scenario, good in ended) or int(code != 0)
    passed = sum(good for _scenario, good in ended)
    print(
        f"molecule: {len({scenario for scenario, _good in ended} - {'default'})} scenarios, {len(ended)} actions, "
        f"{passed} passed, {failed} failed ({time.monotonic() - begin:.0f} s)"
    )
    return code or int(failed > 0)


def _stop(number: int, _frame: FrameType | None) -> None:
    for stop in STOPS:
        signal.signal(stop, signal.SIG_IGN)  # only the removal of the nodes is left
    raise Stopped(128 + number)


if __name__ == "__main__":
    guard()  # tasks of playbooks that run in the background have sessions of their own
    sys.exit(main(sys.argv[1:]))
