# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ancestor's eighteen known faults, as cases for the agent; 1, 3 and 7 are in separate files."""

from __future__ import annotations

import itertools
import json
import threading
import uuid
from collections.abc import Mapping
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import Invalid, KubeError
from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import config_map
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import ConfigSource
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle import build_bundle
from support.conformance.ours import SHORT, OurNode
from support.conformance.payloads import document, gated
from support.conformance.wait import stays, until

# Fault 2: values that the ancestor's validation accepted, and that made the kubelet exit.
GAPS: Mapping[str, Mapping[str, Any]] = {
    "eviction signal": {"evictionHard": {"bogus.available": "5%"}},
    "eviction quantity": {"evictionHard": {"memory.available": "-1"}},
    "eviction grace period": {"evictionSoft": {"memory.available": "1Gi"}},
    "reserved quantity": {"systemReserved": {"memory": "-1Mi"}},
    "qosReserved": {"qosReserved": {"memory": "200%"}},
    "CPU manager policy": {"cpuManagerPolicy": "static"},
    "cipher suite": {"tlsCipherSuites": ["TLS_NULL"]},
    "TLS version": {"tlsMinVersion": "VersionTLS09"},
    "certificate path": {"tlsCertFile": "/nonexistent.pem", "tlsPrivateKeyFile": "/nonexistent.key"},
    "CA path": {"authentication": {"x509": {"clientCAFile": "/nonexistent.pem"}}},
    "container log size": {"containerLogMaxSize": "bogus"},
}
# Errors that depend on the host. Swap and kernel parameters belong to the whole machine: unit tests cover them.
HOST: Mapping[str, Mapping[str, Any]] = {
    "CPUs beyond the machine": {"reservedSystemCPUs": "0-4095"},
    "another cgroup driver than the runtime's": {"cgroupDriver": "systemd"},
}
# From this minor on the kubelet asks the runtime for its driver (KubeletCgroupDriverFromCRI is on by default).
DRIVER_ASKED_SINCE = 31
RUNC = '\n[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]\nSystemdCgroup = false\n'
# The kubelet's path fields (its KubeletConfigurationPathRefs): fault 15 and 17.
PATHS: Mapping[str, Mapping[str, Any]] = {
    "staticPodPath": {"staticPodPath": "manifests"},
    "authentication.x509.clientCAFile": {"authentication": {"x509": {"clientCAFile": "ca.crt"}}},
    "tlsCertFile": {"tlsCertFile": "kubelet.crt"},
    "tlsPrivateKeyFile": {"tlsPrivateKeyFile": "kubelet.key"},
    "resolvConf": {"resolvConf": "resolv.conf"},
    "volumePluginDir": {"volumePluginDir": "plugins"},
}


def _refused(node: OurNode, changes: Mapping[str, Any]) -> str:
    """Assign a config; check that it is refused; return the reason."""
    source = node.publish(changes, trial="7s")
    answer = node.expect(node.assign(source), "InvalidConfig", assigned=source, active=None, good=None)
    return str(answer.condition["reason"]).partition("): ")[2]


@pytest.mark.contract("validate.costs-no-restart", "validate.for-the-version", "validate.denied-fields")
def test_2_what_validation_leaves_out(ours: OurNode, case: Any) -> None:
    with case("F2", ours) as seen:
        for changes in GAPS.values():
            _refused(ours, changes)
        assert seen.restarts == 0
        seen.say(f"refused before anything is changed: {', '.join(GAPS)}; 0 restarts")


@pytest.mark.contract("validate.host-checks")
def test_2_what_only_the_host_tells(ours: OurNode, case: Any) -> None:
    path = "/etc/containerd/config.toml"
    original = ours.machine.read(path)
    try:
        ours.machine.write(path, original + RUNC, mode=0o644)
        with case("F2 host", ours) as seen:
            refused = [
                name
                for name, changes in HOST.items()
                if "cgroupDriver" not in changes or ours.bed.minor < DRIVER_ASKED_SINCE
            ]
            for name in refused:
                assert next(iter(HOST[name])) in _refused(ours, HOST[name])
            assert seen.restarts == 0
            seen.say(f"refused before anything is changed: {', '.join(refused)}; 0 restarts")
            if len(refused) < len(HOST):
                seen.say("this kubelet takes the cgroup driver from the runtime")
    finally:
        ours.machine.write(path, original, mode=0o644)


@pytest.mark.complaint(
    "kubespray #8535: changing the CPU manager policy crash-loops until a state file is deleted and the node drained"
)
@pytest.mark.contract("adopt.state-files")
def test_2_the_state_file_of_another_cpu_manager_policy(ours: OurNode, case: Any) -> None:
    static = ours.publish({"cpuManagerPolicy": "static", "kubeReserved": {"cpu": "500m"}}, trial=SHORT, threshold=0)
    with case("F2 cpu_manager_state", ours) as seen:
        ours.settled(static)
        assert '"static"' in ours.machine.read("/var/lib/kubelet/cpu_manager_state")
        ours.answered(ours.assign(None), "Init")
        assert '"none"' in ours.machine.read("/var/lib/kubelet/cpu_manager_state")
        assert seen.restarts == 2
        seen.say("to the static policy and back: the state file is set aside both times, no crash")


@pytest.mark.complaint("MCO #1443: deleting the bad config does not recover; stuck Degraded")
def test_4_the_error_goes_with_its_cause(ours: OurNode, case: Any) -> None:
    absent = ConfigSource("configok-system", "pool-0123456789", str(uuid.uuid4()))
    with case("F4", ours) as seen:
        for _again in range(2):  # even if no usable source was ever assigned
            ours.answered(ours.assign(absent), "FetchFailed")
            answer = ours.answered(ours.assign(None), "Init")
            assert answer.status.error == ""
        assert seen.restarts == 0
        seen.say("ConfigOK is True again as soon as it is unassigned")


@pytest.mark.contract("condition.until-written", "condition.stopped", "condition.after-an-outage")
def test_5_a_status_that_was_not_written(ours: OurNode, case: Any, api_stays: threading.Lock) -> None:
    with api_stays, case("F5", ours) as seen:
        ours.bed.api.stop()
        try:
            ours.machine.run(["systemctl", "stop", "kubelet"])
            journal = ["journalctl", "-u", "configok-agent", "--since=-30s", "-o", "cat"]
            until("the agent could not write", lambda: "not written" in str(ours.machine.run(journal).stdout))
        finally:
            ours.bed.api.start()
        until("it is written", lambda: _cause(ours) == "UnitStopped", 30, ours.says)
        ours.machine.run(["systemctl", "start", "kubelet"])
        until("ConfigOK is True", lambda: _cause(ours) == "Init", 60, ours.says)
        seen.say("written after the API server's return, without a restart")


def _cause(node: OurNode) -> str:
    answer = node.says()
    return "" if answer is None else answer.status.cause


@pytest.mark.contract("manners.back-off")
def test_8_a_missing_bundle_is_asked_for_with_back_off(ours: OurNode, case: Any) -> None:
    absent = ConfigSource("configok-system", "pool-0123456789", str(uuid.uuid4()))
    with case("F8", ours) as seen:
        cursor = ours.machine.run(["journalctl", "-n0", "--show-cursor"]).stdout.split("cursor: ")[1].strip()
        number = ours.assign(absent)
        ours.answered(number, "FetchFailed")
        command = ["journalctl", "-u", "configok-agent", f"--after-cursor={cursor}", "-o", "json"]

        def times() -> list[float]:
            lines = [json.loads(line) for line in str(ours.machine.run(command).stdout).splitlines()]
            failures = [line for line in lines if "cannot be fetched" in str(line.get("MESSAGE"))]
            return [int(line["__REALTIME_TIMESTAMP"]) / 1e6 for line in failures]

        request_times = until("it was asked for five times", lambda: times() if len(times()) >= 5 else None, 60, times)
        assert request_times is not None
        pauses = [later - earlier for earlier, later in itertools.pairwise(request_times)]
        assert pauses[-1] > 2 * pauses[0]
        seen.say("requested again after pauses that double, up to 5 m")


@pytest.mark.contract("source.fetched-once", "manners.one-watch")
def test_9_an_edit_of_the_metadata(ours: OurNode, case: Any) -> None:
    source = ours.publish({"maxPods": 147})
    with case("F9", ours) as seen:
        ours.on(source)
        before = ours.starts()
        for number in range(5):
            body = {"metadata": {"annotations": {"note": str(number)}, "labels": {"note": str(number)}}}
            ours.client.patch(config_map(source.namespace, source.name), body)
        stays("the kubelet is not restarted", lambda: ours.starts() == before, 3)
        seen.say("5 edits of annotations and labels: 0 restarts; no agent watches the bundle")


@pytest.mark.contract("optout.says-so", "optout.uses-nothing", "condition.opted-out")
def test_11_a_node_that_is_not_dynamic_says_so(ours: OurNode, case: Any) -> None:
    source = ours.publish({"maxPods": 148})
    path = "/etc/configok/agent.yaml"
    original = ours.machine.read(path)
    try:
        with case("F11", ours) as seen:
            ours.machine.write(path, json.dumps({**json.loads(original), "dynamicConfig": False}))
            ours.restart_agent()
            until("the agent reports it", lambda: _cause(ours) == "OptedOut", 60, ours.says)
            ours.assign(source)
            stays("it is opted out", lambda: _cause(ours) == "OptedOut", 3)
            assert seen.restarts == 0
            seen.say("ConfigOK is Unknown: dynamic configuration is turned off on this node")
    finally:
        ours.assign(None)
        ours.machine.write(path, original)
        ours.restart_agent()


@pytest.mark.contract("render.instance-config")
def test_12_the_local_part_stays(ours: OurNode, case: Any) -> None:
    with case("F12", ours) as seen:
        own = json.loads(ours.machine.read("/etc/configok/instance/kubelet.yaml"))
        assert own.get("authentication")
        ours.on(ours.publish({"maxPods": 149}))
        read = ours.reads()
        assert {name: read.get(name) for name in own} == own
        seen.say(f"the node keeps its own {', '.join(sorted(own))}; for flags see G8")


@pytest.mark.contract("validate.for-the-version")
def test_13_no_feature_gate_leaks_in(ours: OurNode, case: Any) -> None:
    with case("F13", ours) as seen:
        changes = gated(ours.bed.minor)
        reason = _refused(ours, changes)
        assert next(iter(changes)) in reason
        assert "feature gate" in reason
        assert seen.restarts == 0
        seen.say(f"a config is validated by its own gates: {reason}")


def test_14_unknown_fields(ours: OurNode, case: Any) -> None:
    with case("F14", ours) as seen:
        reason = _refused(ours, {"maxPodz": 110})
        assert "maxPodz" in reason
        assert seen.restarts == 0
        seen.say(f"refused; {reason}")


@pytest.mark.contract("render.relative-paths")
def test_15_and_17_relative_paths(ours: OurNode, case: Any) -> None:
    with case("F15, F17", ours) as seen:
        for field, changes in PATHS.items():
            assert field.partition(".")[0] in _refused(ours, changes)
        assert seen.restarts == 0
        seen.say(f"refused in a bundle, in each of the path fields: {', '.join(PATHS)}")


@pytest.mark.contract("source.correct", "validate.costs-no-restart")
def test_18_what_a_bundle_is_held_to(ours: OurNode, case: Any) -> None:
    body = build_bundle("pool", {"kubelet": document({**ours.values, "maxPods": 150})})
    body["metadata"]["name"] = "pool-0123456789"
    with case("F18", ours) as seen:
        forged = ours.create(body)
        answer = ours.answered(ours.assign(forged), "FetchFailed")
        assert "does not hold what its name says" in answer.condition["reason"]
        ours.delete(forged)
        body["metadata"]["name"] = "large"
        body["data"]["kubelet"] = "#" * (1024 * 1024 + 1)
        with pytest.raises((Invalid, KubeError)):
            ours.create(body)
        ours.machine.write("/run/dry-run.yaml", document({**ours.values, "kubeAPIQPS": -1}))
        printed = ours.agent("validate", "--component=kubelet", "/run/dry-run.yaml", check=False)
        assert "kubeAPIQPS" in printed
        assert seen.restarts == 0
        seen.say("pinned by uid, checked by its hash, at most 1 MiB; configok-agent validate is the dry run")


@pytest.mark.contract("metrics.configs")
def test_16_the_metrics_are_there(ours: OurNode, case: Any) -> None:
    source = ours.publish({"maxPods": 151})
    with case("F16", ours) as seen:
        ours.expect(ours.assign(source), "Good", assigned=source, active=source, good=None)
        assert len(ours.metrics()) == 4
        seen.say("exactly one series each of assigned, active, last_known_good and error, checked in every case")
