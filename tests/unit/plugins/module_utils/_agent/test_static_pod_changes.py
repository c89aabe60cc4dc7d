# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole agent changes the options of a static Pod, on a node whose kubelet and runtime may not work."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import ConfigSource
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle_trial import Trial
from support.agents.pod_bench import COMPONENT, INVALID, PodBench, options_text
from support.configs.manifests import kubeadm_pod, manifest_bytes

GOOD, NEXT = options_text(30), options_text(40)
WAITS = "waits for this host: "


@pytest.fixture
def bench(tmp_path: Path) -> PodBench:
    bench = PodBench(tmp_path)
    bench.good_node(GOOD)
    return bench


def unhealthy_kubelet(bench: PodBench) -> None:
    bench.kubelet_acts = False


def stopped_kubelet(bench: PodBench) -> None:
    bench.stop("kubelet")


def no_runtime(bench: PodBench) -> None:
    bench.host_problems = {COMPONENT: "no runtime"}


def write_and_stop_the_kubelet(bench: PodBench) -> ConfigSource:
    """Let the agent write the manifest of the next options, which the kubelet does not act on; return their source."""
    source = bench.publish(NEXT, trial=Trial(5.0, 1))
    bench.assign(source)
    while b"--kube-api-qps=40" not in bench.manifest.read_bytes():
        bench.run(0.1)
    bench.kubelet_acts = False
    return source


@pytest.mark.parametrize(
    ("breaks", "problem"),
    [
        (unhealthy_kubelet, "the kubelet, which runs static Pods, is not healthy: healthz: 500"),
        (stopped_kubelet, "kubelet.service, which runs static Pods, is stopped"),
        (no_runtime, "no runtime"),
    ],
)
def test_no_manifest_is_written_for_a_kubelet_that_would_not_act(bench: PodBench, breaks: object, problem: str) -> None:
    before = bench.manifest.read_bytes()
    assert callable(breaks)
    breaks(bench)
    bench.assign(bench.publish(NEXT, trial=Trial(5.0, 1)))
    bench.run(200)
    assert bench.manifest.read_bytes() == before
    status, _message, reason = bench.words
    assert (status, reason.partition(WAITS)[2]) == ("Unknown", problem)
    bench.kubelet_acts, bench.host_problems = True, {}
    bench.processes["kubelet"].state = "active"
    bench.run(60)
    assert bench.words[0] == "True"
    assert b"--kube-api-qps=40" in bench.manifest.read_bytes()


def test_its_own_program_is_asked_again_about_another_content_of_a_file_on_the_node(bench: PodBench) -> None:
    """The options are those that it has accepted before, and name the same file."""
    bench.node_files = "one"
    for text in (NEXT, GOOD, NEXT):
        bench.assign(bench.publish(text, trial=Trial(5.0, 1)))
        bench.run(60)
    asked = len(bench.checked)
    bench.check_code, bench.node_files = 1, "another"
    before = bench.manifest.read_bytes()
    bench.assign(bench.publish(GOOD, trial=Trial(5.0, 1)))
    bench.run(60)
    assert len(bench.checked) == asked + 1
    assert bench.words[0] == "False"
    assert "refused by its own check" in bench.words[2]
    assert bench.manifest.read_bytes() == before


def test_a_kubelet_that_stops_in_the_middle_puts_the_options_in_doubt(bench: PodBench) -> None:
    """It has ended the Pod before, and starts none of the new manifest."""
    source = write_and_stop_the_kubelet(bench)
    bench.run(400)
    assert b"--kube-api-qps=30" in bench.manifest.read_bytes()
    bench.kubelet_acts = True
    assert bench.words[0] != "True"
    bench.run(400)  # tried once more
    assert (bench.words[0], bench.status.active) == ("True", source)


def test_options_that_are_refused_after_an_upgrade_do_not_hide_that_none_are_in_use(bench: PodBench) -> None:
    bench.manifest.write_bytes(manifest_bytes(kubeadm_pod(COMPONENT, image="k8s.gcr.io/kube-scheduler:v1.21.0")))
    bench.run(30)
    bench.assign(bench.publish(options_text(INVALID)))
    bench.run(30)
    status, message, reason = bench.words
    assert (status, message.startswith("last-known-good"), message.endswith("not in use")) == ("False", True, True)
    assert "must not be 70; the manifest was rewritten without the options in use" in reason


def test_options_that_an_upgrade_has_dropped_are_used_again_after_they_were_unassigned(bench: PodBench) -> None:
    bench.manifest.write_bytes(manifest_bytes(kubeadm_pod(COMPONENT, image="k8s.gcr.io/kube-scheduler:v1.21.0")))
    bench.run(100)
    assert bench.words[2] == "the manifest was rewritten without the options in use, which wait for another assignment"
    bench.assign(None)
    bench.run(100)
    assert bench.words[:2] == ("True", "using current (init)")
    bench.assign(bench.publish(GOOD, trial=Trial(5.0, 1)))
    bench.run(60)
    assert bench.words[0] == "True"
    written = bench.manifest.read_bytes()
    assert b"--kube-api-qps=30" in written
    assert b"kube-scheduler:v1.21.0" in written


def test_a_rollback_brings_no_options_back_that_an_upgrade_has_dropped(bench: PodBench) -> None:
    """They would be in the manifest of the newer release, without a trial."""
    upgraded = manifest_bytes(kubeadm_pod(COMPONENT, image="k8s.gcr.io/kube-scheduler:v1.21.0"))
    bench.manifest.write_bytes(upgraded)
    bench.run(100)
    bench.assign(bench.publish(documents={"kubelet": "mood: sick\n"}, trial=Trial(600.0, 1)))
    bench.run(600)
    assert bench.status.active == bench.status.last_known_good
    assert bench.manifest.read_bytes() == upgraded


def test_a_kubelet_that_crashes_again_and_again_puts_the_options_in_doubt(bench: PodBench) -> None:
    source = write_and_stop_the_kubelet(bench)
    while b"--kube-api-qps=40" in bench.manifest.read_bytes():
        bench.crash("kubelet")
        bench.run(5)
    bench.kubelet_acts = True
    bench.run(400)
    assert (bench.words[0], bench.status.active) == ("True", source), "it was tried once more"
