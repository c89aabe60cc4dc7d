# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The module machine_host takes what its documentation says, and keeps the token to itself."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from ansible.module_utils import basic

from ansible_collections.configok.node.plugins.module_utils._machine_host._apt import Apt
from ansible_collections.configok.node.plugins.module_utils._machine_host._host_access import Host
from ansible_collections.configok.node.plugins.modules import machine_host


def compare(documents: dict[str, Any], taken: dict[str, Any], where: str) -> None:
    assert sorted(documents) == sorted(taken), where
    for name, option in taken.items():
        for key in ("type", "default", "choices", "elements"):
            assert documents[name].get(key) == option.get(key), f"{where}.{name}: {key}"
        assert bool(documents[name].get("required")) == bool(option.get("required")), f"{where}.{name}: required"
        compare(documents[name].get("suboptions", {}), option.get("options", {}), f"{where}.{name}")


def test_the_documentation_says_what_the_module_takes() -> None:
    options = yaml.safe_load(machine_host.DOCUMENTATION)["options"]
    for option in options.values():
        option.pop("no_log", None)
    compare(options, machine_host.ARGUMENTS, "machine_host")


def test_secrets_are_not_logged(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    logged: list[str] = []
    monkeypatch.setattr(basic.AnsibleModule, "log", lambda _self, message, **_how: logged.append(message))
    monkeypatch.setattr(Host, "read", lambda _self, _path: None)
    monkeypatch.setattr(Host, "exists", lambda _self, path: path == "/run/systemd/system")
    monkeypatch.setattr(Apt, "unusable", lambda _apt: "")
    monkeypatch.setattr("os.geteuid", lambda: 0)
    config = "/etc/containerd/config.toml"
    arguments = {
        "step": "write",
        "action": "create",
        "machine": "w1",
        "manager": "apt",
        "source": "deb https://user:SECRET1@example.org/ /",
        "files": [{"path": "/etc/plain", "content": "PLAIN\n"}, {"path": config, "mode": "0600"}],
        "secret_contents": {config: "password = 'SECRET2'\n"},
        "bootstrap_kubeconfig": "SECRET3",
        "kubelet": "/absent",
        "_ansible_check_mode": True,
        "_ansible_diff": True,
    }
    text = json.dumps({"ANSIBLE_MODULE_ARGS": arguments})
    monkeypatch.setattr(basic, "_ANSIBLE_ARGS", text.encode())
    monkeypatch.setattr(basic, "_ANSIBLE_PROFILE", "legacy", raising=False)
    with pytest.raises(SystemExit):
        machine_host.main()
    answer = capsys.readouterr().out
    assert [part["after_header"] for part in json.loads(answer)["diff"]][:2] == ["/etc/plain", config]
    assert "PLAIN" in answer
    assert "/etc/plain" in "".join(logged)
    assert "SECRET" not in answer + "".join(logged)


def test_the_examples_have_options_that_exist() -> None:
    for task in yaml.safe_load(machine_host.EXAMPLES):
        options = task["configok.node.machine_host"]
        assert set(options) <= set(machine_host.ARGUMENTS)
        assert options["step"] in machine_host.ARGUMENTS["step"]["choices"]


@pytest.mark.parametrize(("manager", "name"), [("apt", "apt"), ("dnf", "dnf"), ("archives", "archives")])
def test_each_manager_has_a_class(manager: str, name: str) -> None:
    assert machine_host._manager(Host(), {"manager": manager, "archives": []}).name == name
