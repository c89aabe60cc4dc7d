# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rendered manifests on a real control plane: what kubeadm wrote, the kubelet that reads it, and the components."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._pod_files import PodFiles, PodRun, newest_run
from ansible_collections.configok.node.plugins.module_utils._static_pods.manifest_folder import survey_folder
from ansible_collections.configok.node.plugins.plugin_utils._pack import pack
from support.configs.options import AUDIT_POLICY, component_options
from support.machines import MANIFESTS, STATIC_PODS, ControlPlane

COLLECTION = Path(__file__).resolve().parents[4]
AGENT = "/var/tmp/configok-agent.pyz"
LOG = "/var/log/audit/audit.log"
# The API server does not start unless it finds the limits next to the file that names them.
FILES = {
    "policy": {"content": AUDIT_POLICY},
    "admission.yaml": {
        "content": {
            "apiVersion": "apiserver.config.k8s.io/v1",
            "kind": "AdmissionConfiguration",
            "plugins": [{"name": "EventRateLimit", "path": "limits.yaml"}],
        }
    },
    "limits.yaml": {
        "content": {
            "apiVersion": "eventratelimit.admission.k8s.io/v1alpha1",
            "kind": "Configuration",
            "limits": [{"type": "Server", "qps": 500, "burst": 1000}],
        }
    },
}


@pytest.fixture(scope="module", autouse=True)
def command(control_plane: ControlPlane) -> None:
    control_plane.node.machine.view.joinpath(AGENT.lstrip("/")).write_bytes(pack(COLLECTION))


def render(control_plane: ControlPlane, component: str, options: dict[str, Any], *host_paths: str) -> dict[str, Any]:
    """Return what the agent's command answers on the node."""
    node = control_plane.node
    node.write("/var/tmp/options.json", json.dumps(options))
    words = [AGENT, "render", "--json", f"{MANIFESTS}/{component}.yaml", "/var/tmp/options.json"]
    words += [word for path in host_paths for word in ("--host-path", path)]
    answer: dict[str, Any] = json.loads(node.run(["python3", *words]).stdout)
    return answer


def place(control_plane: ControlPlane, component: str, rendered: dict[str, Any]) -> None:
    """Write the files, and then the manifest by a rename in its folder, as the kubelet needs it."""
    node = control_plane.node
    for name, text in rendered["files"].items():
        node.write(f"{rendered['directory']}/{name}", text, mode=0o644)
    replace(control_plane, component, rendered["manifest"])


def replace(control_plane: ControlPlane, component: str, manifest: str) -> None:
    temporary = f"{MANIFESTS}/.configok-{component}.tmp"
    control_plane.node.write(temporary, manifest)
    control_plane.node.run(["mv", temporary, f"{MANIFESTS}/{component}.yaml"])


def test_the_manifests_of_kubeadm_can_have_options(control_plane: ControlPlane) -> None:
    folder = survey_folder(control_plane.manifests())
    assert (sorted(folder.components), folder.others, folder.refused) == (list(STATIC_PODS), (), ())
    for component, manifest in folder.components.items():
        assert manifest.name == f"kube-system/{component}"
        assert manifest.mounts


def test_the_agent_observes_what_runs_and_why_it_ended(control_plane: ControlPlane) -> None:
    """The scheduler gets a flag that it does not have, and then its init manifest again."""
    component = "kube-scheduler"
    init = control_plane.manifests()[f"{component}.yaml"].decode()
    first = observe(control_plane, component)
    assert first.process is not None
    replace(control_plane, component, init.replace("--leader-elect=true", "--no-such-flag"))
    control_plane.node.wait(
        "a second crash of the next Pod",
        lambda: (run := observe(control_plane, component)).uid != first.uid and run.attempt >= 1,
    )
    crashed = observe(control_plane, component)
    assert crashed.uid != first.uid
    reason = pod_files(control_plane).ending_reason(pod_name(control_plane, component), component, f"{crashed.uid}/0")
    assert "no-such-flag" in reason
    replace(control_plane, component, init)
    control_plane.node.wait(
        "the first Pod again",
        lambda: (run := observe(control_plane, component)).uid == first.uid and run.process is not None,
    )


def pod_files(control_plane: ControlPlane) -> PodFiles:
    """Return what the agent reads, through this machine's view of the node."""
    view = control_plane.node.machine.view
    return PodFiles(str(view / "var/log/pods"), str(view / "proc"))


def pod_name(control_plane: ControlPlane, component: str) -> str:
    return f"kube-system_{component}-{control_plane.node.name}"


def observe(control_plane: ControlPlane, component: str) -> PodRun:
    runs = pod_files(control_plane).runs(pod_name(control_plane, component), component, component)
    epoch_of_boot = time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)
    run = newest_run(runs, epoch_of_boot=epoch_of_boot)
    assert run is not None
    return run


def test_an_audit_policy_is_turned_on_and_off_again(control_plane: ControlPlane) -> None:
    node, component = control_plane.node, "kube-apiserver"
    init = control_plane.manifests()[f"{component}.yaml"].decode()
    plugins = ["NodeRestriction", "EventRateLimit"]
    flags = {"audit-log-path": LOG, "audit-log-maxage": 30, "enable-admission-plugins": plugins}
    options = component_options(flags, FILES)
    node.run(["mkdir", "-p", "/var/log/audit"])
    rendered = render(control_plane, component, options, "/var/log/audit:write")
    place(control_plane, component, rendered)
    expected = f"--audit-policy-file={rendered['directory']}/policy"
    node.wait("API server with the policy", lambda: expected in control_plane.process(component))
    control_plane.wait_ready()
    control_plane.client.get("/api/v1/namespaces/default")
    node.wait("audit event", lambda: "/api/v1/namespaces/default" in node.read(LOG))
    replace(control_plane, component, init)
    node.wait("API server as kubeadm left it", lambda: is_without(control_plane, component, "--audit-"))
    control_plane.wait_ready()


def is_without(control_plane: ControlPlane, component: str, text: str) -> bool:
    words = control_plane.process(component)
    return bool(words) and not any(word.startswith(text) for word in words)


@pytest.mark.parametrize("component", ["kube-controller-manager", "kube-scheduler"])
def test_flags_of_other_components_reach_their_processes(control_plane: ControlPlane, component: str) -> None:
    flags = {"kube-api-qps": 30, "profiling": False}
    rendered = render(control_plane, component, component_options(flags, component=component))
    place(control_plane, component, rendered)
    words = {"--kube-api-qps=30", "--profiling=false"}
    control_plane.node.wait("flags of the options", lambda: words <= set(control_plane.process(component)))
