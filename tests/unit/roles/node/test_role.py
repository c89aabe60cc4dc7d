# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The role's files agree with each other and with what the agent reads."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import jinja2
import jinja2.nativetypes
import pytest
import yaml

from ansible_collections.configok.node.plugins.module_utils._agent._configuration import parse_configuration

ROLE = Path(__file__).resolve().parents[4] / "roles/node"


def load(name: str) -> Any:
    return yaml.safe_load((ROLE / name).read_text())


def render(template: str, **variables: Any) -> str:
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, trim_blocks=True, keep_trailing_newline=True)
    environment.filters.update(to_json=json.dumps, bool=bool, combine=lambda one, other: {**one, **other})
    inside = load("vars/main.yml")
    program = (
        f"/usr/bin/python3 -I {inside['__node_program_directory']}/configok-agent.pyz --config=/etc/configok/agent.yaml"
    )
    return environment.from_string((ROLE / "templates" / template).read_text()).render(
        **{**inside, "__node_agent_command": program, **load("defaults/main.yml"), **variables}
    )


def resolve(value: Any, variables: Mapping[str, Any]) -> Any:
    """Render until no variable is left in it: what a variable holds may be a template too."""
    environment = jinja2.nativetypes.NativeEnvironment(undefined=jinja2.StrictUndefined)
    while isinstance(value, str) and "{{" in value:
        value = environment.from_string(value).render(**variables)
    return value


def walk(tasks: str, variables: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], Mapping[str, Any]]]:
    """Yield the arguments of each task that has some, and its variables: once for each item, with what is included."""
    for task in load(f"tasks/{tasks}"):
        loop_var = task.get("loop_control", {}).get("loop_var", "item")
        for item in resolve(task.get("loop", [None]), variables):
            known = {**variables, **task.get("vars", {}), loop_var: resolve(item, variables)}
            if "ansible.builtin.include_tasks" in task:
                yield from walk(task["ansible.builtin.include_tasks"], known)
            for name, arguments in task.items():
                if "." in name and isinstance(arguments, dict):
                    yield arguments, known


def written_paths(tasks: str, variables: Mapping[str, Any]) -> Iterator[tuple[PurePosixPath, str]]:
    """Yield each path or dest that these tasks name, and the state that it is given ("" for a file's content)."""
    for arguments, known in walk(tasks, variables):
        for key in ("path", "dest"):
            if key in arguments:
                yield PurePosixPath(resolve(arguments[key], known)), arguments.get("state", "")


def test_every_option_is_described_and_has_its_default() -> None:
    options = load("meta/argument_specs.yml")["argument_specs"]["main"]["options"]
    defaults = load("defaults/main.yml")
    assert options.keys() == defaults.keys()
    for name, option in options.items():
        if "default" in option:
            assert option["default"] == defaults[name], name
    assert all(name.startswith("__node_") for name in load("vars/main.yml"))


@pytest.mark.parametrize(
    "components", [None, [{"name": "kube-proxy", "unit": "p.service", "agent_options": {"lease": True}}]]
)
def test_the_agents_config_is_one_that_the_agent_reads(components: Any) -> None:
    variables = {"__node_name": "n1", "node_agent_options": {"healthTimeout": "3m"}}
    if components:
        variables["node_components"] = components
    found = parse_configuration(render("agent.yaml.j2", **variables), file="agent.yaml")
    assert (found.node_name, found.health_timeout, found.state_directory) == ("n1", 180, "/var/lib/configok")
    [component] = found.components.values()
    if components:
        assert (component.unit, component.init_config, component.lease) == ("p.service", "", True)
    else:
        assert (component.unit, component.init_config) == ("kubelet.service", "/etc/configok/init/kubelet.yaml")
        assert component.version_command == ("/usr/bin/kubelet", "--version")


@pytest.mark.contract("unit.restarts-for-ever", "prestart.refuses-by-78-alone")
def test_the_drop_in_starts_through_the_agent_for_ever() -> None:
    [kubelet] = load("defaults/main.yml")["node_components"]
    lines = render("drop-in.conf.j2", __node_component=kubelet).splitlines()
    assert 'Environment="KUBELET_CONFIG_ARGS=--config=/var/lib/configok/components/kubelet/config.yaml"' in lines
    assert {"StartLimitIntervalSec=0", "Restart=always", "RestartSec=5s"} <= set(lines)
    [before] = [line for line in lines if line.startswith("ExecStartPre=")]
    assert before.endswith("prestart kubelet; [ $$? -ne 78 ]'")
    assert "timeout -k 1 5 /usr/bin/python3 -I " in before
    assert [line for line in lines if line.startswith("ExecStopPost=-")]
    assert not [line for line in lines if line.startswith("ExecStart=")]


def test_a_plain_unit_gets_its_whole_command_line() -> None:
    lines = render("drop-in.conf.j2", __node_component={"name": "x", "exec_start": "/x --config=/y"}).splitlines()
    assert lines[lines.index("ExecStart=") + 1] == "ExecStart=/x --config=/y"
    assert not [line for line in lines if line.startswith("Environment=")]


def test_no_handler_restarts_a_component() -> None:
    names = [task["name"] for task in load("handlers/main.yml")]
    assert names == ["Reload systemd", "Restart the agent"]


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
    assert writable(node_components=components) == ["/var/lib/configok", "-/var/lib/kubelet", "-/data/kubelet"]


def test_what_present_creates_absent_removes() -> None:
    components = [*load("defaults/main.yml")["node_components"], {"name": "kube-proxy", "config": "/etc/proxy.yaml"}]
    variables = {**load("defaults/main.yml"), **load("vars/main.yml"), "node_components": components}
    created = {path for path, state in written_paths("present.yml", variables) if state != "absent"}
    removed = {path for path, state in written_paths("absent.yml", variables) if state == "absent"}
    units = PurePosixPath("/etc/systemd/system")
    drop_ins = {units / "kubelet.service.d", units / "kube-proxy.service.d"}
    # The walk has come through loops and the files that are included.
    assert {one / "90-configok.conf" for one in drop_ins} <= created
    assert {PurePosixPath(f"/etc/configok/{kind}/kube-proxy.yaml") for kind in ("init", "instance")} <= created
    left = {path for path in created if not removed & {path, *path.parents}}
    # Directories of drop-ins are not ours alone: kubeadm's own lies in one.
    assert left == drop_ins
