# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Providers as playbooks: which host they run on, what they get, and what their outcome means."""

from __future__ import annotations

import json
import re
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.configok.node.plugins.module_utils._machines._objects.types import (
    PROVIDER_API_VERSION,
    Provider,
)
from ansible_collections.configok.node.plugins.module_utils._operations._machines import HostAnswer, HostRequest
from ansible_collections.configok.node.plugins.module_utils._rollout._drain.inventory_hosts import InventoryHost
from ansible_collections.configok.node.plugins.plugin_utils._machine_playbook import MachinePlaybook
from ansible_collections.configok.node.plugins.plugin_utils._playbook_runner import (
    PlaybookOptions,
    PlaybookResult,
    PlaybookStopped,
)
from support.session.patience import LONGEST_WAIT

OWN = Provider("example.com/v1", "ToyHost", "toy")
EXTERNAL = Provider(PROVIDER_API_VERSION, "External", "configok.node.external")
SECRET = "kind: Config # a token"
# The machine of the tests has no sudo.
LOCAL = PlaybookOptions(("--connection=local", "--extra-vars=ansible_become=false"))
HOSTS = (InventoryHost("machine-1", node_name="w1"), InventoryHost("w2"), InventoryHost("m3", address="10.0.0.3"))


def request(name: str = "w1", action: Any = "update", provider: Provider = OWN, **changes: Any) -> HostRequest:
    fields = changes.pop("fields", {})
    addresses = changes.pop("addresses", ())
    machine = {"name": name, "kubelet_version": "1.34.9", "provider": fields, "addresses": list(addresses)}
    if action == "plan":
        machine["changes"] = []
    how = {"kubelet_config": {"clusterDomain": "cluster.local"}, "timeout": 60.0, **changes}
    planned = how.pop("planned", action)
    return HostRequest(action, planned, provider, machine, {"name": "east"}, addresses=addresses, **how)


class Runs:
    """Runs no playbook: answers as the test says, and notes what would have been run."""

    def __init__(
        self, result: PlaybookResult | None = None, answers: Mapping[str, Mapping[str, Any]] | None = None
    ) -> None:
        self.result = result or PlaybookResult(0, ("localhost", "machine-1"))
        self.answers = answers or {}
        self.calls: list[tuple[str, PlaybookOptions, dict[str, Any]]] = []

    def __call__(self, playbook: str, options: PlaybookOptions, **how: Any) -> PlaybookResult:
        self.calls.append((playbook, options, how))
        if "machine_results" in how["variables"]:
            for name, answer in self.answers.items():
                Path(how["variables"]["machine_results"], f"{name}.json").write_text(json.dumps(answer))
        return self.result

    @property
    def variables(self) -> dict[str, Any]:
        return dict(self.calls[-1][2]["variables"])


def playbook(
    run: Callable[..., PlaybookResult], directory: Path, hosts: Sequence[InventoryHost] = HOSTS
) -> MachinePlaybook:
    return MachinePlaybook(LOCAL, lambda: hosts, directory=str(directory), run=run)


def test_the_playbook_gets_what_the_provider_needs(tmp_path: Path) -> None:
    runs = Runs(answers={"w1": {"local_config": "{}", "warnings": ["a flag is gone"]}})
    answer = playbook(runs, tmp_path).change(request("w1", "create", bootstrap_kubeconfig=SECRET))
    assert answer == HostAnswer(warnings=("a flag is gone",), local_config="{}")
    [(name, options, how)] = runs.calls
    assert (name, options, how["timeout"]) == ("configok.node.machine", LOCAL, 60.0)
    variables = dict(how["variables"])
    assert not Path(variables.pop("machine_results")).exists(), "removed at the end"
    assert variables == {
        "machine_action": "create",
        "machine_hosts": {
            "machine-1": {
                "machine": {"name": "w1", "kubelet_version": "1.34.9", "provider": {}, "addresses": []},
                "role": "toy",
                "kubelet_config": {"clusterDomain": "cluster.local"},
                "planned_action": "create",
                "add": None,
            }
        },
        "machine_cluster": {"name": "east"},
        "machine_bootstrap_kubeconfig": SECRET,
    }
    assert SECRET not in repr(request("w1", bootstrap_kubeconfig=SECRET))


def test_only_create_gets_credentials(tmp_path: Path) -> None:
    runs = Runs()
    playbook(runs, tmp_path).change(request("w1", "update", bootstrap_kubeconfig=SECRET))
    assert SECRET not in json.dumps(runs.variables)


@pytest.mark.parametrize(
    ("host_request", "host", "add"),
    [
        (request("w1"), "machine-1", None),
        (request("w2"), "w2", None),
        (request("w3", addresses=("10.0.0.3",)), "m3", None),
        (request("w4"), "w4", {"ansible_host": "w4"}),
        (request("w4", addresses=("10.0.0.4", "10.0.0.5")), "w4", {"ansible_host": "10.0.0.4"}),
        (
            request("w4", fields={"address": "10.0.0.9", "port": 2222, "user": "admin"}, addresses=("10.0.0.4",)),
            "w4",
            {"ansible_host": "10.0.0.9", "ansible_port": 2222, "ansible_user": "admin"},
        ),
        # What a Node reports does not choose a host that its Machine does not declare.
        (
            request("w4", fields={"address": "10.0.0.9"}, addresses=("10.0.0.9", "10.0.0.3")),
            "w4",
            {"ansible_host": "10.0.0.9"},
        ),
        (request("w3", fields={"address": "10.0.0.3"}, addresses=("10.0.0.3", "10.0.0.4")), "m3", None),
    ],
)
def test_the_host_is_that_of_the_inventory_else_the_address(
    tmp_path: Path, host_request: HostRequest, host: str, add: dict[str, Any] | None
) -> None:
    runs = Runs()
    playbook(runs, tmp_path).change(host_request)
    assert {name: entry["add"] for name, entry in runs.variables["machine_hosts"].items()} == {host: add}


@pytest.mark.parametrize(
    ("hosts", "reason"),
    [
        (
            [InventoryHost("a", node_name="w1"), InventoryHost("b", node_name="w1")],
            "the inventory has 2 hosts for Node w1",
        ),
        ([InventoryHost("w1", node_name="w7")], "the inventory says that its host w1 is that of Node w7"),
    ],
)
def test_a_host_that_is_not_clear_is_not_changed(tmp_path: Path, hosts: list[InventoryHost], reason: str) -> None:
    runs = Runs()
    assert playbook(runs, tmp_path, hosts).change(request("w1")).failure.startswith(reason)
    assert playbook(runs, tmp_path, hosts).plan([request("w1", "plan")])["w1"].refusals[0].startswith(reason)
    assert runs.calls == []


@pytest.mark.parametrize(
    ("result", "answer", "failure"),
    [
        (PlaybookResult(0, ("machine-1",)), None, ""),
        (PlaybookResult(2, ("machine-1",), failed=("machine-1",), task="T"), None, "the task 'T' failed on machine-1"),
        (
            PlaybookResult(2, ("machine-1",), failed=("machine-1",), task="T"),
            {"failure": "the kubelet\ndoes not start.", "task": "Start it", "errors": "one\nit said\x1b no\n\n"},
            "the kubelet does not start: it said  no (task 'Start it')",
        ),
        (PlaybookResult(4, ("machine-1",), unreachable=("machine-1",)), None, "not reachable: machine-1"),
        (PlaybookResult(None), None, "it did not finish within 1m"),
        (PlaybookResult(0), None, "it ran on no host"),
    ],
)
def test_the_outcome_is_a_sentence(
    tmp_path: Path, result: PlaybookResult, answer: dict[str, Any] | None, failure: str
) -> None:
    runs = Runs(result, {"w1": answer} if answer else {})
    assert playbook(runs, tmp_path).change(request()).failure == failure


def test_all_providers_are_asked_in_one_run(tmp_path: Path) -> None:
    result = PlaybookResult(4, ("localhost", "machine-1", "w2", "m3", "w4"), failed=("m3",), unreachable=("w2",))
    answered: dict[str, dict[str, Any]] = {
        "w1": {"refusals": ["kubelet 1.99.0 is not in the repository."]},
        "w3": {"failure": "no apt", "task": "Look"},
        "w4": {},
    }
    runs = Runs(result, answered)
    requests = [request(name, "plan", planned="update") for name in ("w1", "w2", "w4")]
    requests.append(request("w3", "plan", planned="create", addresses=("10.0.0.3",)))
    answers = playbook(runs, tmp_path).plan(requests)
    assert {name: answer.refusals for name, answer in answers.items()} == {
        "w1": ("kubelet 1.99.0 is not in the repository",),
        "w2": ("its host w2 cannot be reached",),
        "w3": ("no apt (task 'Look')",),
        "w4": (),
    }
    [(_name, options, how)] = runs.calls
    assert options.arguments == (*LOCAL.arguments, "--check"), "a plan changes nothing"
    assert how["variables"]["machine_action"] == "plan"
    assert {entry["planned_action"] for entry in how["variables"]["machine_hosts"].values()} == {"update", "create"}


@pytest.mark.parametrize(
    ("answered", "versions"),
    [
        ({"kubelet": "1.34.9-1.1", "containerd": "1.7.24~ds1-6"}, "kubelet 1.34.9-1.1, containerd 1.7.24~ds1-6"),
        ({"kubelet": "1\n2\x1b"}, "kubelet 1 2 "),
        ({"kubelet": 1.34}, "kubelet 1.34"),
        ({}, ""),
        (["kubelet"], ""),
        ("kubelet", ""),
    ],
)
def test_a_provider_answers_with_the_versions_that_it_would_install(
    tmp_path: Path, answered: Any, versions: str
) -> None:
    runs = Runs(PlaybookResult(0, ("machine-1",)), {"w1": {"versions": answered}})
    answer = playbook(runs, tmp_path).plan([request("w1", "plan")])["w1"]
    assert ", ".join(map(" ".join, answer.versions)) == versions


def test_a_host_that_is_gone_cannot_be_deleted_and_the_user_is_told_what_to_do(tmp_path: Path) -> None:
    runs = Runs(PlaybookResult(4, ("localhost", "w2"), unreachable=("w2",)))
    (refusal,) = playbook(runs, tmp_path).plan([request("w2", "plan", planned="delete")])["w2"].refusals
    assert refusal == (
        "its host w2 cannot be reached; if it is gone for good, delete its Node with kubectl delete node w2"
    )


def test_two_machines_are_not_one_host(tmp_path: Path) -> None:
    hosts = [InventoryHost("m", address="10.0.0.1")]
    asked = [request(name, "plan", addresses=("10.0.0.1",)) for name in ("w1", "w2")]
    answers = playbook(Runs(PlaybookResult(0, ("m",)), {"w1": {}}), tmp_path, hosts).plan(asked)
    assert answers["w2"].refusals == ("its host m is that of Machine w1, too",)


def test_a_stopped_run_begins_nothing(tmp_path: Path) -> None:
    runs = Runs()
    changing = playbook(runs, tmp_path)
    assert changing.change(request(should_stop=lambda: True)).not_begun
    changing.close()
    assert changing.change(request()) == HostAnswer("the run was interrupted", not_begun=True)
    assert runs.calls == []


def test_a_change_that_has_begun_ends_with_the_run_only(tmp_path: Path) -> None:
    """An abort does not stop it in the middle; the end of the run does."""
    began = threading.Event()
    stops: list[bool] = []

    def run(_playbook: str, _options: PlaybookOptions, **how: Any) -> PlaybookResult:
        stops.append(how["should_stop"]())
        began.set()
        while not how["should_stop"]():
            threading.Event().wait(0.01)
        raise PlaybookStopped

    asked = iter([False])
    changing = playbook(run, tmp_path)
    answers: list[HostAnswer] = []
    thread = threading.Thread(
        target=lambda: answers.append(changing.change(request(should_stop=lambda: next(asked, True))))
    )
    thread.start()
    assert began.wait(LONGEST_WAIT)
    changing.close()
    thread.join()
    assert stops == [False]
    assert answers == [HostAnswer("the run was interrupted")]


def test_external_runs_the_users_playbooks(tmp_path: Path) -> None:
    fields = {"create": "make.yml", "delete": "company.cloud.remove", "values": {"size": "xl"}}
    runs = Runs()
    changing = playbook(runs, tmp_path)
    created = changing.change(request("w1", "create", EXTERNAL, fields=fields, bootstrap_kubeconfig=SECRET))
    assert created == HostAnswer()
    [(first, _options, how), (second, _same, then)] = runs.calls
    assert (first, second) == (str(tmp_path / "make.yml"), "configok.node.machine")
    assert how["variables"]["machine"]["provider"] == fields
    assert how["variables"]["machine_bootstrap_kubeconfig"] == SECRET
    assert then["variables"]["machine_hosts"]["machine-1"]["role"] == "configok.node.external"

    runs.calls.clear()
    changing.change(request("w1", "delete", EXTERNAL, fields=fields))
    [(deleted, _options, how)] = runs.calls
    assert deleted == "company.cloud.remove"
    assert "machine_bootstrap_kubeconfig" not in how["variables"]

    runs.calls.clear()
    changing.change(request("w1", "create", EXTERNAL, fields={**fields, "provision": False}))
    assert len(runs.calls) == 1, "an image with the agent needs nothing else"
    runs.calls.clear()
    assert changing.change(request("w1", "update", EXTERNAL, fields=fields)).failure == (
        "the provider External cannot change a host in place"
    )
    runs.result = PlaybookResult(2, ("localhost",), failed=("localhost",), task="Boot")
    failed = changing.change(request("w1", "create", EXTERNAL, fields=fields))
    assert failed.failure == f"playbook {tmp_path}/make.yml: the task 'Boot' failed on localhost"
    assert len(runs.calls) == 1


def test_external_is_asked_on_the_controller(tmp_path: Path) -> None:
    (tmp_path / "make.yml").write_text("[]")
    runs = Runs()
    fields = {"create": "make.yml", "delete": "gone.yml"}
    answers = playbook(runs, tmp_path).plan(
        [
            request("w1", "plan", EXTERNAL, fields=fields, planned="create"),
            request("w2", "plan", EXTERNAL, fields=fields, planned="replace"),
            request("w3", "plan", EXTERNAL, fields={}, planned="delete"),
        ]
    )
    assert {name: answer.refusals for name, answer in answers.items()} == {
        "w1": (),
        "w2": (f"spec.providerConfig.delete: the playbook {tmp_path}/gone.yml does not exist",),
        "w3": ("spec.providerConfig.delete: is missing: a playbook is needed",),
    }
    assert runs.calls == []


def test_local_files_are_relative_to_where_the_run_was_started(tmp_path: Path) -> None:
    archive = {"component": "kubelet", "version": "1.34.9", "path": "files/kubelet", "sha256": "0" * 64}
    for name, fields, expected in (
        ("BinaryHost", {"archives": [archive]}, {"archives": [{**archive, "path": f"{tmp_path}/files/kubelet"}]}),
        ("DebianHost", {"packages": {"key": "k.asc"}}, {"packages": {"key": f"{tmp_path}/k.asc"}}),
        ("RPMHost", {"packages": {"key": "/k.asc", "hold": True}}, {"packages": {"key": "/k.asc", "hold": True}}),
        ("DebianHost", {"packages": {"key": "-----BEGIN PGP"}}, {"packages": {"key": "-----BEGIN PGP"}}),
        ("DebianHost", {"packages": None}, {"packages": None}),
    ):
        runs = Runs()
        provider = Provider(PROVIDER_API_VERSION, name, f"configok.node.{name}")
        playbook(runs, tmp_path).change(request("w1", "update", provider, fields=fields))
        [(_playbook, _options, how)] = runs.calls
        assert how["variables"]["machine_hosts"]["machine-1"]["machine"]["provider"] == expected


class Toy:
    """A provider's role that only writes files, and the real playbook."""

    def __init__(self, directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.directory = directory
        self.role = directory / "roles/toy/tasks"
        self.role.mkdir(parents=True)
        for name in ("validate", "plan", "create", "update", "delete"):
            self.write(name, [])
        monkeypatch.setenv("ANSIBLE_ROLES_PATH", str(directory / "roles"))
        monkeypatch.setenv("ANSIBLE_HOME", str(directory / ".ansible"))
        monkeypatch.setenv("ANSIBLE_PYTHON_INTERPRETER", sys.executable)
        monkeypatch.setenv("ANSIBLE_LOCALHOST_WARNING", "false")

    def write(self, name: str, tasks: list[dict[str, Any]]) -> None:
        (self.role / f"{name}.yml").write_text(yaml.safe_dump(tasks))

    def note(self, name: str, text: str) -> dict[str, Any]:
        return {"ansible.builtin.copy": {"dest": str(self.directory / name), "content": text}}


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Toy:
    return Toy(tmp_path, monkeypatch)


def test_a_real_plan_changes_nothing_and_answers_for_each_host(toy: Toy) -> None:
    say = {
        "ansible.builtin.set_fact": {
            "machine_refusals": ["{{ machine.name }} wants {{ machine_planned_action }} of {{ machine_cluster.name }}"]
        },
        "when": "machine.name == 'w1'",
    }
    fail = {"ansible.builtin.fail": {"msg": "there is no package manager"}, "when": "machine.name == 'w2'"}
    toy.write("validate", [{"ansible.builtin.assert": {"that": "machine_action == 'plan'"}}])
    toy.write("plan", [say, fail, toy.note("touched-{{ machine.name }}", "x")])
    changing = MachinePlaybook(LOCAL, list, directory=str(toy.directory))
    answers = changing.plan([request(name, "plan", planned="update") for name in ("w1", "w2", "w3")])
    assert answers == {
        "w1": HostAnswer(refusals=("w1 wants update of east",)),
        "w2": HostAnswer(refusals=("there is no package manager",)),
        "w3": HostAnswer(),
    }
    assert not list(toy.directory.glob("touched-*"))


MACHINE_HOST: list[dict[str, Any]] = [
    {
        "ansible.builtin.include_role": {"name": "configok.node.machine_host", "tasks_from": "plan", "public": True},
        "vars": {"machine_host_manager": "archives"},
    },
    {
        "ansible.builtin.set_fact": {
            "machine_refusals": [],
            "machine_versions": {
                "declared": "{{ __machine_host_file_fields | join(' ') }}",
                "changing": "{{ __machine_host_changed_file_fields | join(' ') }}",
            },
        }
    },
]


@pytest.mark.parametrize(
    "planned", ["update", *(pytest.param(action, marks=pytest.mark.slow) for action in ("create", "replace", "delete"))]
)
def test_a_provider_may_leave_the_plan_of_each_action_to_machine_host(toy: Toy, planned: str) -> None:
    toy.write("plan", MACHINE_HOST)
    changing = MachinePlaybook(LOCAL, list, directory=str(toy.directory))
    asked = request("w1", "plan", planned=planned, fields={"kubeletFlags": {"v": "2"}, "cni": {}, "address": "a"})
    asked.machine["changes"].extend(["spec.versions.kubelet", "Cluster.spec.network.clusterDNS"])
    also = request("w2", "plan", planned=planned, fields={"kubeletFlags": {"v": "2"}, "containerRuntimeConfig": "x"})
    also.machine["changes"].append("spec.providerConfig")
    answers = changing.plan([asked, also])
    both = "containerRuntimeConfig kubeletFlags"
    assert {name: (answer.refusals, dict(answer.versions)) for name, answer in answers.items()} == {
        "w1": ((), {"declared": "kubeletFlags", "changing": "Cluster.spec.network.clusterDNS"}),
        "w2": ((), {"declared": both, "changing": both}),
    }


@pytest.mark.parametrize("role", ["debian_host", "rpm_host", "binary_host"])
def test_a_provider_with_a_shipped_role_may_be_one_that_replaces(toy: Toy, role: str) -> None:
    own = Provider("example.com/v1", "ToyHost", f"configok.node.{role}")
    changing = MachinePlaybook(LOCAL, list, directory=str(toy.directory))
    archives = [{"component": "kubelet", "version": "1.34.9", "path": "/none", "sha256": "0" * 64}]
    answer = changing.plan([request("w1", "plan", own, planned="replace", fields={"archives": archives})])["w1"]
    # The machine of the tests may have no root and no apt. That is an answer, and not a task that fails.
    assert not [refusal for refusal in answer.refusals if "(task " in refusal]


def test_a_real_failure_is_the_providers_own_sentence(toy: Toy) -> None:
    failing = {
        "name": "Start the kubelet",
        "ansible.builtin.command": {"argv": ["sh", "-c", "echo 'flag provided but not defined' >&2; exit 3"]},
    }
    text = "{{ machine.kubelet_version }} {{ machine_kubelet_config }}"
    seen = toy.note("{{ machine.name }}-{{ machine_action }}", text)
    toy.write("update", [seen, failing])
    shown: list[str] = []
    changing = MachinePlaybook(LOCAL, list, directory=str(toy.directory), show=shown.append)
    answer = changing.change(request("w1", "rollback"))
    assert answer.failure == "flag provided but not defined (task 'Start the kubelet')"
    assert (toy.directory / "w1-rollback").read_text().startswith("1.34.9 {")
    assert any("non-zero return code" in line for line in shown)


def test_the_variables_are_in_a_file_that_only_this_user_can_read(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(toy.directory))
    find = f"find {toy.directory} -name variables.json -exec stat -c %a {{}} + > {toy.directory}/modes"
    toy.write("update", [{"ansible.builtin.shell": find}, {"ansible.builtin.fail": {"msg": "enough"}}])
    MachinePlaybook(LOCAL, list, directory=str(toy.directory)).change(request("w1", "update"))
    assert (toy.directory / "modes").read_text() == "600\n"


def test_a_host_with_become_in_its_variables_answers(toy: Toy) -> None:
    """The answer is written by this user, who may not become another user here."""
    refusing = toy.directory / "refusing"
    refusing.write_text("#!/bin/sh\necho 'this user may not become another' >&2\nexit 1\n")
    refusing.chmod(0o755)
    inventory = toy.directory / "inventory.yml"
    variables = {"ansible_become": True, "ansible_become_user": "nobody", "ansible_become_exe": str(refusing)}
    inventory.write_text(yaml.safe_dump({"all": {"hosts": {"w1": {}}, "vars": variables}}))
    options = PlaybookOptions(("--connection=local", f"--inventory={inventory}"))
    toy.write("plan", [{"ansible.builtin.set_fact": {"machine_refusals": ["none of the host's tasks need root"]}}])
    changing = MachinePlaybook(options, lambda: [InventoryHost("w1")], directory=str(toy.directory))
    answers = changing.plan([request("w1", "plan", planned="update")])
    assert answers == {"w1": HostAnswer(refusals=("none of the host's tasks need root",))}


def test_no_task_on_this_machine_becomes_root() -> None:
    top = Path(__file__).resolve().parents[4]
    files = [path for part in ("roles", "playbooks") for path in (top / part).rglob("*.yml")]
    texts = [path.read_text() for path in files]
    assert sum(text.count("delegate_to: localhost") for text in texts) >= 4
    for path, text in zip(files, texts):
        for task in re.split(r"^ *- name:", text, flags=re.MULTILINE):
            if "delegate_to: localhost" in task:
                assert "    ansible_become: false" in task, path
