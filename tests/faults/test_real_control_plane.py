# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A real control plane: what can go wrong on its node while the options of a component change.

After each fault the component runs its assigned options or those that are last-known-good. Its manifest is there and
complete at every moment. Most cases are of the scheduler, which starts within seconds; an API server that changes, and
etcd, take the API away.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from faults.control_plane_node import API_SERVER, ETCD, NUMBERED, SCHEDULER, STATE, ControlPlaneNode
from faults.ledger import Case, Ledger
from support.machines import MANIFESTS, ControlPlane, ControlPlaneAgent, Testbed, Unavailable
from support.session.patience import LONGEST_WAIT
from support.session.unavailable import leave_out

WHERE = "real control plane"
UNIT = "configok-agent.service"
A_WHILE = 30.0  # seconds, in which an adoption would be over
_KILLER = Path(__file__).resolve().parents[1] / "support/agents/step_killer.py"
_THERE, _STEPS = "/etc/step_killer.py", "/run/configok/steps"
_ARCHIVE = "/usr/local/lib/configok/configok-agent.pyz"


@pytest.fixture(scope="module")
def nodes() -> Iterator[dict[str, ControlPlaneNode]]:
    """The same node, by the component whose options change."""
    try:
        with Testbed.start("faults-static-pods", prepare_cluster=False) as bed:
            agent = ControlPlaneAgent(ControlPlane(bed), {name: {} for name in NUMBERED})
            yield {name: ControlPlaneNode(agent, name) for name in NUMBERED}
    except Unavailable as problem:
        leave_out(problem)


@pytest.fixture
def node(request: pytest.FixtureRequest, nodes: dict[str, ControlPlaneNode]) -> ControlPlaneNode:
    """The node with options of a component in use, by default of its scheduler."""
    node = nodes[getattr(request, "param", SCHEDULER)]
    node.base()
    return node


serving = pytest.mark.parametrize("node", [API_SERVER, ETCD], indirect=True)


def shell(node: ControlPlaneNode, script: str) -> None:
    node.node.run(["sh", "-c", script], timeout=LONGEST_WAIT)


# The actor, and the file before which it is killed.
SAMPLE = (
    ("agent", "checkpoints"),
    ("agent", "current"),
    ("agent", "config.yaml"),
    ("agent", "last-known-good"),
    ("static-pod", "manifest.json"),
    ("static-pod", f".prepared-{SCHEDULER}.yaml"),
    ("static-pod", "armed"),
    ("static-pod", f"{SCHEDULER}.yaml"),
)
_ACTORS = {
    "agent": "agent killed at a durable step",
    "static-pod": "manifest's writer killed at a durable step",
}


@pytest.fixture(scope="module")
def killer(nodes: dict[str, ControlPlaneNode]) -> Iterator[Callable[[str, str], None]]:
    """Kill an actor once, before it renames a file."""
    node = nodes[SCHEDULER]
    drop_in = f"/run/systemd/system/{UNIT}.d/zzz-killer.conf"

    def before(actor: str, file: str) -> None:
        node.node.run(["rm", "-f", f"{_STEPS}/killed"])
        node.node.write(f"{_STEPS}/kill", f"{actor} {file}")

    node.node.write(_THERE, _KILLER.read_text(encoding="utf-8"))
    install = f"""mkdir -p {_STEPS} /run/systemd/system/{UNIT}.d
{{ printf '[Service]\\nExecStart=\\n'
  systemctl cat {UNIT} | sed -n 's|^\\(ExecStart=.*\\)\\({_ARCHIVE} \\)|\\1{_THERE} {_STEPS} \\2|p'
}} > {drop_in}
systemctl daemon-reload && systemctl restart {UNIT}"""
    shell(node, install)
    yield before
    shell(node, f"rm -rf {drop_in} {_STEPS} && systemctl daemon-reload && systemctl restart {UNIT}")


@pytest.mark.parametrize(("actor", "file"), SAMPLE)
def test_a_process_is_killed_before_a_named_file(
    ledger: Ledger, node: ControlPlaneNode, killer: Callable[[str, str], None], actor: str, file: str
) -> None:
    with ledger.case(WHERE, _ACTORS[actor], "adopt and trial", f"before {file}") as case, node.watched(case):
        killer(actor, file)
        number = node.assign()
        node.adopted(case, number)
        case.holds("", node.node.exists(f"{_STEPS}/killed"), "no process was killed: the case proves nothing")


@serving
@pytest.mark.parametrize(("actor", "file"), [("agent", "current"), ("static-pod", "{}.yaml")])
def test_a_process_is_killed_while_the_api_server_or_etcd_changes(
    ledger: Ledger, node: ControlPlaneNode, killer: Callable[[str, str], None], actor: str, file: str
) -> None:
    file = file.format(node.component)
    phase = f"adopt and trial of {node.component}"
    with ledger.case(WHERE, _ACTORS[actor], phase, f"before {file}") as case, node.watched(case):
        killer(actor, file)
        number = node.assign()
        node.adopted(case, number)
        case.holds("", node.node.exists(f"{_STEPS}/killed"), "no process was killed: the case proves nothing")


BREAKS = {
    "kubelet stopped": ("systemctl stop kubelet", "systemctl start kubelet"),
    "container runtime stopped": ("systemctl stop containerd", "systemctl start containerd"),
}


@pytest.mark.parametrize("fault", BREAKS)
def test_what_runs_the_pod_is_stopped_before(ledger: Ledger, node: ControlPlaneNode, fault: str) -> None:
    """No manifest is written, and the options are adopted when it is back."""
    breaks, mends = BREAKS[fault]
    with ledger.case(WHERE, fault, "before") as case, node.watched(case):
        before = node.manifest()
        shell(node, breaks)
        try:
            number = node.assign()
            node.agent.wait_answer(number, "Unknown", "waits for this host")
            time.sleep(A_WHILE)
            case.holds("I4", (node.manifest(), node.starts()) == (before, 0), "it was restarted")
        finally:
            shell(node, mends)
        node.adopted(case, number)


# Stops the kubelet, which is there then and does nothing, as soon as the manifest is another file. Before, the agent
# would see a kubelet that does not answer, and write nothing.
_PATH = f"{MANIFESTS}/{SCHEDULER}.yaml"
FREEZER = f"""setsid sh -c 'old=$(stat -c %i {_PATH}); while [ "$(stat -c %i {_PATH})" = "$old" ]; do sleep 0.01; done
systemctl kill --signal=STOP kubelet; touch /run/frozen' > /dev/null 2>&1 &"""


def test_the_kubelet_is_stopped_in_the_middle(ledger: Ledger, node: ControlPlaneNode) -> None:
    """It does not act on the manifest. Nothing is marked bad, and the trial begins when it is back."""
    with ledger.case(WHERE, "kubelet stopped", "adopting") as case, node.watched(case):
        before = node.manifest()
        shell(node, FREEZER)
        number = node.assign()
        node.until("the kubelet to stop", lambda: node.node.exists("/run/frozen"))
        try:
            time.sleep(A_WHILE)
            case.holds("I4", node.starts() == 0, "it was started")
            case.holds("", node.manifest() != before, "no manifest was written: the case proves nothing")
        finally:
            shell(node, "systemctl kill --signal=CONT kubelet; rm /run/frozen")
        node.adopted(case, number)
        case.holds("I1", node.manifest() != before, "the manifest is the one before")


def test_another_program_replaces_the_manifest(ledger: Ledger, node: ControlPlaneNode) -> None:
    """During the trial. It is left alone until that is undone."""
    with ledger.case(WHERE, "manifest replaced by another program", "trial") as case, node.watched(case):
        number = node.assign(trial=60.0)
        node.agent.wait_answer(number, "True")
        written = node.manifest()
        theirs = written.replace(b"--leader-elect=true", b"--leader-elect=true\n    - --v=3")
        node.agent.write_manifest(SCHEDULER, theirs)
        node.agent.wait_answer(number, "Unknown", "neither by this agent nor by an upgrade")
        case.holds("I1", node.manifest() == theirs, "it was written over")
        node.agent.write_manifest(SCHEDULER, written)
        node.adopted(case, number, starts=3)


DISK = f"""systemctl stop {UNIT}; mkdir -p /run/small
mount -t tmpfs -o size=2m tmpfs /run/small; tar -C {STATE} --exclude=./etcd-snapshots -c . | tar -C /run/small -x
mount --bind /run/small {STATE}
systemctl start {UNIT}; sleep 3; head -c 4M /dev/zero > /run/small/filler || true"""
NO_DISK = f"""systemctl stop {UNIT}; rm -f /run/small/filler; umount {STATE}; cp -a /run/small/. {STATE}/
umount /run/small; systemctl start {UNIT}"""


def test_the_disk_is_full(ledger: Ledger, node: ControlPlaneNode) -> None:
    with ledger.case(WHERE, "disk full for a while", "before") as case, node.watched(case):
        before = node.manifest()
        shell(node, DISK)
        try:
            number = node.assign()
            time.sleep(A_WHILE)
            case.holds("I4", (node.manifest(), node.starts()) == (before, 0), "it was restarted")
            shell(node, "rm -f /run/small/filler")
            node.adopted(case, number)
        finally:
            shell(node, NO_DISK)


def taken_back_by_the_timer(case: Case, node: ControlPlaneNode, number: int, before: bytes) -> None:
    """Check that the timer brings a manifest back, and that the agent reports that once it runs again."""
    try:
        node.until("the manifest before", lambda: node.manifest() == before, 3 * LONGEST_WAIT)
        node.until("its process", lambda: node.runs() == node.good)
    finally:
        node.agent.start()
    node.agent.wait_answer(number, "False", "the timer has restored the manifest before")
    case.holds("I1", node.runs() == node.good, f"{node.component} runs {node.runs()}")
    case.holds("I2", node.last_known_good() == node.good, "last-known-good")
    node.agent.configure(healthTimeout="300s")


def test_the_agent_is_dead_for_the_whole_trial(ledger: Ledger, node: ControlPlaneNode) -> None:
    """The timer takes the options back, and the agent reports that as soon as it runs again."""
    with ledger.case(WHERE, "agent dead for the whole trial", "trial") as case, node.watched(case):
        before = node.manifest()
        node.agent.configure(healthTimeout="5s")
        number = node.assign(trial=3600.0)
        node.agent.wait_answer(number, "True")
        node.agent.kill()
        taken_back_by_the_timer(case, node, number, before)


@serving
def test_the_agent_is_dead_while_the_api_server_or_etcd_is_on_trial(ledger: Ledger, node: ControlPlaneNode) -> None:
    """It hangs as soon as it runs, so that no API server answers until the timer takes the options back."""
    phase = f"adopt and trial of {node.component}"
    with ledger.case(WHERE, "agent dead for the whole trial", phase) as case, node.watched(case):
        before = node.manifest()
        node.agent.configure(healthTimeout="120s")  # last-known-good waits for the port of a process that hangs
        number = node.assign(trial=3600.0)
        node.node.wait("its process", lambda: node.runs() == node.assigned, LONGEST_WAIT, poll=0.02)
        node.agent.kill()
        node.node.run(["kill", "-STOP", str(node.control_plane.pids()[node.component])])
        taken_back_by_the_timer(case, node, number, before)


def test_kubeadm_upgrades_the_component(ledger: Ledger, node: ControlPlaneNode) -> None:
    """In the trial. It has lost its options; the image is never the one before again."""
    with ledger.case(WHERE, "kubeadm upgrade in between", "trial") as case, node.watched(case):
        number = node.assign(trial=3600.0)
        node.agent.wait_answer(number, "True")
        image = node.control_plane.upgrade(SCHEDULER, "v1.20.99").encode()
        upgraded = node.manifest()
        case.holds("", image in upgraded, "kubeadm has not written its manifest: the case proves nothing")
        node.agent.wait_answer(number, "Unknown", "rewritten without the options in use")
        time.sleep(A_WHILE)
        case.holds("I1", node.manifest() == upgraded, "it was written over")
        node.agent.wait_answer(node.agent.assign(None), "True")
        node.adopted(case, node.assign(), starts=5)
        case.holds("I1", image in node.manifest(), "an older image is back")


READ_ONLY = f"""mkdir -p /run/manifests; mount -t tmpfs tmpfs /run/manifests; cp -a {MANIFESTS}/. /run/manifests/
mount --bind /run/manifests {MANIFESTS}; mount -o remount,ro /run/manifests; systemctl restart {UNIT}"""


def test_the_folder_of_manifests_is_read_only(ledger: Ledger, node: ControlPlaneNode) -> None:
    """The last one: its kubelet reads another folder from here on."""
    with ledger.case(WHERE, "disk read-only for a while", "before") as case, node.watched(case):
        before = node.manifest()
        shell(node, READ_ONLY)
        number = node.assign()
        time.sleep(A_WHILE)
        case.holds("I4", (node.manifest(), node.starts()) == (before, 0), "it was restarted")
        shell(node, "mount -o remount,rw /run/manifests")
        node.adopted(case, number)
