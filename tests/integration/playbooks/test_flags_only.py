# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A kubelet that reads no file keeps, as its init config, what it does where its flags say nothing."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
import yaml

from support.ansible_runs.playbooks import finish, start


@pytest.mark.parametrize(("version", "evicts"), [("v1.24.17", True), ("v1.25.0-gke.1", False), ("v1.36.3", False)])
def test_the_init_config_is_what_a_kubelet_of_that_version_does(tmp_path: Path, version: str, evicts: bool) -> None:
    component = {
        "name": "kubelet",
        "config": "",
        "flags_only": True,
        "version_command": ["/bin/echo", f"Kubernetes {version}"],
    }
    play = {
        "hosts": "localhost",
        "gather_facts": False,
        "vars": {"__node_component": component, "__node_inits": {}, "__node_configuration_directory": str(tmp_path)},
        "tasks": [
            {"ansible.builtin.include_role": {"name": "configok.node.node", "tasks_from": "init_source.yml"}},
            {
                "ansible.builtin.copy": {
                    "dest": str(tmp_path / "found"),
                    "content": "{{ __node_inits['kubelet'].encoded }}",
                }
            },
        ],
    }
    (tmp_path / "play.yml").write_text(yaml.safe_dump([play]))
    run = finish(start(["play.yml"], directory=tmp_path, kubeconfig=""))
    assert run.code == 0, run.output
    config = yaml.safe_load(base64.b64decode((tmp_path / "found").read_text()))
    assert config["authorization"] == {"mode": "AlwaysAllow"}
    assert config.get("evictionHard") == (None if evicts else {})
