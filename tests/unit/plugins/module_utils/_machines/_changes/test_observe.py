# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a Node says of its machine."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._machines._changes._machine_annotation import (
    MachineAnnotation,
)
from ansible_collections.configok.node.plugins.module_utils._machines._changes.observe import observe, parse_runtime
from ansible_collections.configok.node.plugins.module_utils._machines._objects.types import Runtime, Taint
from support.rollouts.declared_machines import SOURCE, a_node


def test_versions_config_and_place_are_read() -> None:
    taints = [{"key": "dedicated", "value": "gpu", "effect": "NoSchedule"}]
    machine = observe(a_node(source=SOURCE, taints=taints, local_config="0" * 20))
    assert (machine.name, machine.uid, machine.kubelet_version) == ("worker-1", "uid-of-worker-1", "1.34.9")
    assert machine.runtime == Runtime("containerd", "1.7.24")
    assert machine.ready
    assert (machine.config.ok, machine.config.source, machine.config.active) == ("True", SOURCE, SOURCE)
    assert machine.taints == (Taint("dedicated", "gpu", "NoSchedule"),)
    assert machine.addresses == ("10.0.0.11", "worker-1")
    assert (machine.has_agent, machine.is_ours, machine.config.local) == (True, False, "0" * 20)


def test_the_annotation_says_what_the_last_run_has_set() -> None:
    annotation = MachineAnnotation(
        "worker-1",
        "DebianHost",
        "0a1b2c3d4e",
        ("disk",),
        ("a:NoSchedule",),
        "1.34.9",
        Runtime("containerd", "1.7.24-6"),
    )
    machine = observe(a_node(annotation=annotation.encode()))
    assert machine.is_ours
    assert (machine.annotation.labels, machine.annotation.taints) == (("disk",), ("a:NoSchedule",))
    assert (machine.annotation.provider, machine.annotation.provider_hash) == ("DebianHost", "0a1b2c3d4e")
    assert (machine.annotation.kubelet, machine.annotation.runtime) == ("1.34.9", Runtime("containerd", "1.7.24-6"))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "is not what a run writes: it is not JSON"),
        (MachineAnnotation("worker-2", "DebianHost", "").encode(), "is that of machine worker-2"),
    ],
)
def test_an_annotation_that_cannot_be_used_counts_as_none(text: str, problem: str) -> None:
    machine = observe(a_node(annotation=text))
    assert not machine.is_ours
    assert machine.annotation.labels == ()
    assert problem in machine.annotation_error


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("containerd://1.7.24~ds1", Runtime("containerd", "1.7.24~ds1")),
        ("cri-o://1.30.2", Runtime("cri-o", "1.30.2")),
        ("containerd://v2.1.0", Runtime("containerd", "2.1.0")),
        ("containerd://Unknown", Runtime("containerd", "Unknown")),
        ("containerd", None),
        ("", None),
        (None, None),
        (7, None),
    ],
)
def test_a_runtime_is_a_name_and_a_version(text: Any, expected: Runtime | None) -> None:
    assert parse_runtime(text) == expected


@pytest.mark.parametrize(
    "node",
    [
        {},
        {"metadata": None, "spec": None, "status": None},
        {"metadata": {"name": "n"}, "spec": {"taints": [{}, {"key": 7}, {"key": "a", "effect": "Never"}]}},
        {"metadata": {"name": "n"}, "status": {"addresses": [None, {"type": "InternalIP"}], "nodeInfo": {}}},
    ],
)
def test_what_is_not_well_formed_is_left_out(node: dict[str, Any]) -> None:
    machine = observe(node)
    assert (machine.taints, machine.addresses, machine.runtime) == ((), (), None)


def test_texts_of_a_node_cannot_reach_the_terminal() -> None:
    machine = observe(a_node(kubelet="v1.34.9\x1b[2J", runtime="containerd://1.7\x1b[2J"))
    assert "\x1b" not in machine.kubelet_version
    assert machine.runtime is not None
    assert "\x1b" not in machine.runtime.version
