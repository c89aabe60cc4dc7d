# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a provider gets: the variables of its role, and no version that a node could have made up."""

from __future__ import annotations

import pytest

from ansible_collections.configok.node.plugins.module_utils._machines._objects.types import (
    Cluster,
    Machine,
    Provider,
    ProviderConfig,
    Runtime,
    Taint,
)
from ansible_collections.configok.node.plugins.module_utils._operations._machines._machine_hosts import (
    HostRequest,
    cluster_variables,
    machine_variables,
    unusable_versions,
    usable_addresses,
)

MACHINE = Machine(
    "w1",
    "east",
    ProviderConfig("toy.example.com/v1", "ToyHost", {"address": "10.0.0.1"}),
    labels={"zone": "a"},
    kubelet_version="1.34.9",
    node_labels={"disk": "ssd"},
    taints=(Taint("gpu", "", "NoSchedule"),),
    origin="machines/a.yml:3",
)


@pytest.mark.parametrize(
    ("kubelet", "runtime", "is_usable"),
    [
        ("1.34.9", Runtime("containerd", "1.7.24~ds1-6+deb13u1"), True),
        ("1:1.34.9-1.1", Runtime("cri-o", ""), True),
        ("", None, True),
        ("{{ lookup('pipe', 'id') }}", None, False),
        ("1.34.9", Runtime("containerd", "{% raw %}"), False),
        ("1.34.9", Runtime("{{x}}", "1"), False),
        ("1.34.9 ; reboot", None, False),
        ("1.34.9\n", None, False),
        ("-y", None, False),
        ("1" * 129, None, False),
    ],
)
def test_versions_of_a_node_are_plain_or_refused(kubelet: str, runtime: Runtime | None, is_usable: bool) -> None:
    reason = unusable_versions(kubelet, runtime)
    assert (reason == "") is is_usable
    assert "\n" not in reason


def test_a_machine_as_its_role_gets_it() -> None:
    variables = machine_variables(MACHINE, kubelet_version="1.34.8", runtime=None, addresses=("10.0.0.1",))
    assert variables == {
        "name": "w1",
        "labels": {"zone": "a"},
        "kubelet_version": "1.34.8",
        "runtime": {},
        "node_labels": {"disk": "ssd"},
        "taints": [{"key": "gpu", "value": "", "effect": "NoSchedule"}],
        "provider": {"address": "10.0.0.1"},
        "addresses": ["10.0.0.1"],
        "source": "machines/a.yml:3",
    }
    runtime = Runtime("containerd", "1.7.24")
    with_runtime = machine_variables(MACHINE, kubelet_version="", runtime=runtime, addresses=())
    assert with_runtime["runtime"] == {"name": "containerd", "version": "1.7.24"}


def test_a_request_adds_to_the_machine_what_it_is_about() -> None:
    provider = Provider("toy.example.com/v1", "ToyHost", "toy")
    request = HostRequest("create", "create", provider, {"name": "w1"}, {})
    replacing = request.with_variables(replaces="w1", rollout="r")
    assert replacing.machine == {"name": "w1", "replaces": "w1", "rollout": "r"}
    assert request.with_variables(replaces="", rollout="") == request
    assert request.with_variables(changes=[]).machine == {"name": "w1", "changes": []}
    assert request.with_variables(has_node=False).machine == {"name": "w1", "has_node": False}


def test_a_cluster_as_a_role_gets_it() -> None:
    cluster = Cluster("east", "https://10.0.0.1:6443", "1.34.9", "10.96.0.0/16", "cluster.local", ("10.96.0.10",))
    assert cluster_variables(cluster, ca_certificate="SERVER", client_ca_certificate="CLIENTS") == {
        "name": "east",
        "endpoint": "https://10.0.0.1:6443",
        "kubernetes_version": "1.34.9",
        "cluster_dns": ["10.96.0.10"],
        "dns_domain": "cluster.local",
        "service_cidr": "10.96.0.0/16",
        "ca_certificate": "SERVER",
        "client_ca_certificate": "CLIENTS",
    }


def test_an_address_of_a_node_is_never_an_option_or_a_template() -> None:
    reported = ("10.0.0.1", "fd00::1", "worker-1.example.com", "-oProxyCommand=x", "{{ 1 }}", "a b", "a\n", "")
    assert usable_addresses(reported) == ("10.0.0.1", "fd00::1", "worker-1.example.com")
