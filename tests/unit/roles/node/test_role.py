# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that the role's files agree with each other and with the agent."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._agent_configuration import (
    AgentConfiguration,
    parse_configuration,
)
from ansible_collections.configok.node.plugins.module_utils._agent._trust_settings import parse_trust_policy
from ansible_collections.configok.node.plugins.module_utils._operations.component_units import (
    MADE_DIRECTORY,
    verify_override,
)
from ansible_collections.configok.node.plugins.module_utils._systemd.exec_start import read_unit_start
from ansible_collections.configok.node.plugins.module_utils._systemd.unit_checks import merged_faults
from ansible_collections.configok.node.plugins.modules.component_unit_info import COMPONENT
from support.ansible_runs.role import load, render


def test_every_option_is_described_and_has_its_default() -> None:
    options = load("meta/argument_specs.yml")["argument_specs"]["main"]["options"]
    defaults = load("defaults/main.yml")
    assert options.keys() == defaults.keys()
    for name, option in options.items():
        if "default" in option:
            assert option["default"] == defaults[name], name
    assert all(name.startswith("__node_") for name in load("vars/main.yml"))


def test_no_component_config_is_decoded_by_ansible() -> None:
    """Ansible reads n, 1:20 and dates differently from Kubernetes; local_fields takes the text."""
    assert "from_yaml" not in str(load("tasks/init_config.yml"))


FOUND: dict[str, Any] = {
    "name": "kubelet",
    "unit": "kubelet.service",
    "config": "/var/lib/kubelet/config.yaml",
    "variable": "KUBELET_CONFIG_ARGS",
    "exec_start": "",
    "version_command": ["/usr/bin/kubelet", "--version"],
    "agent_options": {},
    "flags_only": False,
    "made_directory": False,
}
"""What component_unit_info reports of a kubelet that kubeadm installed."""

CONFIG = "/var/lib/configok/components/kubelet/config.yaml"


def agent_config(
    *, init: bool = True, variables: Mapping[str, Any] | None = None, **component: Any
) -> AgentConfiguration:
    facts = {**FOUND, **component}
    text = render(
        "agent.yaml.j2",
        __node_name="n1",
        __node_kubeconfig="/k",
        __node_components=[facts],
        __node_inits={facts["name"]: {"encoded": "eA==" if init else ""}},
        node_agent_options={"healthTimeout": "3m"},
        **(variables or {}),
    )
    return parse_configuration(text, file="agent.yaml")


def test_the_agents_config_is_one_that_the_agent_reads() -> None:
    configuration = agent_config()
    assert (configuration.node_name, configuration.kubeconfig, configuration.health.timeout) == ("n1", "/k", 180)
    assert configuration.state_directory == "/var/lib/configok"
    kubelet = configuration.components["kubelet"]
    assert (kubelet.unit, kubelet.init_config) == ("kubelet.service", "/etc/configok/init/kubelet.yaml")
    assert kubelet.init_config_origin == "/var/lib/kubelet/config.yaml"
    assert kubelet.version_command == ("/usr/bin/kubelet", "--version")
    assert kubelet.root_directory == "/var/lib/kubelet"


def test_a_static_pod_of_the_agents_config_has_its_manifest_and_no_unit() -> None:
    pods: list[dict[str, Any]] = [
        {"name": "kube-apiserver", "agent_options": {"allowedFields": ["flags.etcd-servers"]}},
        {"name": "kube-scheduler", "static_pod": "/srv/manifests/scheduler.json"},
    ]
    components = agent_config(variables={"__node_pods": pods}).components
    assert list(components) == ["kubelet", "kube-apiserver", "kube-scheduler"]
    assert components["kube-apiserver"].manifest == "/etc/kubernetes/manifests/kube-apiserver.yaml"
    assert components["kube-apiserver"].deny.allowed == ("flags.etcd-servers",)
    assert components["kube-scheduler"].manifest == "/srv/manifests/scheduler.json"
    assert {components[pod["name"]].init_config for pod in pods} == {""}


TRUST = {
    "node_trust_mode": "require",
    "node_trust_pools": ["workers"],
    "node_trust_keys": ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILzXPNBfDWO6TJ4TH8jlTCjOeYpHTKONGpVK2OI0fidN alice"],
    "node_trust_threshold": "1",  # as -e gives it
}


def test_a_node_without_signed_bundles_has_no_section() -> None:
    assert agent_config().trust is None
    assert agent_config(variables={"node_trust_mode": False}).trust is None


@pytest.mark.parametrize("mode", ["require", "warn", "off", False])
def test_the_agents_config_has_the_nodes_trust_policy(mode: object) -> None:
    policy = parse_trust_policy(agent_config(variables={**TRUST, "node_trust_mode": mode}))
    assert (policy.mode, policy.pools, policy.threshold) == (mode or "off", ("workers",), 1)
    assert [key.comment for key in policy.keys] == ["alice"]
    assert policy.to_dict().keys() == {
        name.removeprefix("node_trust_") for name in load("defaults/main.yml") if name.startswith("node_trust_")
    }


def test_what_was_found_of_another_component_is_in_the_agents_config() -> None:
    options = {"lease": True, "rootDirectory": "/data/proxy"}
    [proxy] = agent_config(
        name="kube-proxy", unit="p.service", config="", agent_options=options, init=False
    ).components.values()
    assert (proxy.unit, proxy.init_config, proxy.init_config_origin) == ("p.service", "", "")
    assert (proxy.lease, proxy.root_directory) == (True, "/data/proxy")


def drop_in(**component: Any) -> list[str]:
    return render("drop-in.conf.j2", __node_component={**FOUND, **component}).splitlines()


@pytest.mark.contract("unit.restarts-forever", "prestart.refuses-by-78-alone")
def test_the_drop_in_starts_the_component_through_the_agent_and_restarts_it_forever() -> None:
    lines = drop_in()
    assert {"StartLimitIntervalSec=0", "Restart=always", "RestartSec=5s", "RestartPreventExitStatus="} <= set(lines)
    [before] = [line for line in lines if line.startswith("ExecStartPre=+")]
    assert before.endswith("prestart kubelet; [ $$? -ne 78 ]'")
    assert "timeout -k 1 5 /usr/bin/python3 -I " in before
    assert [line for line in lines if line.startswith("ExecStopPost=-+")]


def test_the_drop_in_sets_a_variable_or_the_command_line() -> None:
    lines = drop_in()
    assert "EnvironmentFile=-/etc/configok/environment/kubelet" in lines
    assert not [line for line in lines if line.startswith("ExecStart=")]
    lines = drop_in(variable="", exec_start=f"/x \\\n  --config={CONFIG}")
    at = lines.index("ExecStart=")
    assert lines[at + 1 : at + 3] == ["ExecStart=/x \\", f"  --config={CONFIG}"]
    assert not [line for line in lines if line.startswith("EnvironmentFile=")]


@pytest.mark.parametrize("made", [True, False])
def test_the_drop_in_says_whether_its_directory_goes_with_it(made: bool) -> None:
    assert (MADE_DIRECTORY in drop_in(made_directory=made)) is made


def test_the_drop_in_passes_verification() -> None:
    unit = "[Service]\nExecStart=/usr/bin/kubelet $KUBELET_CONFIG_ARGS\n"
    texts = [unit, "\n".join(drop_in(restart_delay="30s"))]
    start = read_unit_start(texts, [f"KUBELET_CONFIG_ARGS=--config={CONFIG}\n"])
    shown = {
        "LoadState": "loaded",
        "NeedDaemonReload": "no",
        "Restart": "always",
        "StartLimitIntervalUSec": "0",
        "RestartUSec": "30s",
    }
    assert merged_faults("kubelet", shown, texts, start, CONFIG, None) == []


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
@pytest.mark.parametrize("facts", [{}, {"variable": "", "exec_start": f"/bin/true \\\n  --config={CONFIG}"}])
def test_systemd_accepts_the_drop_in(tmp_path: Path, facts: Mapping[str, str]) -> None:
    fragment = tmp_path / "kubelet.service"
    fragment.write_text("[Service]\nExecStart=/bin/true $KUBELET_CONFIG_ARGS\n")

    def run(argv: Sequence[str]) -> tuple[int, str, str]:
        done = subprocess.run(argv, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    text = "\n".join(drop_in(**facts)) + "\n"
    assert verify_override(run, str(fragment), "kubelet.service", "zz-configok.conf", text) == ((), "")


def test_a_drop_in_that_systemd_does_not_accept_is_refused_first_and_taken_back_last() -> None:
    tasks = [task.get("ansible.builtin.include_tasks") for task in load("tasks/present.yml")]
    assert tasks.index("override.yml") < tasks.index("install.yml") < tasks.index("drop_in.yml")
    names = [task["name"] for task in load("tasks/verify.yml")]
    undone, failed = (next(i for i, name in enumerate(names) if name.startswith(s)) for s in ("Restore", "Fail if"))
    assert [task for task in load("tasks/verify.yml")[undone + 1 : failed] if "flush_handlers" in str(task)]


def test_a_module_is_asked_for_what_it_has_options_for() -> None:
    questions = load("vars/main.yml")["__node_questions"]
    assert all(f"'{name}'" in questions for name in COMPONENT)


def test_no_handler_restarts_a_component() -> None:
    names = [task["name"] for task in load("handlers/main.yml")]
    assert names == ["Reload systemd", "Restart the agent", "Reload the agent"]


def test_the_agent_may_write_where_the_components_keep_their_state() -> None:
    def writable(**variables: Any) -> list[str]:
        lines = render("configok-agent.service.j2", **variables).splitlines()
        return [path for line in lines if line.startswith("ReadWritePaths=") for path in line.partition("=")[2].split()]

    assert writable() == ["/var/lib/configok", "-/var/lib/kubelet"]
    components = [
        {"name": "kubelet", "agent_options": {"rootDirectory": "/data/kubelet"}},
        {"name": "kube-proxy", "agent_options": {"lease": False}},
        {"name": "other"},
    ]
    assert writable(__node_components=components) == ["/var/lib/configok", "-/var/lib/kubelet", "-/data/kubelet"]
    pods = {"__node_pods": [{"name": "kube-scheduler"}], "__node_manifest_directories": ["/srv/manifests"]}
    assert writable(**pods)[2:] == ["-/srv/manifests", "-/etc/kubernetes/configok"]
    metrics = {"metricsFile": "/var/lib/prometheus/node-exporter/configok.prom"}
    assert writable(node_agent_options=metrics)[2:] == ["-/var/lib/prometheus/node-exporter"]


def test_the_agent_sees_no_pods_volumes_and_changes_no_credentials() -> None:
    lines = render("configok-agent.service.j2").splitlines()
    assert {"InaccessiblePaths=-/var/lib/kubelet/pods", "ReadOnlyPaths=-/var/lib/kubelet/pki"} <= set(lines)
