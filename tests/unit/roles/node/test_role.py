# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The role's files agree with each other and with what the agent reads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jinja2
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
