# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The second of the most important properties: a node whose agent files are damaged still starts its kubelet."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from support.conformance.blinded import INSTALLED
from support.conformance.ours import SHORT, STATE, OurNode
from support.conformance.payloads import DEADLY
from support.conformance.wait import until

GARBAGE = "\x01damaged{"


@pytest.fixture(autouse=True)
def _tidied(ours: OurNode) -> Iterator[None]:
    """Remove the files that were set aside, so that no later test sees them: verdicts are read only when needed."""
    yield
    ours.machine.run(["sh", "-c", f"find {STATE} -name '*.corrupt-*' -delete -o -name 'verdicts*' -delete"])


def _restart_kubelet(node: OurNode) -> None:
    """Restart the kubelet as an administrator does, and wait until it is healthy."""
    node.machine.run(["systemctl", "restart", "kubelet"])
    until("the kubelet is healthy", lambda: _healthy(node))


def _healthy(node: OurNode) -> bool:
    script = (
        "import urllib.request as r; "
        "print(r.build_opener(r.ProxyHandler({})).open('http://127.0.0.1:10248/healthz', timeout=2).read().decode())"
    )
    return str(node.machine.run(["python3", "-c", script], check=False).stdout).strip() == "ok"


def _damage(node: OurNode, name: str) -> None:
    node.machine.write(f"{STATE}/{name}", GARBAGE)


@pytest.mark.contract(
    "store.damaged-is-set-aside", "prestart.never-blocks", "condition.damaged", "prestart.file-stays-usable"
)
@pytest.mark.parametrize("record", ["current", "last-known-good", "assignment"])
def test_a_damaged_record(ours: OurNode, case: Any, record: str) -> None:
    good = ours.publish({"maxPods": 134}, trial=SHORT)
    ours.settled(good)
    with case(f"G4 {record}", ours) as seen:
        _damage(ours, record)
        _restart_kubelet(ours)
        ours.uses(maxPods=134)

        def is_reported() -> bool:
            answer = ours.says()
            return answer is not None and "was damaged and set aside" in answer.condition["reason"]

        until("ConfigOK names the damaged file", is_reported, 60, ours.says)
        assert seen.restarts == 1
        seen.say("the kubelet starts, with the same config; the file is set aside, and ConfigOK names it")


@pytest.mark.contract("store.damaged-is-set-aside", "prestart.file-stays-usable")
def test_damaged_checkpoint_and_config_file(ours: OurNode, case: Any) -> None:
    good = ours.publish({"maxPods": 135}, trial=SHORT)
    ours.settled(good)
    with case("G4 checkpoint, config file", ours) as seen:
        for name in (f"checkpoints/{good.uid}", "components/kubelet/config.yaml"):
            _damage(ours, name)
        _restart_kubelet(ours)
        ours.uses(maxPods=135)
        assert seen.restarts == 1
        seen.say("the kubelet starts, with the same config")


@pytest.mark.contract("store.damaged-is-set-aside", "source.fetched-once")
def test_a_damaged_checkpoint_that_is_wanted_again(ours: OurNode, case: Any) -> None:
    first, second = (ours.publish({"maxPods": pods}) for pods in (145, 146))
    with case("F7", ours) as seen:
        ours.on(first)
        ours.on(second)
        path = f"{STATE}/checkpoints/{first.uid}"
        ours.machine.write(path, ours.machine.read(path).replace("145", "999"))
        ours.expect(ours.assign(first), "Good", assigned=first, active=first, good=None)
        ours.uses(maxPods=145)
        assert seen.restarts == 3
        seen.say(
            "its hash does not match: it is set aside and fetched again; E5 shows that old checkpoints are removed"
        )


@pytest.mark.quick
@pytest.mark.contract("prestart.never-blocks", "prestart.file-stays-usable", "init.always-good")
def test_everything_damaged_at_once(ours: OurNode, case: Any) -> None:
    good = ours.publish({"maxPods": 136}, trial=SHORT)
    number = ours.settled(good).status.assignment
    files = ours.machine.run(["find", STATE, "-type", "f", "-not", "-name", "*lock*"]).stdout.split()
    assert len(files) > 10
    with case("F3 everything", ours) as seen:
        for path in files:
            ours.machine.write(path, GARBAGE)
        _restart_kubelet(ours)
        seen.say("every file of the agent is garbage: the kubelet starts, with the init config")
        # Its records are lost, so the assignment is new to it. Until it notices, the Node has its last report.
        record = ["cat", f"{STATE}/last-known-good"]
        until("its record exists again", lambda: good.uid in ours.machine.run(record, check=False).stdout)
        ours.promoted(good)
        ours.answered(number, "Good")
        ours.uses(maxPods=136)
        assert seen.restarts == 2
        seen.say("then the agent adopts the new assignment")


@pytest.mark.contract("prestart.never-blocks")
def test_a_damaged_agent(ours: OurNode, case: Any) -> None:
    good = ours.publish({"maxPods": 137}, trial=SHORT)
    ours.settled(good)
    with case("F3 program", ours) as seen:
        ours.machine.run(["cp", "-a", INSTALLED, f"{INSTALLED}.kept"])
        try:
            ours.machine.write(INSTALLED, GARBAGE, mode=0o755)
            _restart_kubelet(ours)
            ours.uses(maxPods=137)
            seen.say("the program itself is garbage: the kubelet starts, with the same config")
        finally:
            ours.machine.run(["mv", f"{INSTALLED}.kept", INSTALLED])
        ours.restart_agent()


@pytest.mark.contract("crashloop.init-config-last")
def test_last_known_good_is_missing(ours: OurNode, case: Any) -> None:
    good, (_name, changes) = ours.publish({"maxPods": 138}, trial=SHORT), next(iter(DEADLY.items()))
    ours.settled(good)
    crashing = ours.publish(changes, threshold=0, trial="20s")
    with case("G5", ours) as seen:
        number = ours.assign(crashing)
        until("the crashing config is current", lambda: crashing.uid in ours.machine.read(f"{STATE}/current"))
        last_known_good = ours.machine.read(f"{STATE}/last-known-good")
        names = [name for name in ours.names("components/kubelet") if name.partition(".")[0] in last_known_good]
        assert names
        ours.machine.run(["rm", f"{STATE}/checkpoints/{good.uid}", *(f"{STATE}/components/kubelet/{n}" for n in names)])
        answer = ours.answered(number, "CrashLoop")
        assert answer.status.active is None
        until("the kubelet is healthy", lambda: _healthy(ours))
        seen.say(f"checkpoint and file of last-known-good gone: {answer.words.partition(':')[0]}, kubelet healthy")
