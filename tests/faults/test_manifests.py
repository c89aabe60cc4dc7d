# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Other programs write a static Pod's manifest, or the kubelet does not read it, at every moment of every change."""

from __future__ import annotations

from pathlib import Path

import pytest

from faults.bench_node import Change
from faults.ledger import Ledger
from faults.pod_node import PodNode, pod_before, undisturbed_starts
from support.agents.pod_bench import COMPONENT, image_of
from support.configs.manifests import kubeadm_pod, manifest_bytes

pytestmark = [pytest.mark.quick, pytest.mark.usefixtures("no_fsync")]
WHERE = "static Pod in process"
A_WHILE = 150.0  # longer than the agent waits for a kubelet
CRASHES_IN_A_WHILE = 5  # after 0, 10, 30, 70 and 150 s, by the kubelet's back-off
ENOUGH = 400.0  # longer than twice the health timeout, and than the back-off of a crash loop
NEWER = "k8s.gcr.io/kube-scheduler:v1.21.0"


@pytest.fixture(params=PodNode.changes)
def phase(request: pytest.FixtureRequest) -> str:
    """The name of a change."""
    return str(request.param)


def moments(change: Change) -> list[float]:
    """Return the moments of a change, in seconds since its assignment: dense while most events happen."""
    return [fifth / 5 for fifth in range(16)] + [second + 0.5 for second in range(4, min(40, int(change.seconds)), 3)]


def test_another_program_replaces_the_manifest(ledger: Ledger, tmp_path: Path, every: int, phase: str) -> None:
    """It is left alone until that is undone; the change then ends as usual."""
    change = PodNode.changes[phase]
    starts = undisturbed_starts(tmp_path / "whole", change)
    for moment in moments(change)[::every]:
        with (
            ledger.case(WHERE, "manifest replaced by another program", phase, f"after {moment} s") as case,
            pod_before(tmp_path / "node", change) as node,
        ):
            node.run(moment)
            present = node.manifest.read_bytes()
            theirs = present.replace(b"- --leader-elect=true\n", b"- --leader-elect=true\n    - --v=4\n")
            node.manifest.write_bytes(theirs)
            node.run(A_WHILE)
            case.holds("I1", node.manifest.read_bytes() == theirs, "it was written over")
            node.manifest.write_bytes(present)
            node.run(ENOUGH)
            # Each of the other program's writes restarts the Pod; a crash loop continues meanwhile, and counts again.
            more = 2 + CRASHES_IN_A_WHILE + change.crash_loop
            case.check(change.expected((starts, starts + more), doomed_more=more), node.observe())


LOST = "the manifest was rewritten without the options in use, which wait for another assignment"


def test_kubeadm_upgrades_the_component(ledger: Ledger, tmp_path: Path, every: int, phase: str) -> None:
    """Its manifest has no options of ours and a newer image: nothing brings the older image back."""
    change = PodNode.changes[phase]
    upgraded = manifest_bytes(kubeadm_pod(COMPONENT, image=NEWER))
    for moment in moments(change)[::every]:
        with (
            ledger.case(WHERE, "kubeadm upgrade in between", phase, f"after {moment} s") as case,
            pod_before(tmp_path / "node", change) as node,
        ):
            node.run(moment)
            good = node.last_known_good()
            node.manifest.write_bytes(upgraded)
            node.run(1)
            before = len(node.images)
            node.run(ENOUGH)
            status, message, reason = node.words
            case.holds("I1", set(node.images[before:]) <= {NEWER}, f"started {node.images[before:]}")
            case.holds("I1", node.manifest.read_bytes() == upgraded, "it was written over")
            case.holds("I2", node.last_known_good() in (good, "init"), "last-known-good")
            if change.to == "init":
                case.holds("I5", (status, message) == ("True", "using current (init)"), f"{message}: {reason}")
            else:
                case.holds("I5", status in ("Unknown", "False"), f"ConfigOK is {status}")
                case.holds("I5", "not in use" in message and reason.endswith(LOST), f"{message}: {reason}")
                node.assign(None)
                node.run(A_WHILE)
                case.holds("I5", node.words[:2] == ("True", "using current (init)"), f"unassigned: {node.words}")
            node.begin(PodNode.changes["adopt and trial"])
            node.run(A_WHILE)
            case.holds("I5", node.words[0] == "True", f"assigned again: {node.words}")
            case.holds("I1", image_of(node.manifest.read_bytes()) == NEWER, "an older image is back")


def test_the_kubelet_does_not_act(ledger: Ledger, tmp_path: Path, every: int, phase: str) -> None:
    """Nothing is marked bad, and the change ends when the kubelet reads the manifest."""
    change = PodNode.changes[phase]
    starts = undisturbed_starts(tmp_path / "whole", change)
    for moment in moments(change)[::every]:
        with (
            ledger.case(WHERE, "kubelet does not act on the manifest", phase, f"after {moment} s") as case,
            pod_before(tmp_path / "node", change) as node,
        ):
            node.run(moment)
            node.kubelet_acts = False
            node.run(A_WHILE)
            node.kubelet_acts = True
            node.run(ENOUGH)
            # It starts no container that has crashed, so that two starts are enough. A failure on a node whose kubelet
            # does not work is in doubt, and the options are tried once more.
            more = 1 + change.crash_loop
            expected = change.expected((min(starts - 1, 2), starts + more), doomed_more=more)
            case.check(expected, node.observe())
