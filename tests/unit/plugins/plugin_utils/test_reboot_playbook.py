# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reboots by a playbook: which host it runs on, what it gets, and what its outcome means."""

from __future__ import annotations

import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.inventory.manager import InventoryManager
from ansible.parsing.dataloader import DataLoader
from ansible.vars.hostvars import HostVars
from ansible.vars.manager import VariableManager

from ansible_collections.configok.node.plugins.module_utils._rollout._drain.inventory_hosts import InventoryHost
from ansible_collections.configok.node.plugins.module_utils._rollout._drain.rebooter import RebootRequest
from ansible_collections.configok.node.plugins.plugin_utils._playbook_runner import PlaybookOptions, PlaybookResult
from ansible_collections.configok.node.plugins.plugin_utils._reboot_playbook import RebootPlaybook, inventory_hosts

BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
REQUEST = RebootRequest("n1", ("10.0.0.1",), "b00t", 60.0)
# As a user's inventory says how hosts are reached. The machine of the tests has no sudo.
LOCAL = PlaybookOptions(("--inventory=one,two,", "--connection=local", "--extra-vars=ansible_become=false"))


@pytest.fixture(autouse=True)
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANSIBLE_HOME", str(tmp_path / ".ansible"))
    monkeypatch.setenv("ANSIBLE_PYTHON_INTERPRETER", sys.executable)
    monkeypatch.chdir(tmp_path)


class Runs:
    """Runs no playbook, and notes what would have been run."""

    def __init__(self, result: PlaybookResult) -> None:
        self.result = result
        self.calls: list[tuple[str, dict[str, Any]]] = []

    def __call__(self, playbook: str, _options: PlaybookOptions, **how: Any) -> PlaybookResult:
        self.calls.append((playbook, how))
        return self.result


HOSTS = [InventoryHost("machine-1", node_name="n1"), InventoryHost("n2")]


def test_the_playbook_runs_on_the_host_of_the_node(tmp_path: Path) -> None:
    runs = Runs(PlaybookResult(0, ("machine-1",)))
    assert RebootPlaybook("", LOCAL, lambda: HOSTS, directory=str(tmp_path), run=runs)(REQUEST) == ""
    [(playbook, how)] = runs.calls
    assert (playbook, how["limit"], how["timeout"]) == ("configok.node.reboot", ("machine-1",), 60.0)
    assert how["variables"] == {
        "reboot_host": "machine-1",
        "reboot_node": "n1",
        "reboot_boot_id": "b00t",
        "reboot_timeout": 60,
    }


def test_without_a_host_no_playbook_runs(tmp_path: Path) -> None:
    runs = Runs(PlaybookResult(0, ("machine-1",)))
    failure = RebootPlaybook("", LOCAL, lambda: HOSTS[1:], directory=str(tmp_path), run=runs)(REQUEST)
    assert failure.startswith("the inventory has no host for Node n1")
    assert runs.calls == []


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        (PlaybookResult(0), "it ran on no host"),
        (PlaybookResult(None), "it did not finish within 1m"),
        (PlaybookResult(4, ("machine-1",), unreachable=("machine-1",)), "not reachable: machine-1"),
        (PlaybookResult(2, ("machine-1",), ("machine-1",), task="Restart"), "the task 'Restart' failed on machine-1"),
    ],
)
def test_a_playbook_that_has_not_rebooted_the_machine_is_a_failure(
    tmp_path: Path, result: PlaybookResult, reason: str
) -> None:
    failure = RebootPlaybook("own.yml", LOCAL, lambda: HOSTS, directory=str(tmp_path), run=Runs(result))(REQUEST)
    assert failure == f"playbook {tmp_path}/own.yml: {reason}"


def test_a_playbook_of_the_users_own(tmp_path: Path) -> None:
    write = {"ansible.builtin.copy": {"dest": f"{tmp_path}/done", "content": "{{ reboot_node }} {{ reboot_boot_id }}"}}
    play = {"hosts": "{{ reboot_host }}", "gather_facts": False, "tasks": [write]}
    (tmp_path / "own.yml").write_text(yaml.safe_dump([play]))
    reboot = RebootPlaybook("own.yml", LOCAL, lambda: [InventoryHost("two", "n1")], directory=str(tmp_path))
    assert reboot(REQUEST) == ""
    assert (tmp_path / "done").read_text() == "n1 b00t"


def test_the_collections_playbook_touches_no_machine_with_another_boot_id(tmp_path: Path) -> None:
    lines: list[str] = []
    hosts = [InventoryHost("one", "n1")]
    reboot = RebootPlaybook("", LOCAL, lambda: hosts, directory=str(tmp_path), show=lines.append)
    failure = reboot(REQUEST)
    task = "the task 'Verify that it is the machine of the Node' failed on one"
    assert failure == f"playbook configok.node.reboot: {task}", lines
    words = "the host one is not the machine of Node n1, or was rebooted just now: its boot id is "
    assert any(words in line and "and the Node reports b00t" in line for line in lines)
    assert not any("Restart the machine]" in line for line in lines)


def test_the_collections_playbook_reboots_the_machine_of_the_node(tmp_path: Path) -> None:
    """Ansible itself refuses to reboot the control machine, which is as far as this test gets."""
    lines: list[str] = []
    hosts = [InventoryHost("one", "n1")]
    reboot = RebootPlaybook("", LOCAL, lambda: hosts, directory=str(tmp_path), show=lines.append)
    failure = reboot(REQUEST.__class__("n1", (), BOOT_ID.read_text().strip(), 60.0))
    assert failure == "playbook configok.node.reboot: the task 'Restart the machine' failed on one", lines
    assert any("would reboot the control node" in line for line in lines)


def test_a_run_that_ends_takes_its_playbooks_with_it(tmp_path: Path) -> None:
    wait = {"ansible.builtin.command": "sleep 60"}
    (tmp_path / "own.yml").write_text(yaml.safe_dump([{"hosts": "one", "gather_facts": False, "tasks": [wait]}]))
    reboot = RebootPlaybook("own.yml", LOCAL, lambda: [InventoryHost("one", "n1")], directory=str(tmp_path))
    failures: list[str] = []
    thread = threading.Thread(target=lambda: failures.append(reboot(REQUEST)))
    began = time.monotonic()
    thread.start()
    time.sleep(2.0)
    reboot.close()
    thread.join(10.0)
    assert failures == ["the run was interrupted"]
    assert time.monotonic() - began < 30.0


def test_an_abort_ends_the_playbook_of_a_reboot(tmp_path: Path) -> None:
    (tmp_path / "own.yml").write_text(
        yaml.safe_dump([{"hosts": "one", "gather_facts": False, "tasks": [{"ansible.builtin.command": "sleep 60"}]}])
    )
    reboot = RebootPlaybook("own.yml", LOCAL, lambda: [InventoryHost("one", "n1")], directory=str(tmp_path))
    began = time.monotonic()
    assert reboot(replace(REQUEST, should_stop=lambda: time.monotonic() > began + 2.0)) == "the run was interrupted"
    assert time.monotonic() - began < 30.0


def test_the_inventory_is_read_once_and_only_if_a_machine_is_rebooted(tmp_path: Path) -> None:
    read: list[int] = []

    def hosts() -> list[InventoryHost]:
        read.append(1)
        return HOSTS

    reboot = RebootPlaybook("", LOCAL, hosts, directory=str(tmp_path), run=Runs(PlaybookResult(0, ("machine-1",))))
    assert read == []
    for _time in range(2):
        assert reboot(REQUEST) == ""
    assert read == [1]
    reboot.close()


def test_the_hosts_of_the_inventory(tmp_path: Path) -> None:
    inventory = {
        "all": {
            "hosts": {
                "n1": None,
                "machine-2": {"node_name": "n2", "ansible_host": "10.0.0.2"},
                "machine-3": {"node_name": "{{ 'n' ~ number }}", "ansible_host": "{{ prefix }}.3", "number": 3},
                "machine-4": {"node_name": "{{ ansible_facts.hostname }}", "ansible_host": 4},
            },
            "vars": {"prefix": "10.0.0"},
        }
    }
    (tmp_path / "inventory.yml").write_text(yaml.safe_dump(inventory))
    loader = DataLoader()
    manager = InventoryManager(loader, sources=[str(tmp_path / "inventory.yml")])
    variable_manager = VariableManager(loader, manager)
    HostVars(manager, variable_manager, loader)  # hands itself to the variable manager, as a run does
    variables = variable_manager.get_vars(host=manager.get_host("n1"))
    assert sorted(inventory_hosts(variables), key=lambda host: host.name) == [
        InventoryHost("machine-2", "n2", "10.0.0.2"),
        InventoryHost("machine-3", "n3", "10.0.0.3"),
        InventoryHost("machine-4"),
        InventoryHost("n1"),
    ]
    assert inventory_hosts({}) == []
