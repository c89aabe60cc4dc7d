# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Real kubelets: agent, prestart and poststop killed by SIGKILL before they rename a file: a named sample."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from faults.ledger import Ledger
from faults.machine_node import MachineNode
from faults.test_real_kubelet import WHERE, expected

_KILLER = Path(__file__).resolve().parents[1] / "support/agents/step_killer.py"
_THERE = "/etc/step_killer.py"
_STEPS = "/run/configok/steps"  # the agent's sandbox allows it to write here
_ARCHIVE = "/usr/local/lib/configok/configok-agent.pyz"
# Until the next boot, runs the units' command lines with the killer before the archive.
_INSTALL = f"""mkdir -p {_STEPS}
for unit in kubelet configok-agent; do
  mkdir -p /run/systemd/system/$unit.service.d
  {{ echo '[Service]'
    [ $unit = kubelet ] && printf 'ExecStartPre=\\nExecStopPost=\\n' || echo ExecStart=
    systemctl cat $unit | sed -n 's|^\\(Exec.*\\)\\({_ARCHIVE} \\)|\\1{_THERE} {_STEPS} \\2|p'
  }} > /run/systemd/system/$unit.service.d/zzz-killer.conf
done
systemctl daemon-reload && systemctl restart configok-agent"""
_REMOVE = f"""rm -rf /run/systemd/system/*.service.d/zzz-killer.conf {_THERE} {_STEPS}
systemctl daemon-reload && systemctl restart configok-agent"""

# The actor, the file before which it is killed, and the assigned config ("deadly": after its start).
SAMPLE = (
    ("agent", "checkpoints", "next"),
    ("agent", "current", "next"),
    ("agent", "config.yaml", "next"),
    ("agent", "last-known-good", "next"),
    ("prestart", "startups", "next"),
    ("poststop", "startups", "next"),
    ("agent", "bad-configs", "deadly"),
    ("agent", "config.yaml", "deadly"),
    ("poststop", "startups", "deadly"),
    ("prestart", "bad-configs", "deadly"),
    ("prestart", "config.yaml", "deadly"),
)
_PHASES = {"next": "adopt and trial", "deadly": "crash loop and rollback"}
_QUICK = ("prestart", "config.yaml", "deadly")


@pytest.fixture(scope="module")
def kill_before(machine: MachineNode) -> Iterator[Callable[[str, str], None]]:
    """Kill an actor once, before it renames a file."""

    def before(actor: str, file: str) -> None:
        machine.machine.run(["rm", "-f", f"{_STEPS}/killed"])
        machine.machine.write(f"{_STEPS}/kill", f"{actor} {file}")

    machine.machine.write(_THERE, _KILLER.read_text(encoding="utf-8"))
    machine.machine.run(["sh", "-c", _INSTALL])
    yield before
    machine.machine.run(["sh", "-c", _REMOVE])


def _cases() -> list[Any]:
    marks = {_QUICK: [pytest.mark.quick]}
    return [pytest.param(*sample, marks=marks.get(sample, []), id=" ".join(sample)) for sample in SAMPLE]


@pytest.mark.parametrize(("actor", "file", "to"), _cases())
def test_killed_before_a_named_file(
    ledger: Ledger, machine: MachineNode, kill_before: Callable[[str, str], None], actor: str, file: str, to: str
) -> None:
    """A killed hook records no start or end; it cannot be counted, which costs one more start.

    prestart rolls back if the agent does not run; with the agent, a crashing config is left before the next start.
    """
    alone = actor == "prestart" and to == "deadly"
    fault = f"{actor} killed at a durable step"
    with ledger.case(WHERE, fault, _PHASES[to], f"before {file}") as case:
        machine.base()
        if to == "next":
            kill_before(actor, file)
        machine.assign(to)
        if to == "deadly":
            machine.until("the start with it", lambda: machine.seen_locally() == to)
            kill_before(actor, file)
        if alone:
            machine.machine.run(["systemctl", "stop", "configok-agent"])
            machine.until_back()
            machine.machine.run(["systemctl", "start", "configok-agent"])
        ends = expected(to, costs=0 if actor == "agent" else 1)
        [condition] = ends.conditions
        machine.until_condition(condition)
        [good] = ends.good
        machine.until("last-known-good", lambda: machine.last_known_good() == good)
        case.holds("", machine.machine.exists(f"{_STEPS}/killed"), "no process was killed: the case proves nothing")
        case.check(ends, machine.observe())
