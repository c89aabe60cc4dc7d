# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Before a component is touched, on a real node: a real kubelet, its flags, its host."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._nodeconfig.config_status import (
    ComponentStatus,
    read_status,
)
from support.machines import Node, Testbed, Unavailable
from support.session.unavailable import leave_out

ORIGIN = "/var/lib/kubelet/config.yaml"
SWAPS = "Filename\tType\tSize\tUsed\tPriority\n/swapfile file 2097148 0 -2\n"


@pytest.fixture(scope="module")
def bed() -> Iterator[Testbed]:
    """One node, with an agent that denies nothing and whose heartbeat is short."""
    try:
        bed = Testbed.start("before-touching")
    except Unavailable as problem:
        leave_out(problem)
    with bed:
        kubelet = {
            "name": "kubelet",
            "config": ORIGIN,
            "config_variable": "KUBELET_CONFIG_ARGS",
            "version_command": ["/usr/bin/kubelet", "--version"],
            "agent_options": {"allowedFields": ["*"]},
        }
        bed.nodes[0].provision(node_components=[kubelet], node_agent_options={"heartbeatInterval": "2s"})
        bed.nodes[0].wait_config_ok("True")
        yield bed


@pytest.fixture
def node(bed: Testbed) -> Node:
    return bed.nodes[0]


def assign(bed: Testbed, fields: Mapping[str, Any], status: str, *, again: bool = False) -> dict[str, Any]:
    """Assign the kubelet's config with these fields, and return ConfigOK when it has that status.

    again: it is what is assigned already.
    """
    source = bed.publish({"kubelet": fields}, trial={"trialDuration": "5s"})
    assignment = bed.assign(bed.nodes[0], source, forget_bad=again)
    return bed.nodes[0].wait_config_ok(status, assignment=assignment)


def kubelet_status(node: Node) -> ComponentStatus:
    """Return what the structured status says of the kubelet."""
    status = read_status(node.get())
    assert status is not None
    return status.components["kubelet"]


def shown(node: Node) -> str:
    """Return what `status` shows, without its line breaks."""
    return " ".join(node.run(["configok-agent", "status"]).stdout.split())


@pytest.mark.contract("adopt.state-files")
def test_a_kubelet_taken_over_as_it_ran_can_be_given_another_cpu_policy(bed: Testbed, node: Node) -> None:
    assert json.loads(node.read("/var/lib/kubelet/cpu_manager_state"))["policyName"] == "none"
    starts = node.kubelet_starts()
    assign(bed, {"cpuManagerPolicy": "static", "kubeReserved": {"cpu": "500m"}}, "True")
    assert json.loads(node.read("/var/lib/kubelet/cpu_manager_state"))["policyName"] == "static"
    assert node.kubelet_starts() == starts + 1, "it never crashed over its state file"
    assign(bed, {}, "True")
    assert json.loads(node.read("/var/lib/kubelet/cpu_manager_state"))["policyName"] == "none"
    assert node.kubelet_starts() == starts + 2


@pytest.mark.contract("validate.host-checks", "validate.costs-no-restart")
@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (
            {"tlsCertFile": "/etc/none.crt", "tlsPrivateKeyFile": "/etc/none.key"},
            "tlsCertFile: the file does not exist",
        ),
        (
            {"tlsCertFile": "/etc/hostname", "tlsPrivateKeyFile": "/etc/none.key"},
            "tlsCertFile: the file holds no certificate in PEM form",
        ),
        ({"reservedSystemCPUs": "4000"}, "reservedSystemCPUs: CPU 4000 is too high: this host has "),
        (
            {"kubeReserved": {"memory": "9Ti"}},
            "kubeReserved.memory: with the other reservations and evictionHard it is",
        ),
        (
            {"enforceNodeAllocatable": ["kube-reserved"], "kubeReservedCgroup": "/none.slice", "cgroupsPerQOS": True},
            "kubeReservedCgroup: the cgroup does not exist on this host",
        ),
    ],
)
def test_a_config_that_this_host_does_not_support_costs_no_restart(
    bed: Testbed, node: Node, fields: Mapping[str, Any], message: str
) -> None:
    starts = node.kubelet_starts()
    assert message in assign(bed, fields, "False")["reason"]
    assert node.kubelet_starts() == starts


@pytest.mark.contract("validate.host-checks")
def test_each_assignment_checks_swap_as_the_kubelet_does(bed: Testbed, node: Node) -> None:
    starts = node.kubelet_starts()
    node.write("/run/swaps", SWAPS)
    node.run(["mount", "--bind", "/run/swaps", "/proc/swaps"])
    # Its unit has mounts of its own, and sees those that were there when it started. Real swap is not a mount.
    node.run(["systemctl", "restart", "configok-agent"])
    try:
        condition = assign(bed, {"failSwapOn": True}, "False")
        assert "failSwapOn: must be false, or swap turned off: this host swaps to /swapfile" in condition["reason"]
        assert node.kubelet_starts() == starts
    finally:
        node.run(["umount", "/proc/swaps"])
        node.run(["systemctl", "restart", "configok-agent"])
    assign(bed, {"failSwapOn": True}, "True", again=True)
    assert node.kubelet_starts() == starts + 1


@pytest.mark.contract("render.shadowed")
def test_a_shadowed_field_is_named(bed: Testbed, node: Node) -> None:
    flags = node.read("/var/lib/kubelet/kubeadm-flags.env")
    node.write("/var/lib/kubelet/kubeadm-flags.env", flags.rstrip().rstrip('"') + ' --max-pods=33"\n')
    node.run(["systemctl", "restart", "kubelet"])
    node.wait_healthy()
    assign(bed, {"maxPods": 55}, "True")
    assert kubelet_status(node).shadowed == ("maxPods (--max-pods)",)
    node.wait("Node with the flag's capacity", lambda: node.get()["status"]["capacity"]["pods"] == "33")
    assert "not from the config: maxPods (--max-pods)" in shown(node)
    node.write("/var/lib/kubelet/kubeadm-flags.env", flags)
    node.run(["systemctl", "restart", "kubelet"])
    node.wait("status without shadowed fields", lambda: kubelet_status(node).shadowed == ())


@pytest.mark.contract("init.drift-reported")
def test_drift_is_reported_and_restarts_nothing(node: Node) -> None:
    starts, text = node.kubelet_starts(), node.read(ORIGIN)
    node.write(ORIGIN, text + "maxPods: 44\n")
    note = f"{ORIGIN} has changed since it became the init config"
    condition = node.wait("drift", lambda: kubelet_status(node).note == note and node.wait_config_ok("True"))
    assert condition["reason"].endswith(note)
    assert note in shown(node)
    node.write(ORIGIN, text)
    node.wait("end of the drift", lambda: kubelet_status(node).note == "")
    assert node.kubelet_starts() == starts
