# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A batch begins if every host of the batches before has passed, whichever strategy the user has configured."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from support.ansible_runs.playbooks import ROOT, PlaybookRun, Playbooks, finish, quick_pool, start
from support.api.clusters import prepare
from support.api.servers import Embedded
from support.rollouts.hollow_fleet import hollow_fleet

LOCAL = {"ansible_connection": "local", "ansible_become": False}
# Nothing listens at the port 1.
UNREACHABLE = {"ansible_connection": "ssh", "ansible_host": "127.0.0.1", "ansible_port": 1, "ansible_become": False}
BROKEN = {**LOCAL, "broken": True}
NOT_PASSED = {"failed": BROKEN, "unreachable": UNREACHABLE}
# A role that fails inside a block whose always section succeeds: Ansible does not count such a host for a stop.
NODE = [
    {"name": "Ask the host", "ansible.builtin.ping": {}},
    {
        "name": "Change the host",
        "block": [{"name": "Fail", "ansible.builtin.fail": {"msg": "broken"}, "when": "broken | default(false)"}],
        "always": [{"name": "Say so", "ansible.builtin.debug": {"msg": "changed {{ inventory_hostname }}"}}],
    },
]
CLUSTER = [{"name": "Say so", "ansible.builtin.debug": {"msg": "cluster {{ cluster_state | default('present') }}"}}]

REFUSAL = (
    "does not begin on {0}, because {1} failed or could not be reached: correct what is reported above, or leave hosts "
    "out with --limit 'all,localhost,!{1}', and run the same command again"
)
EXAMPLE = (ROOT / "roles/batch/README.md").read_text(encoding="utf-8").partition("```yaml\n")[2].partition("```")[0]

RunPlaybook = Callable[..., PlaybookRun]


def write_inventory(directory: Path, group: str, hosts: Mapping[str, Mapping[str, Any]]) -> None:
    (directory / "inventory.yml").write_text(json.dumps({group: {"hosts": hosts}}))


@pytest.fixture
def user(tmp_path: Path, control: Path, embedded_api: Embedded) -> Playbooks:
    """A user whose own strategy is free, with a prepared cluster."""
    with embedded_api.client() as client:
        prepare(client)
    (tmp_path / "ansible.cfg").write_text("[defaults]\nstrategy = free\n")
    return Playbooks(tmp_path, embedded_api.admin_kubeconfig, control)


@pytest.fixture
def run_with_stub_roles(user: Playbooks) -> RunPlaybook:
    """The collection with roles node and cluster that only say what they would do."""
    collection = user.directory / "collections/ansible_collections/configok/node"
    (collection / "roles").mkdir(parents=True)
    for path in [*ROOT.glob("[!.]*"), *ROOT.glob("roles/*")]:
        link = collection / path.relative_to(ROOT)
        if path.name not in ("build", "roles", "node", "cluster"):
            link.symlink_to(path)
    for role, tasks in (("node", NODE), ("cluster", CLUSTER)):
        (collection / "roles" / role / "tasks").mkdir(parents=True)
        (collection / "roles" / role / "tasks/main.yml").write_text(json.dumps(tasks))

    def run(*arguments: str) -> PlaybookRun:
        return finish(
            start(
                ["-i", "inventory.yml", *arguments],
                directory=user.directory,
                kubeconfig=user.kubeconfig,
                venv=user.venv,
                collections=collection.parents[2],
            )
        )

    return run


def sentence(run: PlaybookRun) -> str:
    """Return the output of a run with single spaces."""
    return " ".join(run.output.split())


@pytest.mark.parametrize(
    ("canary", "waves", "last"),
    [("c0", [2, "100%"], ["c3"]), ("c0,c1", ["100%"], ["c2", "c3"])],
    ids=["wave", "canaries"],
)
def test_a_cluster_that_fails_stops_the_next_wave(
    user: Playbooks, canary: str, waves: list[Any], last: list[str]
) -> None:
    for name in ("c0", "c2", "c3"):
        (user.directory / name).write_text(Path(user.kubeconfig).read_text())
    write_inventory(user.directory, "clusters", {name: {"kubeconfig": name} for name in ("c0", "c1", "c2", "c3")})
    user.write(quick_pool(), "maxPods: 60\n")
    group = {"name": "nodes", "count": 3, "labels": {"pool": "workers"}, "behaviour": {"answer": ["100ms", "300ms"]}}
    variables = {"cluster_canary": canary, "cluster_waves": waves}
    with hollow_fleet(user.kubeconfig, {"simulation": "fleet", "groups": [group]}, user.directory):
        stopped = user.run("clusters", "-i", "inventory.yml", "-e", json.dumps(variables))
    assert stopped.code == 2, stopped.output
    table = [line.split() for line in stopped.output.splitlines() if line[:2] in ("c0", "c1", "c2", "c3")]
    phases = {row[0]: " ".join(row[1:3]) for row in table if row[1] != ":"}  # not of the recap
    assert {name: phases[name] for name in last} == dict.fromkeys(last, "not begun"), stopped.output
    assert phases["c0"] == "Complete yes", stopped.output
    begun = {"c0", "c1", "c2", "c3"} - set(last)
    outcomes = json.loads(stopped.output.partition("RUN: ")[2].splitlines()[0])["configok_clusters"]
    assert {name: outcome["phase"] for name, outcome in outcomes.items()} == {
        name: "Error" if name == "c1" else "Complete" for name in begun
    }
    assert REFUSAL.format("c3" if last == ["c3"] else "c2 and 1 more", "c1") in sentence(stopped)


@pytest.mark.parametrize(
    ("playbook", "outcome"),
    [
        ("provision", "failed"),
        ("remove", "unreachable"),
        pytest.param("provision", "unreachable", marks=pytest.mark.slow),
        pytest.param("remove", "failed", marks=pytest.mark.slow),
    ],
)
def test_a_node_that_has_not_passed_stops_the_next_batch(
    user: Playbooks, run_with_stub_roles: RunPlaybook, playbook: str, outcome: str
) -> None:
    hosts = {"n1": LOCAL, "n2": LOCAL, "n3": NOT_PASSED[outcome], "n4": LOCAL, "n5": LOCAL}
    write_inventory(user.directory, "nodes", hosts)
    command = [f"configok.node.{playbook}", "--check", "-e", '{"provision_serial": [1, 2]}']
    stopped = run_with_stub_roles(*command)
    assert stopped.code in (2, 4), stopped.output
    assert "changed n2" in stopped.output
    assert "changed n4" not in stopped.output
    assert REFUSAL.format("n4 and 1 more", "n3") in sentence(stopped)
    assert "cluster absent" not in stopped.output

    done = run_with_stub_roles(*command, "--limit", "all,localhost,!n3")
    assert done.code == 0, done.output
    assert "changed n5" in done.output
    assert ("cluster absent" in done.output) == (playbook == "remove")


@pytest.mark.parametrize("outcome", sorted(NOT_PASSED))
def test_the_cluster_is_not_removed_if_a_node_of_the_last_batch_has_not_passed(
    user: Playbooks, run_with_stub_roles: RunPlaybook, outcome: str
) -> None:
    command = ["configok.node.remove", "--check", "-e", "provision_serial=2"]
    write_inventory(user.directory, "nodes", {"n1": NOT_PASSED[outcome], "n2": LOCAL})
    stopped = run_with_stub_roles(*command)
    assert stopped.code in (2, 4), stopped.output
    assert "changed n2" in stopped.output
    assert "cluster absent" not in stopped.output
    assert REFUSAL.format("localhost", "n1") in sentence(stopped)


def test_as_many_nodes_may_fail_as_the_user_says(user: Playbooks, run_with_stub_roles: RunPlaybook) -> None:
    hosts = {"n1": LOCAL, "n2": LOCAL, "n3": UNREACHABLE, "n4": LOCAL, "n5": BROKEN, "n6": LOCAL}
    write_inventory(user.directory, "nodes", hosts)
    command = ["configok.node.provision", "--check", "-e", '{"provision_serial": [1, 2, 2, 1]}']
    stopped = run_with_stub_roles(*command, "-e", "provision_max_fail_percentage=34")
    assert "changed n4" in stopped.output, stopped.output
    assert "does not begin on n6, because n3, n5 failed or could not be reached: " in sentence(stopped)
    assert "leave hosts out with --limit 'all,localhost,!n3,!n5'" in sentence(stopped)


@pytest.mark.parametrize("outcome", sorted(NOT_PASSED))
def test_a_play_of_the_user_stops_as_the_page_of_the_role_says(
    user: Playbooks, run_with_stub_roles: RunPlaybook, outcome: str
) -> None:
    write_inventory(user.directory, "workers", {"n1": LOCAL, "n2": NOT_PASSED[outcome], "n3": LOCAL, "n4": LOCAL})
    (user.directory / "play.yml").write_text(EXAMPLE.replace("serial: 10%", "serial: 2"))
    stopped = run_with_stub_roles("play.yml")
    assert stopped.code in (2, 4), stopped.output
    assert "changed n1" in stopped.output
    assert "changed n3" not in stopped.output
    assert REFUSAL.format("n3 and 1 more", "n2") in sentence(stopped)


def test_a_host_that_fails_before_the_first_task_stops_the_play(
    user: Playbooks, run_with_stub_roles: RunPlaybook
) -> None:
    write_inventory(user.directory, "workers", {"n1": LOCAL, "n2": UNREACHABLE, "n3": LOCAL, "n4": LOCAL})
    play = EXAMPLE.replace("serial: 10%", "serial: 2").replace("gather_facts: false", "gather_facts: true")
    (user.directory / "play.yml").write_text(play)
    stopped = run_with_stub_roles("play.yml")
    assert stopped.code in (2, 4), stopped.output
    assert "changed n" not in stopped.output
    assert REFUSAL.format("n1", "n2") in sentence(stopped)
