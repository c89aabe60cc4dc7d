# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The version skew between API server, kubelet and container runtime."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._machines._changes._skew import (
    check_skew,
    cluster_contradiction,
)
from ansible_collections.configok.node.plugins.module_utils._machines._objects.types import Cluster, Runtime
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.left_out import (
    is_within_skew,
    oldest_kubelet_minor,
)
from support.rollouts.declared_machines import a_machine, an_observed


@pytest.mark.parametrize(
    ("kubelet", "server", "refusal"),
    [
        ("1.35.0", "v1.35.2", ""),
        ("1.35.9", "v1.35.2", ""),  # a newer patch makes no skew
        ("1.36.0", "v1.35.2", "newer than the API server, 1.35.2"),
        ("1.32.0", "v1.35.2", ""),
        ("1.31.0", "v1.35.2", "4 minors behind the API server, 1.35.2, which supports 3"),
        ("1.25.0", "v1.28.0", ""),
        ("1.24.0", "v1.28.0", "4 minors behind"),
        ("1.25.0", "v1.27.9", ""),
        ("1.24.0", "v1.27.9", "3 minors behind the API server, 1.27.9, which supports 2"),
        ("1.34.2", "v1.35.2-eks-12345", ""),
        ("one", "v1.35.2", "not a Kubernetes version"),
    ],
)
def test_the_api_server_bounds_the_kubelet(kubelet: str, server: str, refusal: str) -> None:
    skew = check_skew(a_machine(kubelet_version=kubelet, runtime=None), None, server)
    assert bool(skew.refusals) == bool(refusal)
    assert all(refusal in sentence and sentence.startswith("spec.versions.kubelet: ") for sentence in skew.refusals)


@given(st.integers(20, 60), st.integers(15, 65))
def test_only_the_minors_of_the_policy_are_supported(server: int, kubelet: int) -> None:
    skew = check_skew(a_machine(kubelet_version=f"1.{kubelet}.0", runtime=None), None, f"v1.{server}.0")
    # As the policy says it: three minors for kubelet 1.25 and newer, else two.
    supported = kubelet <= server and server - kubelet <= (3 if kubelet >= 25 else 2)
    assert (not skew.refusals) == supported
    assert supported == (oldest_kubelet_minor(server) <= kubelet <= server)
    assert supported == is_within_skew(f"v1.{kubelet}.0", f"v1.{server}.0")
    assert is_within_skew(f"v1.{kubelet}.0", "garbage")


@pytest.mark.parametrize(
    ("before", "after", "warning"),
    [
        ("v1.33.1", "1.34.9", ""),
        ("v1.34.1", "1.34.9", ""),
        ("v1.34.9", "1.34.1", ""),
        ("v1.33.1", "1.35.0", "skips 1 of"),
        ("v1.34.9", "1.33.1", "downgrade across minors"),
    ],
)
def test_a_step_between_minors_is_worth_a_warning(before: str, after: str, warning: str) -> None:
    skew = check_skew(a_machine(kubelet_version=after), an_observed(kubelet=before), "v1.35.2")
    assert skew.refusals == ()
    assert [warning in sentence for sentence in skew.warnings] == ([True] if warning else [])


def test_a_kubelet_that_blocks_the_control_plane_is_named() -> None:
    (warning,) = check_skew(a_machine(kubelet_version="1.32.0"), None, "v1.35.2").warnings
    assert "before the control plane goes to 1.36" in warning


@pytest.mark.parametrize(
    ("kubelet", "runtime", "refused", "text"),
    [
        ("1.34.9", Runtime("containerd", "1.7.24~ds1"), False, ""),
        ("1.34.9", Runtime("containerd", "2.1"), False, ""),
        ("1.26.0", Runtime("containerd", "1.5.18"), True, "CRI v1"),
        ("1.25.0", Runtime("containerd", "1.5.18"), False, ""),
        ("1.26.0", Runtime("containerd", "1.6.0"), False, ""),
        ("1.22.0", Runtime("containerd", "2.0.0"), True, "v1alpha2"),
        ("1.36.0", Runtime("containerd", "1.7.24"), False, "last release that supports containerd 1.x"),
        ("1.36.0", Runtime("containerd", "2.0.0"), False, ""),
        ("1.24.0", Runtime("docker", "20.10"), True, "dockershim"),
        ("1.23.0", Runtime("docker", "20.10"), False, ""),
        ("1.34.9", Runtime("cri-o", "1.34.1"), False, ""),
        ("1.34.9", Runtime("cri-o", "1.33.1"), False, "made for Kubernetes 1.33"),
        ("1.34.9", Runtime("containerd", "Unknown"), False, ""),
    ],
)
def test_a_runtime_must_speak_with_the_kubelet(kubelet: str, runtime: Runtime, refused: bool, text: str) -> None:
    machine = a_machine(kubelet_version=kubelet, runtime=runtime)
    minor = kubelet.split(".")[1]
    skew = check_skew(machine, None, f"v1.{minor}.0")
    assert bool(skew.refusals) is refused
    sentences = [*skew.refusals, *skew.warnings]
    assert len(sentences) == bool(text)
    assert all(text in sentence and sentence.startswith("spec.versions.containerRuntime: ") for sentence in sentences)


def test_the_runtime_of_the_node_counts_when_none_is_declared() -> None:
    machine = a_machine(kubelet_version="1.26.0", runtime=None)
    skew = check_skew(machine, an_observed(kubelet="v1.25.0", runtime="containerd://1.5.18"), "v1.26.0")
    assert "CRI v1" in skew.refusals[0]


@pytest.mark.parametrize(
    ("declared", "live", "problem"),
    [
        ("1.35.0", "v1.35.2", ""),
        ("1.35", "v1.35.2", ""),
        ("", "v1.35.2", ""),
        ("1.34.9", "v1.35.2", "1.34.9 contradicts the API server, which is of version 1.35.2"),
        ("latest", "v1.35.2", "is not a Kubernetes version"),
    ],
)
def test_a_cluster_file_must_not_contradict_its_api_server(declared: str, live: str, problem: str) -> None:
    sentence = cluster_contradiction(Cluster("east", kubernetes_version=declared, origin="east.yaml:1"), live)
    assert (problem in sentence) if problem else sentence == ""
    assert not problem or sentence.startswith("east.yaml:1: Cluster east: spec.kubernetesVersion: ")
