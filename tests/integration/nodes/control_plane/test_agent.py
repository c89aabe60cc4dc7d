# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The agent rolls options of static Pods out on its node, and takes back those that a component does not survive."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle_trial import Trial
from support.configs.options import AUDIT_POLICY, component_options
from support.machines import CommandFailed, ControlPlane, ControlPlaneAgent

SCHEDULER, API_SERVER, ETCD = "kube-scheduler", "kube-apiserver", "etcd"
TRIAL = Trial(5.0, 1)
AUDIT_LOGS = "/var/log/audit"
LOCAL_FIELDS = ("authentication", "authorization", "staticPodPath")  # of a kubelet; no bundle may set them
ALLOWED = {
    "allowedFields": ["flags.etcd-servers", "flags.client-ca-file", "flags.audit-log-path"],
    "hostPaths": [{"path": AUDIT_LOGS, "writable": True}],
}


@pytest.fixture(scope="module")
def agent(control_plane: ControlPlane) -> Iterator[ControlPlaneAgent]:
    """A node that the role has provisioned, which changes no manifest and restarts nothing; and then is removed."""
    before = control_plane.manifests(), control_plane.pids()
    control_plane.node.run(["mkdir", "-p", AUDIT_LOGS])
    running = ControlPlaneAgent(control_plane, {ETCD: {}, SCHEDULER: {}, API_SERVER: ALLOWED})
    assert (control_plane.manifests(), control_plane.pids()) == before
    yield running
    running.kill()


def manifest(agent: ControlPlaneAgent, component: str) -> bytes:
    return agent.control_plane.manifests()[f"{component}.yaml"]


def without_options(agent: ControlPlaneAgent, component: str) -> bytes:
    """Bring the node back to its init manifests, whatever it has adopted before; return that of a component."""
    agent.wait_answer(agent.assign(None), "True")
    return manifest(agent, component)


def test_options_reach_the_component_and_leave_it_again(agent: ControlPlaneAgent) -> None:
    init = manifest(agent, SCHEDULER)
    options = {SCHEDULER: component_options({"kube-api-qps": 30}, component=SCHEDULER)}
    agent.wait_answer(agent.assign(options, TRIAL), "True")
    assert "--kube-api-qps=30" in agent.control_plane.process(SCHEDULER)
    agent.wait_answer(agent.assign(None), "True")
    assert manifest(agent, SCHEDULER) == init
    assert "--kube-api-qps=30" not in agent.control_plane.process(SCHEDULER)


def test_an_api_server_that_crashes_on_its_options_is_back_on_its_init_manifest(agent: ControlPlaneAgent) -> None:
    """No etcd answers at the address, which only a start shows."""
    init = manifest(agent, API_SERVER)
    crashing = component_options({"etcd-servers": ["https://127.0.0.1:1"]})
    number = agent.assign({API_SERVER: crashing}, TRIAL)
    condition = agent.wait_answer(number, "False")
    assert manifest(agent, API_SERVER) == init
    assert condition["message"] == "using last-known-good (init)"
    assert "crashed 2 times during its trial" in condition["reason"]
    assert agent.status()["components"][API_SERVER]["lastCrash"]


def pool(documents: Mapping[str, Mapping[str, Any]], **policy: Any) -> dict[str, Any]:
    """Return a pool file of the control plane with its own defaults, and seconds where a real one has minutes."""
    return {
        "pool": "control-plane",
        "selector": "node-role.kubernetes.io/master",
        "documents": {name: json.dumps(document) for name, document in documents.items()},
        "trial": {"trialDuration": "5s"},
        "policy": {
            "canary": {"soak": "10s"},
            **policy,
        },
    }


@pytest.mark.slow
def test_a_rollout_that_kills_the_only_api_server_is_halted_and_the_node_is_back(
    agent: ControlPlaneAgent, tmp_path: Path
) -> None:
    """No etcd answers at the address, which only a start shows. No API server answers until the node is back.

    The record, the report and the status have the reason afterwards.
    """
    init = manifest(agent, API_SERVER)
    crashing = component_options({"etcd-servers": ["https://127.0.0.1:2"]})  # not those that the node has marked bad
    settings = pool({API_SERVER: crashing}, allowApiOutage=True)
    run = agent.control_plane.rollout(settings)
    assert run.code != 0
    assert "has the only API server: none answers while it restarts" in run.output
    assert "Gates: control-plane Pods." in run.output
    assert re.search(r"waiting up to (900|8[0-9]{2})s for it", run.output)
    assert "the API server answers again after" in run.output
    assert "is Halted in canary: 1 node has failed, the budget is 0" in run.output
    assert re.search(r"using last-known-good \(init\): current .* crashed 2 times during its trial", run.output)
    assert manifest(agent, API_SERVER) == init
    assert "Halted" in agent.control_plane.operate("history", settings).output
    status = agent.control_plane.operate("status", settings).output
    assert re.search(r"crashed 2 times during\s+its trial", status), status
    report = tmp_path / "report.html"
    assert agent.control_plane.operate("report", settings, dest=str(report)).code == 0
    page = report.read_text()
    assert "crashed 2 times during its trial" in page
    assert agent.control_plane.node.name in page


@pytest.mark.slow
def test_a_rollout_restarts_the_only_api_server_if_its_pool_accepts_that(agent: ControlPlaneAgent) -> None:
    options = {
        API_SERVER: component_options({"event-ttl": "2h"}),
        SCHEDULER: component_options({"kube-api-qps": 35}, component=SCHEDULER),
    }
    before = agent.control_plane.pids()
    refused = agent.control_plane.rollout(pool(options))
    assert refused.code != 0
    assert "policy.allowApiOutage: true accepts that" in refused.output
    assert agent.control_plane.pids() == before
    run = agent.control_plane.rollout(pool(options, allowApiOutage=True))
    assert run.code == 0, run.output
    assert "Gates: control-plane Pods, kube-scheduler leader." in run.output
    assert "kube-apiserver flags.event-ttl " in run.output
    assert "--event-ttl=2h" in agent.control_plane.process(API_SERVER)
    assert "--kube-api-qps=35" in agent.control_plane.process(SCHEDULER)
    assert agent.control_plane.pids()["kube-controller-manager"]


@pytest.mark.slow
def test_an_audit_policy_is_turned_on_and_off_again(agent: ControlPlaneAgent) -> None:
    """The policy is a file of the bundle, and the log is on a path of the node that the agent's config allows."""
    node, init, log = agent.control_plane.node, without_options(agent, API_SERVER), f"{AUDIT_LOGS}/audit.log"
    options = component_options({"audit-log-path": log}, {"policy.yaml": {"content": AUDIT_POLICY}})
    agent.wait_answer(agent.assign({API_SERVER: options}, TRIAL), "True")
    (policy,) = (word for word in agent.control_plane.process(API_SERVER) if word.startswith("--audit-policy-file="))
    assert re.fullmatch(r"--audit-policy-file=/etc/kubernetes/configok/kube-apiserver/\w+/policy\.yaml", policy), policy
    agent.control_plane.client.get("/api/v1/namespaces/default")
    node.wait("audit event", lambda: "/api/v1/namespaces/default" in node.read(log))
    agent.wait_answer(agent.assign(None), "True")
    assert manifest(agent, API_SERVER) == init
    assert not any(word.startswith("--audit-") for word in agent.control_plane.process(API_SERVER))


def test_options_that_the_components_own_program_refuses_restart_nothing(agent: ControlPlaneAgent) -> None:
    """The file is there, and only the program reads that it holds no certificate."""
    before = agent.control_plane.manifests(), agent.control_plane.pids()
    refused = component_options({"client-ca-file": "/etc/kubernetes/pki/ca.key"})
    condition = agent.wait_answer(agent.assign({API_SERVER: refused}, TRIAL), "False", "refused by its own check")
    assert "client-ca-file" in condition["reason"] or "ca.key" in condition["reason"]
    assert (agent.control_plane.manifests(), agent.control_plane.pids()) == before


@pytest.mark.slow
def test_nothing_is_written_over_what_an_operator_has_changed(agent: ControlPlaneAgent) -> None:
    init = without_options(agent, SCHEDULER)
    options = {SCHEDULER: component_options({"kube-api-qps": 40}, component=SCHEDULER)}
    agent.wait_answer(agent.assign(options, TRIAL), "True")
    written = manifest(agent, SCHEDULER)
    changed = written.replace(b"--kube-api-qps=40", b"--kube-api-qps=41")
    agent.write_manifest(SCHEDULER, changed)
    try:
        number = agent.assign(None)
        agent.wait_answer(number, "Unknown", "neither by this agent nor by an upgrade")
        assert manifest(agent, SCHEDULER) == changed
    finally:
        agent.write_manifest(SCHEDULER, written)
    agent.wait_answer(number, "True")
    assert manifest(agent, SCHEDULER) == init


@pytest.mark.slow
def test_nothing_is_written_while_kubeadm_holds_the_manifests(agent: ControlPlaneAgent) -> None:
    """kubeadm upgrades the component meanwhile. A trial refuses the hold."""
    without_options(agent, SCHEDULER)
    trial = agent.assign({SCHEDULER: component_options({"kube-api-qps": 50}, component=SCHEDULER)}, Trial(3600.0, 1))
    agent.wait_answer(trial, "True")
    with pytest.raises(CommandFailed, match="on trial"):
        agent.command("hold", "kubeadm")
    without_options(agent, SCHEDULER)
    agent.command("hold", "kubeadm")
    try:
        options = component_options({"kube-api-qps": 51}, component=SCHEDULER)
        number = agent.assign({SCHEDULER: options}, TRIAL)
        agent.wait_answer(number, "Unknown", "kubeadm holds the manifests")
        image = agent.control_plane.upgrade(SCHEDULER, "v1.20.98").encode()
        upgraded = manifest(agent, SCHEDULER)
        assert image in upgraded
        time.sleep(20)  # longer than the agent waits between two attempts
        assert manifest(agent, SCHEDULER) == upgraded
    finally:
        agent.command("release", "kubeadm")
    agent.wait_answer(number, "True")
    assert image in manifest(agent, SCHEDULER)
    assert "--kube-api-qps=51" in agent.control_plane.process(SCHEDULER)


@pytest.mark.slow
def test_a_kubelet_and_a_static_pod_of_one_bundle_are_taken_back_together(agent: ControlPlaneAgent) -> None:
    """The scheduler follows the kubelet, and hangs with the second bundle."""
    node, _init = agent.control_plane.node, without_options(agent, SCHEDULER)
    agent.configure(healthTimeout="60s")
    agent.wait_answered(agent.assign(both(agent, 52, 61), TRIAL), in_trial=False)
    kubelet = node.run(["systemctl", "show", "--value", "--property=ExecMainStartTimestampMonotonic", "kubelet"])
    stat = node.run(["cat", f"/proc/{agent.control_plane.pids()[SCHEDULER]}/stat"]).stdout
    started = int(stat.rpartition(")")[2].split()[19]) / os.sysconf("SC_CLK_TCK")
    assert int(kubelet.stdout) / 1e6 < started, "the scheduler was restarted before the kubelet"
    number = agent.assign(both(agent, 53, 62), TRIAL)
    node.wait("its process", lambda: "--kube-api-qps=53" in agent.control_plane.process(SCHEDULER), poll=0.02)
    node.run(["kill", "-STOP", str(agent.control_plane.pids()[SCHEDULER])])
    agent.wait_answer(number, "False", "not healthy within 1m: kube-scheduler")
    node.wait("its process", lambda: "--kube-api-qps=52" in agent.control_plane.process(SCHEDULER))
    assert yaml.safe_load(node.read(agent.status()["components"]["kubelet"]["config"]))["maxPods"] == 61
    agent.configure(healthTimeout="300s")


def both(agent: ControlPlaneAgent, queries_per_second: int, max_pods: int) -> dict[str, dict[str, Any]]:
    """Return options of the scheduler, and a kubelet's config without what is of this node alone."""
    kubelet = yaml.safe_load(agent.control_plane.node.read("/var/lib/kubelet/config.yaml"))
    shared = {name: value for name, value in kubelet.items() if name not in LOCAL_FIELDS}
    scheduler = component_options({"kube-api-qps": queries_per_second}, component=SCHEDULER)
    return {SCHEDULER: scheduler, "kubelet": {**shared, "maxPods": max_pods}}


@pytest.mark.slow
def test_an_api_server_that_is_ready_and_refuses_its_node_is_taken_back(agent: ControlPlaneAgent) -> None:
    """It answers /readyz, and trusts no certificate of a kubelet: another CA has signed them."""
    init = without_options(agent, API_SERVER)
    agent.configure(healthTimeout="90s")
    refusing = component_options({"client-ca-file": "/etc/kubernetes/pki/front-proxy-ca.crt"})
    agent.wait_answer(
        agent.assign({API_SERVER: refusing}, TRIAL), "False", "GET of its Node worked before, and fails now"
    )
    assert manifest(agent, API_SERVER) == init


@pytest.mark.slow
def test_an_api_server_that_a_restarted_kubelet_has_forgotten_is_ended(agent: ControlPlaneAgent) -> None:
    """It refuses the kubelet, which then does not know its Pods, and starts the next API server while this one runs."""
    node, init = agent.control_plane.node, without_options(agent, API_SERVER)
    agent.configure(healthTimeout="60s")
    refusing = component_options({"client-ca-file": "/etc/kubernetes/pki/front-proxy-ca.crt", "event-ttl": "5h"})
    number = agent.assign({API_SERVER: refusing}, TRIAL)
    node.wait("its process", lambda: "--event-ttl=5h" in agent.control_plane.process(API_SERVER))
    node.run(["systemctl", "restart", "kubelet.service"])
    agent.wait_answer(number, "False", "GET of its Node worked before, and fails now")
    assert manifest(agent, API_SERVER) == init
    assert "kube-apiserver of an older Pod" in agent.log()


@pytest.mark.slow
def test_a_member_of_etcd_that_is_not_healthy_in_time_is_taken_back(agent: ControlPlaneAgent) -> None:
    """It hangs as soon as it runs with its options, and so does the API."""
    node, init = agent.control_plane.node, without_options(agent, ETCD)
    agent.configure(healthTimeout="60s")
    options = component_options({"snapshot-count": 20001}, component=ETCD)
    number = agent.assign({ETCD: options}, TRIAL)
    node.wait("its process", lambda: "--snapshot-count=20001" in agent.control_plane.process(ETCD), poll=0.02)
    node.run(["kill", "-STOP", str(agent.control_plane.pids()[ETCD])])
    agent.wait_answer(number, "False", "not healthy within 1m: etcd")
    assert manifest(agent, ETCD) == init
    agent.configure(healthTimeout="300s")


@pytest.mark.slow
def test_options_that_have_passed_their_trial_are_taken_back_by_hand(agent: ControlPlaneAgent) -> None:
    """As the runbook says. They are not adopted again once the init config is assigned."""
    node, init = agent.control_plane.node, without_options(agent, SCHEDULER)
    options = {SCHEDULER: component_options({"kube-api-qps": 45}, component=SCHEDULER)}
    agent.wait_answer(agent.assign(options, TRIAL), "True", "all checks passed")
    node.run(["systemctl", "stop", "configok-agent.service", "configok-restore.timer"])
    node.run(["configok-agent", "static-pod", SCHEDULER, "--restore-init"])
    assert manifest(agent, SCHEDULER) == init
    node.wait("its process", lambda: "--kube-api-qps=45" not in agent.control_plane.process(SCHEDULER))
    number = agent.assign(None)
    node.run(["systemctl", "start", "configok-agent.service", "configok-restore.timer"])
    agent.wait_answer(number, "True")
    assert manifest(agent, SCHEDULER) == init


@pytest.mark.slow
def test_the_timer_takes_options_back_that_no_agent_confirms(agent: ControlPlaneAgent) -> None:
    """The agent is killed as soon as it has adopted them, and does not run until they are back."""
    node, init = agent.control_plane.node, without_options(agent, SCHEDULER)
    agent.configure(healthTimeout="5s")
    number = agent.assign({SCHEDULER: component_options({"kube-api-qps": 60}, component=SCHEDULER)}, Trial(3600.0, 1))
    agent.wait_answer(number, "True")
    agent.kill()
    node.wait("the init manifest", lambda: manifest(agent, SCHEDULER) == init)
    node.wait("its process", lambda: "--kube-api-qps=60" not in agent.control_plane.process(SCHEDULER))
    agent.start()
    agent.wait_answer(number, "False", "no agent has confirmed it, and the timer has restored the manifest before")
    assert manifest(agent, SCHEDULER) == init


@pytest.mark.slow
def test_a_static_pod_is_given_back_with_its_init_manifest(agent: ControlPlaneAgent) -> None:
    """While a bundle is in use, only if the operator says so. Nothing of ours stays on the node."""
    agent.wait_answer(agent.assign(None), "True")
    node, folder = agent.control_plane.node, agent.control_plane.manifests()
    agent.provision()  # other tests have changed the agent's config by hand
    assert agent.provision().changed == 0
    agent.wait_answer(
        agent.assign({SCHEDULER: component_options({"kube-api-qps": 70}, component=SCHEDULER)}, TRIAL), "True"
    )
    written, pids = manifest(agent, SCHEDULER), agent.control_plane.pids()
    only_kubelet = {"node_components": [{"name": "kubelet"}]}
    refused = agent.control_plane.play("provision", only_kubelet)
    assert refused.code != 0
    assert "This run gives etcd, kube-apiserver, kube-scheduler up, and the node uses a bundle" in refused.output
    assert (manifest(agent, SCHEDULER), agent.control_plane.pids()) == (written, pids)

    agent.provision(**only_kubelet, node_remove_in_use=True)
    assert agent.control_plane.manifests() == folder
    assert not node.exists("/etc/systemd/system/configok-restore.timer")
    node.wait("its process", lambda: "--kube-api-qps=70" not in agent.control_plane.process(SCHEDULER))
    agent.remove()
    for path in ("/etc/kubernetes/configok", "/etc/configok", "/var/lib/configok", "/usr/local/lib/configok"):
        assert not node.exists(path), path
    assert agent.control_plane.manifests() == folder
