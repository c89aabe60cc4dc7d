# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The cgroups that a kubelet looks for, by its driver, and those that it does not find."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._codec.document import Document
from ansible_collections.configok.node.plugins.module_utils._componentconfig._rules._host_cgroups import (
    cgroup_findings,
    cgroup_paths,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._rules._rule import EffectiveConfig
from ansible_collections.configok.node.plugins.module_utils._componentconfig._rules.host_model import Cgroup, Host
from ansible_collections.configok.node.plugins.module_utils._componentconfig.check import config_at
from ansible_collections.configok.node.plugins.module_utils._componentconfig.findings import Level
from support.configs.kubelet import KUBELET_KIND

pytestmark = pytest.mark.contract("validate.host-checks")

NOWHERE = Cgroup(exists=False)


def context(config: Mapping[str, Any], minor: int = 28) -> EffectiveConfig:
    """Return the config as the kubelet of a minor sees it."""
    effective = config_at(Document({**KUBELET_KIND, **config}, "config"), minor)
    assert effective is not None
    return effective


def reserved(name: str, driver: str = "systemd") -> dict[str, Any]:
    """Return a config that enforces the reservation of a cgroup."""
    return {"cgroupDriver": driver, "enforceNodeAllocatable": ["pods", "kube-reserved"], "kubeReservedCgroup": name}


PATHS = [
    (reserved("/system.slice/kubelet.service"), "/system.slice/kubelet.service", "/kubelet.service.slice"),
    (reserved("/system.slice"), "/system.slice", "/system.slice"),
    (reserved("system"), "/system", "/system.slice"),
    (reserved("/kube-reserved.slice"), "/kube-reserved.slice", "/kube.slice/kube-reserved.slice"),
    (reserved("/a.slice/kube_x.slice/"), "/a.slice/kube_x.slice", "/kube_x.slice"),
    (reserved(".slice"), "/.slice", "/"),
    (reserved("-.slice"), "/-.slice", "/"),
    ({"cgroupRoot": "/kube"}, "/kube", "/kube.slice"),
    ({"cgroupRoot": "/pods/kube-x"}, "/pods/kube-x", "/pods.slice/pods-kube_x.slice"),
    ({"cgroupRoot": "system.slice"}, "/system.slice", "/system.slice.slice"),
]


@pytest.mark.parametrize(("config", "cgroupfs", "systemd"), PATHS)
def test_each_driver_has_its_own_name_for_a_cgroup(config: dict[str, Any], cgroupfs: str, systemd: str) -> None:
    assert cgroup_paths(context(config)) == {cgroupfs, systemd}
    for driver, path in (("cgroupfs", cgroupfs), ("systemd", systemd)):
        effective = context({**config, "cgroupDriver": driver})
        [finding] = cgroup_findings(effective, Host(cgroups={path: NOWHERE}))
        assert (finding.level, finding.rule) == (Level.COMPONENT, "qos-root")
        assert "the cgroup does not exist on this host" in finding.message
        assert (f"the driver {driver} looks for {path}" in finding.message) == (path != cgroupfs)
        assert not list(cgroup_findings(effective, Host(cgroups={path: Cgroup(exists=True)})))


@pytest.mark.parametrize("name", ["/a--b.slice", "/-a.slice", "/kube-.slice"])
def test_a_name_that_is_not_a_slice_ends_the_kubelet_with_the_driver_systemd(name: str) -> None:
    [finding] = cgroup_findings(context(reserved(name)), Host())
    assert (finding.level, finding.field) == (Level.COMPONENT, "kubeReservedCgroup")
    assert finding.message.startswith("must be the name of a slice")
    assert not list(cgroup_findings(context(reserved(name, "cgroupfs")), Host()))


def test_a_cgroup_without_all_controllers_is_refused() -> None:
    host = Host(cgroups={"/system.slice": Cgroup(exists=True, lacks=("cpuset", "hugetlb"))})
    [finding] = cgroup_findings(context(reserved("/system.slice")), host)
    assert finding.level is Level.COMPONENT
    assert finding.message == "the cgroup is not in all hierarchies of this host: it lacks cpuset, hugetlb"


@pytest.mark.parametrize(
    ("runtime", "minor", "level"),
    [
        ("", 28, Level.COMPONENT),
        ("cgroupfs", 28, Level.COMPONENT),  # the kubelet does not ask the runtime
        ("systemd", 31, Level.COMPONENT),
        ("cgroupfs", 31, Level.NOT_JUDGED),  # a runtime that does not answer leaves the config's driver
        ("", 31, Level.NOT_JUDGED),
    ],
)
def test_where_the_runtime_may_decide_the_driver_the_verdict_waits(runtime: Any, minor: int, level: Level) -> None:
    host = Host(cgroups={"/kubelet.service.slice": NOWHERE}, runtime_driver=runtime)
    [finding] = cgroup_findings(context(reserved("/kubelet.service"), minor), host)
    assert finding.level is level


def test_a_cgroup_that_neither_driver_finds_is_missing() -> None:
    host = Host(cgroups={"/x": NOWHERE, "/x.slice": NOWHERE})
    [finding] = cgroup_findings(context(reserved("/x"), 34), host)
    assert finding.level is Level.COMPONENT


@pytest.mark.parametrize(
    "config",
    [
        {"kubeReservedCgroup": "/x"},
        {"cgroupRoot": "/x", "cgroupsPerQOS": False, "enforceNodeAllocatable": []},
        {"kubeletCgroups": "/x", "systemCgroups": "/x", "cgroupRoot": "/"},
    ],
)
def test_a_cgroup_that_the_kubelet_does_not_use_or_creates_is_not_needed(config: dict[str, Any]) -> None:
    assert cgroup_paths(context(config)) == frozenset()
