# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The live config compared with the file that was given."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._agent_configuration import (
    AgentConfiguration,
    ComponentConfiguration,
)
from ansible_collections.configok.node.plugins.module_utils._agent._interfaces import CommandResult
from ansible_collections.configok.node.plugins.module_utils._agent._probes import HealthProber, LiveConfigProbe
from ansible_collections.configok.node.plugins.module_utils._agent._state.health import ProbeResult, Unit
from ansible_collections.configok.node.plugins.module_utils._agent._system_clock import SystemClock
from ansible_collections.configok.node.plugins.module_utils._componentconfig._codec.document import Document
from ansible_collections.configok.node.plugins.module_utils._componentconfig.check import config_at
from ansible_collections.configok.node.plugins.module_utils._componentconfig.live_config import differences
from support.agents.log_lines import record_log
from support.configs.kubelet import KUBELET_KIND

pytestmark = pytest.mark.contract("probe.configz")


def compared(config: Mapping[str, Any], live: Mapping[str, Any], *overridden: str, minor: int = 33) -> list[str]:
    """Return the differences of a file and a live config."""
    context = config_at(Document({**KUBELET_KIND, **config}, "config"), minor)
    assert context is not None
    return differences(context, live, overridden)


@pytest.mark.parametrize(
    ("config", "live"),
    [
        ({"maxPods": 50}, {"maxPods": 50, "podsPerCore": 0}),
        ({"syncFrequency": "1m"}, {"syncFrequency": "1m0s"}),
        ({"maxPods": 0}, {"maxPods": 110}),  # not a pointer: zero is absent
        ({"protectKernelDefaults": False}, {}),
        ({"failSwapOn": False}, {"failSwapOn": False}),
        ({"clusterDNS": []}, {}),
        ({"allowedUnsafeSysctls": None}, {}),
        ({"evictionHard": {"memory.available": "1Gi"}}, {"evictionHard": {"memory.available": "1Gi", "x": "1"}}),
        ({"authentication": {"anonymous": {"enabled": False}}}, {"authentication": {"anonymous": {"enabled": False}}}),
        ({"reservedSystemCPUs": "0", "kubeReserved": {"cpu": "1"}}, {"reservedSystemCPUs": "0"}),
        ({"cgroupDriver": "cgroupfs"}, {"cgroupDriver": "systemd"}),  # the kubelet asks the runtime
        ({"reservedMemory": [{"limits": {"memory": "1Gi"}}]}, {"reservedMemory": [{"numaNode": 0, "limits": {}}]}),
        ({"unheardOf": 1}, {}),
        ({"evictionHard": {}}, {}),  # as the kubelet shows an empty map
        ({"enforceNodeAllocatable": []}, {}),
        ({"userNamespaces": {}}, {"userNamespaces": {"idsPerPod": 65536}}),
        ({"kubeReserved": {}}, {"kubeReserved": {"cpu": "1"}}),  # no default is switched off
    ],
)
def test_what_is_the_same(config: Mapping[str, Any], live: Mapping[str, Any]) -> None:
    assert compared(config, live) == []


@pytest.mark.parametrize(
    ("config", "live", "difference"),
    [
        ({"maxPods": 50}, {"maxPods": 110}, "maxPods: is 110, and 50 was given"),
        (
            {"evictionHard": {}},
            {"evictionHard": {"memory.available": "100Mi"}},
            'evictionHard: is {"memory.available": "100Mi"}, and {} was given',
        ),
        (
            {"enforceNodeAllocatable": []},
            {"enforceNodeAllocatable": ["pods"]},
            'enforceNodeAllocatable: is ["pods"], and [] was given',
        ),
        ({"failSwapOn": False}, {"failSwapOn": True}, "failSwapOn: is true, and false was given"),
        ({"syncFrequency": "2m"}, {"syncFrequency": "1m0s"}, 'syncFrequency: is "1m0s", and "2m" was given'),
        ({"clusterDNS": ["10.0.0.10"]}, {}, 'clusterDNS: is not set, and ["10.0.0.10"] was given'),
        (
            {"featureGates": {"A": True}},
            {"featureGates": {"B": True}},
            "featureGates.A: is not set, and true was given",
        ),
    ],
)
def test_what_is_not(config: Mapping[str, Any], live: Mapping[str, Any], difference: str) -> None:
    assert compared(config, live) == [difference]


def test_what_a_flag_wins_over_is_left_out() -> None:
    config = {"maxPods": 50, "kubeReserved": {"cpu": "1"}, "featureGates": {"A": True, "B": True}}
    live = {"maxPods": 20, "kubeReserved": {"cpu": "2"}, "featureGates": {"A": False, "B": False}}
    result = compared(config, live, "maxPods", "kubeReserved", "featureGates.A")
    assert result == ["featureGates.B: is false, and true was given"]


class Child:
    """A command runner that answers as ``compare --json`` does."""

    def __init__(self, out: str, err: str = "") -> None:
        self.result = CommandResult(0, out, err)
        self.calls: list[list[str]] = []

    def __call__(
        self, argv: Sequence[str], *, timeout: float, env: Mapping[str, str] | None = None, stdin: str = ""
    ) -> CommandResult:
        self.calls.append(list(argv))
        return self.result


def answer(paths: Sequence[str] = (), unknown: str = "") -> str:
    return json.dumps({"differences": list(paths), "unknown": unknown})


def test_a_difference_fails_the_probe_and_is_probed_again() -> None:
    child, log = Child(answer(["maxPods: is 110, and 50 was given", "b"])), record_log([])
    live = LiveConfigProbe(child, ["agent", "compare"])
    expected = ProbeResult(False, "live config: maxPods: is 110, and 50 was given (and 1 more)")
    assert [live("kubelet", "i1"), live("kubelet", "i1")] == [expected, expected]
    child.result = CommandResult(0, answer(), "")
    assert [live("kubelet", "i1"), live("kubelet", "i1")] == [None, None]
    assert child.calls == [["agent", "compare", "--json", "kubelet"]] * 3
    assert live("kubelet", "i2") is None
    assert len(child.calls) == 4, "another process is another live config"
    assert log == []


@pytest.mark.parametrize("out", [answer(unknown="forbidden"), "", "[]", "null", "Traceback"])
def test_a_missing_answer_is_not_a_verdict_and_is_logged_once(out: str) -> None:
    log = record_log([])
    live = LiveConfigProbe(Child(out, "why"), ["x"])
    assert [live("kubelet", f"i{number}") for number in range(3)] == [None] * 3
    assert len(log) == 1


def test_the_prober_asks_last_and_for_the_kubelet_alone() -> None:
    components = {
        name: ComponentConfiguration(name, f"{name}.service", serving_probe=False) for name in ("kubelet", "x")
    }
    calls: list[tuple[str, str]] = []

    def live(component: str, invocation: str) -> ProbeResult | None:
        calls.append((component, invocation))
        return ProbeResult(False, "live config: no")

    status = {"code": 500}
    prober = HealthProber(
        AgentConfiguration("n1", "/k", components), SystemClock(), http_status=lambda *_: status["code"], live=live
    )
    unit = Unit("kubelet.service", "active", "i1", 1, 0.0)
    assert not prober("kubelet", {}, unit).ok
    assert calls == []
    status["code"] = 200
    assert prober("kubelet", {}, unit) == ProbeResult(False, "live config: no")
    assert prober("x", {}, unit).ok
    assert calls == [("kubelet", "i1")]
