# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every action plugin and every playbook honours the keywords of its task, as plugin_utils/_action.py does."""

from __future__ import annotations

import importlib
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import yaml
from ansible import constants
from ansible.parsing.dataloader import DataLoader
from ansible.playbook.task import Task
from ansible.plugins.action import ActionBase
from ansible.template import Templar

from ansible_collections.configok.node.plugins.plugin_utils._action import (
    KEYWORDS,
    ControllerAction,
    HostAction,
    ModuleAction,
)
from ansible_collections.configok.node.plugins.plugin_utils._values import keeping_types, plain

ROOT = Path(__file__).resolve().parents[4]
PACKAGE = "ansible_collections.configok.node.plugins.action"
PAGE = ROOT / "docs/reference/task-keywords.md"


def names_in(directory: str) -> list[str]:
    return sorted(path.stem for path in (ROOT / directory).glob("*.py"))


ACTIONS = {name: importlib.import_module(f"{PACKAGE}.{name}").ActionModule for name in names_in("plugins/action")}
ON_CONTROLLER = sorted(name for name, action in ACTIONS.items() if issubclass(action, ControllerAction))
OF_MODULES = sorted(name for name, action in ACTIONS.items() if issubclass(action, ModuleAction))


def action(name: str, *, transport: str = "local", become: Any = None, **keywords: Any) -> Any:
    """Return an action plugin as Ansible makes it. become: the plugin; keywords: of the task."""
    task = Task()
    task.action = f"configok.node.{name}"
    for keyword, value in {"args": {}, "environment": [], "async_val": 0, **keywords}.items():
        setattr(task, keyword, value)
    loader = DataLoader()
    plugin: Any = ACTIONS[name](
        task=task,
        connection=mock.Mock(transport=transport, become=become),
        play_context=None,
        loader=loader,
        templar=Templar(loader=loader, variables={}),
        shared_loader_obj=None,
    )
    plugin.validate_argument_spec = lambda _spec: (None, {})
    return plugin


def test_every_action_plugin_is_based_on_the_adapter() -> None:
    assert ON_CONTROLLER == ["machines", "rollout", "show", "simulation"]
    assert OF_MODULES == ["cluster_diff", "config_bundle", "config_status_info", "rollout_report"]
    for name, plugin in ACTIONS.items():
        assert issubclass(plugin, HostAction), name
    for name in ON_CONTROLLER:
        assert ACTIONS[name].run is ControllerAction.run, f"{name} acts in _act"
        assert "_environment" not in vars(ACTIONS[name]), name


def test_every_module_has_an_action_plugin_of_the_collection() -> None:
    """Ansible's own would run it in the directory of the playbook."""
    routing = yaml.safe_load((ROOT / "meta/runtime.yml").read_text())["plugin_routing"]["modules"]
    for name in names_in("plugins/modules"):
        plugin = routing.get(name, {}).get("action_plugin", f"configok.node.{name}")
        assert plugin.rpartition(".")[2] in ACTIONS, f"meta/runtime.yml gives {name} no action_plugin"


@pytest.mark.parametrize("name", ON_CONTROLLER)
def test_the_environment_of_a_task_is_that_of_its_action(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", "of-the-shell")
    monkeypatch.delenv("K8S_AUTH_CONTEXT", raising=False)
    seen: dict[str, str] = {}
    plugin = action(
        name, environment=[{"KUBECONFIG": "of-the-play"}, {"KUBECONFIG": "of-the-task", "K8S_AUTH_CONTEXT": 1}]
    )
    plugin._act = lambda _params, _variables: seen.update(os.environ) or {"changed": False}
    assert plugin.run() == {"changed": False}
    assert (seen["KUBECONFIG"], seen["K8S_AUTH_CONTEXT"]) == ("of-the-task", "1")
    assert (os.environ["KUBECONFIG"], os.environ.get("K8S_AUTH_CONTEXT")) == ("of-the-shell", None)


@pytest.mark.parametrize("name", ON_CONTROLLER)
def test_an_action_on_the_controller_refuses_another_user_or_host(name: str) -> None:
    def refusal(**how: Any) -> str:
        plugin = action(name, **how)
        plugin._act = lambda _params, _variables: {"msg": ""}
        return str(plugin.run(task_vars={"inventory_hostname": "bastion"})["msg"])

    def becoming(user: str) -> mock.Mock:
        return mock.Mock(**{"get_option.return_value": user})

    assert refusal() == ""
    assert refusal(transport="ssh").startswith(f"connection: {name} acts on the control machine, not on bastion: ")
    assert refusal(transport="ssh", delegate_to="x").startswith(
        f"delegate_to: {name} acts on the control machine, not on x"
    )
    assert refusal(become=becoming("no-such-user")).startswith(
        f"become: {name} acts on the control machine as the user "
    )
    assert refusal(become=becoming("root" if os.geteuid() else "nobody")) != ""
    this_user = subprocess.run(["id", "-un"], capture_output=True, text=True, check=True).stdout.strip()
    assert refusal(become=becoming(this_user)) == ""


@pytest.mark.parametrize("name", ON_CONTROLLER)
def test_an_action_without_a_log_displays_nothing(name: str) -> None:
    plugins = [action(name, no_log=no_log) for no_log in (True, False)]
    with mock.patch(f"{HostAction.__module__}._display") as display:
        for plugin in plugins:
            plugin._display_line("a line")
    assert display.display.call_args_list == [mock.call("a line")]


@pytest.mark.parametrize(
    ("callback", "is_shown"),
    [
        ("default", True),
        ("minimal", True),
        ("ansible.posix.json", False),
        ("ansible.posix.jsonl", False),
        ("json", False),
    ],
)
def test_nothing_is_displayed_between_what_a_program_reads(
    callback: str, is_shown: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(constants, "DEFAULT_STDOUT_CALLBACK", callback)
    with mock.patch(f"{HostAction.__module__}._display") as display:
        action("show")._display_line("a line")
    assert display.display.called is is_shown


@pytest.mark.parametrize("name", OF_MODULES)
@pytest.mark.parametrize(("transport", "expected"), [("local", shlex.quote(os.getcwd())), ("ssh", None)])
def test_a_module_on_the_controller_runs_where_ansible_was_started(
    name: str, transport: str, expected: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands: list[Mapping[str, Any]] = []
    monkeypatch.setattr(
        ActionBase, "_low_level_execute_command", lambda _self, *_arguments, **options: commands.append(options)
    )
    action(name, transport=transport)._low_level_execute_command("id", sudoable=True)
    assert [options.get("chdir") for options in commands] == [expected]


def keywords_of(python: Path) -> set[str]:
    """Return the keywords of a task that an ansible-core knows."""
    script = "import json; from ansible.playbook.task import Task; print(json.dumps(list(Task.fattributes)))"
    printed = subprocess.run([str(python), "-c", script], capture_output=True, text=True, check=True).stdout
    return {"async" if name == "async_val" else name for name in json.loads(printed)}


def test_every_keyword_has_a_meaning() -> None:
    """Those of the oldest and the newest ansible-core on this machine, too."""
    pythons = [Path(sys.executable), *(ROOT / f".venv-{core}/bin/python" for core in ("oldest", "newest"))]
    for python in pythons:
        if python.exists():
            assert keywords_of(python) == set(KEYWORDS)


def test_the_page_describes_every_keyword() -> None:
    rows = re.findall(r"^\| (`.*?) \| ([A-Za-z ]+)[,|]", PAGE.read_text(), re.MULTILINE)
    described = {name: meaning.strip() for names, meaning in rows for name in re.findall(r"`(\w+)`", names)}
    assert described == {name: meaning.value for name, meaning in KEYWORDS.items()}


def plays() -> Iterator[tuple[str, dict[str, Any]]]:
    for path in sorted((ROOT / "playbooks").glob("*.yml")):
        for play in yaml.safe_load(path.read_text()):
            yield f"{path.name}: {play['name']}", play


def test_no_playbook_looks_up_the_directory_of_a_shell() -> None:
    files = [path for part in ("playbooks", "roles", "awx") for path in (ROOT / part).rglob("*") if path.is_file()]
    assert [str(path) for path in files if "PWD" in path.read_text(errors="replace")] == []


def test_no_play_on_this_machine_takes_the_connection_of_the_nodes() -> None:
    checked = 0
    for name, play in plays():
        if play.get("connection") == "local" or play["hosts"] == "localhost":
            checked += 1
            variables = play.get("vars", {})
            assert (variables.get("ansible_become"), variables.get("ansible_connection")) == (False, "local"), name
    assert checked > 20


def test_every_play_about_a_cluster_takes_the_same_variables() -> None:
    expected = {name: f"{{{{ {name} | default(omit, true) }}}}" for name in ("kubeconfig", "context")}
    group = yaml.safe_load((ROOT / "meta/runtime.yml").read_text())["action_groups"]["configok"]
    checked = 0
    for name, play in plays():
        if any(f"configok.node.{module}:" in yaml.safe_dump(play) for module in group):
            checked += 1
            assert play["module_defaults"] == {"group/configok.node.configok": expected}, name
    assert checked > 14


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("{{ number | int }}", 60),
        ("{{ number }}", "60"),
        ("{{ number | float / 8 }}", 7.5),
        ("{{ number == '60' }}", True),
        ("{{ number }}Mi", "60Mi"),
        ("{{ [1, number] }}", [1, "60"]),
        ("{{ nested }}", 61),
        ({"a": ["{{ number | int }}"]}, {"a": [60]}),
        ("no template", "no template"),
    ],
)
def test_a_template_keeps_the_type_of_its_value(written: Any, value: Any) -> None:
    variables = {"number": "60", "nested": trusted("{{ number | int + 1 }}")}
    templar = keeping_types(Templar(loader=DataLoader(), variables=variables))
    result = plain(templar.template(trusted(written)))
    assert (result, type(result)) == (value, type(value))


def trusted(value: Any) -> Any:
    """Return data whose texts are templates, as those of a user's file are."""
    try:
        from ansible.template import trust_as_template
    except ImportError:
        return value
    if isinstance(value, str):
        return trust_as_template(value)
    if isinstance(value, dict):
        return {key: trusted(item) for key, item in value.items()}
    return [trusted(item) for item in value]
