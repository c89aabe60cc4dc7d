# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run Molecule scenarios, say each action as it ends, and close with one line of figures.

    python tools/run_molecule.py [SCENARIO...]      all scenarios where none is named

From the checkout, with molecule on PATH. What the playbooks said is in build/molecule/log; its end is shown when an
action fails. The exit code is molecule's, or 1 where an action was left out.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOG = ROOT / "build/molecule/log"
STATE = ROOT / "build/molecule/state"
SHOWN = 60  # lines of the log, of an action that failed

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_ENDED = re.compile(r"^\w+ +(?P<scenario>\S+) ➜ (?P<action>[^:]+): Executed: (?P<state>\w+)")


def lines(command: Sequence[str]) -> Iterator[str]:
    """Yield what a command prints, without colours; the last item is its exit code."""
    environment = {**os.environ, "MOLECULE_EPHEMERAL_DIRECTORY": str(STATE)}
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as running:
        for line in running.stdout or ():
            yield _COLOUR.sub("", line.rstrip("\n"))
    yield str(running.returncode)


def main(scenarios: Sequence[str]) -> int:
    """Run the scenarios, or all; return the exit code."""
    # The scenario `default` only holds the nodes, which Molecule starts before and takes away after all others.
    names = scenarios or sorted(
        one.parent.name for one in (ROOT / "extensions/molecule").glob("*/molecule.yml") if one.parent.name != "default"
    )
    command = ["molecule", "test"]
    for name in names:
        command += ["--scenario-name", name]
    # Molecule remembers there what an earlier run has created, also when that run was killed.
    shutil.rmtree(STATE, ignore_errors=True)
    STATE.mkdir(parents=True)
    begin = since = time.monotonic()
    ended: list[tuple[str, bool]] = []
    said: list[str] = []
    code = 1
    with LOG.open("w", encoding="utf-8", buffering=1) as log:
        for line in lines(command):
            log.write(line + "\n")
            said.append(line)
            found = _ENDED.match(line)
            if found:
                good = found["state"] == "Successful"
                ended.append((found["scenario"], good))
                took = time.monotonic() - since
                print(
                    f"molecule: {found['scenario']} {found['action']} {found['state'].lower()} ({took:.0f} s)",
                    flush=True,
                )
                if not good:
                    print("\n".join(said[-SHOWN:]), flush=True)
                said, since = [], time.monotonic()
        code = int(line)
    if code and all(good for _scenario, good in ended):
        print("\n".join(said[-SHOWN:]))
    failed = sum(not good for _scenario, good in ended) or int(code != 0)
    passed = sum(good for _scenario, good in ended)
    print(
        f"molecule: {len({scenario for scenario, _good in ended} - {'default'})} scenarios, {len(ended)} actions, "
        f"{passed} passed, {failed} failed ({time.monotonic() - begin:.0f} s)"
    )
    return code or int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
