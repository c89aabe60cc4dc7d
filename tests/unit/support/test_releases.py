# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The suites on real nodes fit themselves to the release of Kubernetes at hand."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from ansible_collections.configok.node.plugins.module_utils._componentconfig.check import check
from support.api.binaries import minor_of
from support.configs.kubelet import KUBELET_KIND
from support.conformance.ancestor import missing_ancestor
from support.conformance.payloads import gated
from support.machines import _node_files
from support.migration.fitting import fitting
from support.migration.flag_sets import SETS

MINORS = range(20, 37)


@pytest.fixture
def assets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory for programs that KUBEBUILDER_ASSETS names."""
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(tmp_path))
    return tmp_path


def install(assets: Path, **minors: int) -> None:
    """Write programs that report a release."""
    for name, minor in minors.items():
        program = assets / name.replace("_", "-")
        program.write_text(f"#!/bin/sh\necho Kubernetes v1.{minor}.2\n")
        program.chmod(0o755)


@pytest.mark.parametrize(("kubelet", "server", "named"), [(24, 24, 2), (23, 24, 1), (36, 36, 2)])
def test_newer_releases_have_no_ancestor(assets: Path, kubelet: int, server: int, named: int) -> None:
    install(assets, kubelet=kubelet, kube_apiserver=server)
    assert minor_of("kubelet") == kubelet
    reason = missing_ancestor()
    assert "removed in Kubernetes 1.24" in reason
    assert reason.partition("and this is")[2].count("1.") == named


def test_an_older_release_has_the_ancestor(assets: Path) -> None:
    install(assets, kubelet=23, kube_apiserver=20)
    assert missing_ancestor() == ""


@pytest.mark.parametrize("minor", MINORS)
def test_a_value_is_refused_for_its_gate(minor: int) -> None:
    findings = check(yaml.safe_dump({**KUBELET_KIND, **gated(minor)}), versions=[f"1.{minor}"])
    assert ["feature gate" in finding.message for finding in findings] == [True]


@pytest.mark.parametrize(
    ("minor", "version_1", "fields"),
    [(30, True, {}), (35, False, {}), (31, True, {"failCgroupV1"}), (35, True, {"failCgroupV1"})],
)
def test_a_kubelet_takes_cgroup_v1_where_the_machine_has_it(
    monkeypatch: pytest.MonkeyPatch, minor: int, version_1: bool, fields: set[str]
) -> None:
    monkeypatch.setattr(_node_files, "only_version_1", lambda: version_1)
    assert set(_node_files.kubelet_config(minor)) - set(_node_files.kubelet_config(20)) == set(fields)


def test_flag_sets_are_as_written_for_the_release_that_they_are_of() -> None:
    assert [fitting(sample, 20) for sample in SETS] == list(SETS)


def test_flags_and_gates_that_a_release_lacks_are_left_out() -> None:
    words = {word for sample in SETS for word in fitting(sample, 36).words}
    assert not [word for word in words if word.startswith(("--container-runtime=", "--network-plugin"))]
    assert "--feature-gates=AllAlpha=false" in words
    assert not [word for word in words if "TopologyManager=" in word]
    assert all("--fail-cgroupv1=false" in fitting(sample, 36).words for sample in SETS)
    configs = [fitting(sample, 36).config for sample in SETS]
    assert not [config for config in configs if "IPv6DualStack" in config]
