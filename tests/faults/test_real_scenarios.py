# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Real kubelets: one scenario for each action of an administrator, a disk or a kubelet."""

from __future__ import annotations

import datetime
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import pytest

from faults.invariants import Condition, Expected
from faults.ledger import Case, Ledger
from faults.machine_node import BACK, THRESHOLD, MachineNode
from faults.test_real_kubelet import GOOD_NEXT, PHASES, WHERE, expected
from support.machines import CERTIFICATE, KUBECONFIG
from support.session.patience import LONGEST_WAIT

STATE = "/var/lib/configok"
ON_GOOD = Condition("True", "using current (UID: good)")
STOPPED = Condition("Unknown", "current (UID: next) not in use")
# Moves the store to a small file system, and back.
_SMALL = f"""systemctl stop configok-agent; mkdir -p /run/small
mount -t tmpfs -o size=2m tmpfs /run/small; cp -a {STATE}/. /run/small/; mount --bind /run/small {STATE}
systemctl start configok-agent"""
_LARGE = f"""systemctl stop configok-agent; mount -o remount,rw /run/small; rm -f /run/small/filler
umount {STATE}; cp -a /run/small/. {STATE}/; umount /run/small; systemctl start configok-agent"""


def _shell(node: MachineNode, script: str) -> str:
    return str(node.machine.run(["sh", "-c", script], timeout=LONGEST_WAIT).stdout)


def _crashed(node: MachineNode, times: int) -> bool:
    return node.crashes() > times


def on_good(starts: int) -> Expected:
    """Return the expectation for a node that keeps running "good", with this number of starts."""
    return expected("next")._replace(
        valid=frozenset({"good", "init"}),
        runs=frozenset({"good"}),
        good=frozenset({"good"}),
        starts=(starts, starts),
        conditions=frozenset({ON_GOOD}),
    )


def _adopted(node: MachineNode, case: Case, *, costs: int = 0) -> None:
    """Check that the change has succeeded."""
    node.until_condition(GOOD_NEXT)
    node.until("the end of the trial", lambda: node.last_known_good() == "next")
    case.check(expected("next", costs=costs), node.observe())


@pytest.mark.quick
def test_the_api_server_is_stopped_before_the_kubelet_begins_to_crash(ledger: Ledger, machine: MachineNode) -> None:
    """The node rolls back before the API returns, and reports it within 30 s after: both are measured."""
    with ledger.case(WHERE, "API server stopped before the kubelet begins to crash", "adopting") as case:
        machine.base()
        machine.assign("deadly")
        machine.until("adopting", lambda: machine.current() == "deadly")
        machine.bed.api.stop()
        try:
            back = machine.until_back()
            time.sleep(20)  # an outage longer than the first intervals of the backoff
        finally:
            returned = time.monotonic()
            machine.bed.api.start()
        ready = time.monotonic()
        machine.until_condition(BACK)
        seconds = time.monotonic() - ready
        ledger.figure("seconds on last-known-good before the API returned", returned - back, "s", least=0.0)
        ledger.figure("seconds from the API's return until ConfigOK reported it", seconds, "s", most=30.0)
        case.check(expected("deadly"), machine.observe())


def test_the_kubelet_hangs_instead_of_crashing(ledger: Ledger, machine: MachineNode) -> None:
    with ledger.case(WHERE, "component hangs instead of crashing", "trial") as case:
        machine.base()
        machine.assign("slow")
        machine.until_condition(Condition("True", "using current (UID: slow)"))
        machine.machine.run(["systemctl", "kill", "--signal=STOP", "kubelet"])
        machine.until_condition(BACK)
        observation = machine.observe()
        case.check(expected("deadly")._replace(starts=(2, 2), valid=frozenset({"good", "slow"})), observation)


def test_the_kubelet_crashes_after_the_trial(ledger: Ledger, machine: MachineNode) -> None:
    """A failure after the trial is reported, and changes nothing."""
    with ledger.case(WHERE, "component crashes after the trial", "after the trial") as case:
        machine.base()
        crashes = THRESHOLD + 2
        for count in range(crashes):
            machine.machine.run(["systemctl", "kill", "--signal=KILL", "kubelet"])
            machine.until("the crash is on record", partial(_crashed, machine, count))
            machine.machine.wait_healthy()
        # A component that crashed more often than its threshold within ten minutes is reported as failing.
        failing = Condition("False", "using current (UID: good), which is failing")
        machine.until_condition(failing)
        case.check(on_good(crashes)._replace(conditions=frozenset({failing})), machine.observe())


def test_the_kubelet_is_slow_to_become_healthy(ledger: Ledger, machine: MachineNode) -> None:
    with ledger.case(WHERE, "component slow to become healthy", "adopting") as case:
        machine.base()
        machine.assign("next")
        machine.until("the start with next", lambda: machine.seen_locally() == "next")
        machine.machine.run(["systemctl", "kill", "--signal=STOP", "kubelet"])
        time.sleep(10)  # a third of healthTimeout
        machine.machine.run(["systemctl", "kill", "--signal=CONT", "kubelet"])
        _adopted(machine, case)


def test_an_administrator_restarts_the_kubelet(ledger: Ledger, machine: MachineNode) -> None:
    """Restarts by the administrator beyond the threshold do not count as crashes."""
    with ledger.case(WHERE, "administrator restarts the component", "trial") as case:
        machine.base()
        machine.assign("next", trial="8s")
        machine.until("trial", lambda: PHASES["trial"].reached(machine))
        for _again in range(THRESHOLD + 2):
            machine.machine.run(["systemctl", "restart", "kubelet"])
        _adopted(machine, case, costs=THRESHOLD + 2)


@pytest.mark.parametrize("how", ["stopped", "masked"])
def test_the_unit_is_taken_out_of_use(ledger: Ledger, machine: MachineNode, how: str) -> None:
    """A stopped unit is not started; the assigned config is used once the administrator starts the unit."""
    with ledger.case(WHERE, f"unit {how} by an administrator", "before") as case:
        machine.base()
        machine.machine.run(
            ["systemctl", *(["mask", "--runtime", "--now"] if how == "masked" else ["stop"]), "kubelet"]
        )
        try:
            machine.assign("next")
            machine.until_condition(STOPPED)
            case.holds("I4", machine.observe().started_with == (), "it was started")
        finally:
            if how == "masked":
                machine.machine.run(["systemctl", "unmask", "--runtime", "kubelet"])
            machine.machine.run(["systemctl", "start", "kubelet"])
        _adopted(machine, case)


def test_a_second_agent_is_started(ledger: Ledger, machine: MachineNode) -> None:
    """A second agent reports that one is already running, and exits."""
    with ledger.case(WHERE, "two agents at once", "adopting") as case:
        machine.base()
        machine.assign("next")
        machine.until("adopting", lambda: machine.current() == "next")
        second = machine.machine.run(["configok-agent", "run"], check=False)
        case.holds("", second.returncode == 1, f"it ended with {second.returncode}")
        case.holds("", "another configok-agent runs" in second.stderr, f"it said {second.stderr!r}")
        _adopted(machine, case)


def test_the_kubelet_is_upgraded_under_a_running_config(ledger: Ledger, machine: MachineNode) -> None:
    """Its binary reports the next version: the config stays in use, and last-known-good does not change."""
    newer = f"v1.{machine.bed.minor + 1}.0"
    upgrade = (
        "mv /usr/bin/kubelet /usr/bin/kubelet.real && printf '%s\\n' '#!/bin/sh' "
        f"'[ \"$1\" != --version ] || {{ echo Kubernetes {newer}; exit 0; }}' 'exec /usr/bin/kubelet.real \"$@\"' "
        "> /usr/bin/kubelet && chmod 755 /usr/bin/kubelet && systemctl restart kubelet"
    )
    with ledger.case(WHERE, "kubelet upgraded under a running config", "after the trial") as case:
        machine.base()
        _shell(machine, upgrade)
        try:
            machine.machine.wait_healthy()
            machine.until_condition(ON_GOOD)
            machine.assign("next")
            machine.until_condition(GOOD_NEXT)
            machine.until("the end of the trial", lambda: machine.last_known_good() == "next")
            # The upgrade also restarts it.
            case.check(expected("next")._replace(starts=(2, 2)), machine.observe())
        finally:
            _shell(machine, "mv -f /usr/bin/kubelet.real /usr/bin/kubelet && systemctl restart kubelet")
            machine.machine.wait_healthy()


DAMAGES = {
    "the agent's program torn": "P=$(readlink -f /usr/local/lib/configok/configok-agent.pyz); D=$P.d; "
    "cp -a $P /run/kept; [ ! -d $D ] || mv $D /run/kept.d; echo torn > $P",
    "the agent's config torn": "P=/etc/configok/agent.yaml; cp -a $P /run/kept; echo '{' > $P",
    "every state file torn at once": f"P={STATE}; cp -a $P /run/kept; find $P -type f ! -name config.yaml -exec sh -c "
    "'echo torn > \"$1\"' sh {} ';'",
}
MENDS = {
    "the agent's program torn": "P=$(readlink -f /usr/local/lib/configok/configok-agent.pyz); cat /run/kept > $P; "
    "[ ! -d /run/kept.d ] || mv /run/kept.d $P.d; rm /run/kept",
    "the agent's config torn": "cat /run/kept > /etc/configok/agent.yaml; rm /run/kept",
    "every state file torn at once": "rm -rf /run/kept",
}


@pytest.mark.parametrize("what", DAMAGES)
def test_files_of_the_agent_are_damaged(ledger: Ledger, machine: MachineNode, what: str) -> None:
    """The kubelet starts with its present config, without the agent."""
    with ledger.case(WHERE, what, "after the trial") as case:
        machine.base()
        before = machine.machine.kubelet_starts()
        reads = _shell(machine, f"sha256sum {STATE}/components/kubelet/config.yaml")
        _shell(machine, DAMAGES[what])
        try:
            machine.machine.run(["systemctl", "restart", "kubelet"], timeout=60)
            machine.machine.wait_healthy()
            same = _shell(machine, f"sha256sum {STATE}/components/kubelet/config.yaml")
            case.holds("I1", same == reads or what == "every state file torn at once", "it reads another config")
        finally:
            _shell(machine, MENDS[what] + "; systemctl restart configok-agent")
        machine.until_condition(ON_GOOD)
        machine.until("last-known-good", lambda: machine.last_known_good() == "good")
        # If only the init config is left, it is used until the bundle is fetched again.
        most = 3 if what == "every state file torn at once" else 1
        case.check(on_good(most)._replace(starts=(0, most)), machine.observe())
        starts = machine.machine.kubelet_starts() - before
        case.holds("I4", 1 <= starts <= most, f"systemd started it {starts} times")


@contextmanager
def _small_disk(node: MachineNode) -> Iterator[None]:
    _shell(node, _SMALL)
    try:
        yield
    finally:
        _shell(node, _LARGE)


DISKS = {
    "disk full for a while": ("head -c 4M /dev/zero > /run/small/filler || true", "rm -f /run/small/filler"),
    "disk read-only for a while": (
        "mount -o remount,ro /run/small; mount -o remount,ro,bind /var/lib/configok || true",
        "mount -o remount,rw /run/small; mount -o remount,rw,bind /var/lib/configok || true",
    ),
}


@pytest.mark.parametrize("fault", DISKS)
def test_the_disk_of_the_state_directory(ledger: Ledger, machine: MachineNode, fault: str) -> None:
    """The component keeps running, and can start; the assigned config is adopted when the disk recovers."""
    breaks, mends = DISKS[fault]
    with ledger.case(WHERE, fault, "before") as case:
        machine.base()
        with _small_disk(machine):
            machine.machine.wait_healthy()
            _shell(machine, breaks)
            try:
                machine.assign("next")
                machine.machine.run(["systemctl", "restart", "kubelet"], timeout=60)
                machine.machine.wait_healthy()
                case.holds("I1", machine.current() == "good", f"uses {machine.current()}")
                case.holds("I2", machine.last_known_good() == "good", "last-known-good")
            finally:
                _shell(machine, mends)
            machine.until_condition(GOOD_NEXT)
            machine.until("the end of the trial", lambda: machine.last_known_good() == "next")
            # The administrator's restart could not be recorded.
            case.check(expected("next")._replace(starts=(1, 2)), machine.observe())
        machine.machine.wait_healthy()


# Each would make any restart of the kubelet fail, while the running one stays healthy.
SICK_HOSTS = {
    "container runtime stopped": ("systemctl stop containerd", "systemctl start containerd"),
    "kubeconfig of the kubelet moved away": (f"mv {KUBECONFIG} /run/kept", f"mv /run/kept {KUBECONFIG}"),
}


@pytest.mark.parametrize("fault", SICK_HOSTS)
def test_any_restart_would_fail_on_the_host(ledger: Ledger, machine: MachineNode, fault: str) -> None:
    """Nothing is restarted, nothing is marked bad, and the config is adopted when the host has recovered."""
    breaks, mends = SICK_HOSTS[fault]
    with ledger.case(WHERE, fault, "before") as case:
        machine.base()
        _shell(machine, breaks)
        try:
            machine.assign("next")
            machine.until_condition(Condition("Unknown", "using current (UID: good)"))
            time.sleep(30)  # more than a crash loop would take
            case.holds("I4", machine.observe().started_with == (), "it was restarted")
        finally:
            _shell(machine, mends)
        _adopted(machine, case)


def test_the_client_certificate_expires_and_is_rotated(ledger: Ledger, machine: MachineNode) -> None:
    with ledger.case(WHERE, "client certificate expired, then rotated", "fetching") as case:
        machine.base()
        now = datetime.datetime.now(datetime.timezone.utc)
        expired = machine.bed.certificate(machine.machine, not_after=now - datetime.timedelta(seconds=30))
        machine.machine.write(CERTIFICATE, expired)
        machine.machine.run(["systemctl", "restart", "configok-agent"])
        machine.assign("next")
        time.sleep(8)  # the agent can neither see nor fetch it, so there is no event to wait for
        case.holds("I4", machine.observe().started_with == (), "it was restarted")
        machine.machine.write(CERTIFICATE, machine.bed.certificate(machine.machine))
        _adopted(machine, case)
