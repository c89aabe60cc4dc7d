# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbook clusters: one pool in three clusters, the real API server as the canary and two embedded ones."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_list import list_nodes
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record_store import read_record
from support.ansible_runs.controller import Controller
from support.ansible_runs.playbooks import PlaybookRun, Playbooks, finish, quick_pool, start
from support.api.clusters import prepare
from support.api.servers import ApiServer, Embedded, Real, start_embedded
from support.rollouts.hollow_fleet import hollow_fleet

RUNNER = "runner"
_READS = ("get", "list", "watch")


@dataclass(frozen=True)
class Clusters:
    """Clusters by name, the canary first, each with three hollow nodes of a pool; and a user's directory."""

    apis: Mapping[str, ApiServer]
    pool: str
    user: Playbooks

    def write(self, max_pods: int) -> None:
        """Write the pool file and its layer."""
        self.user.write(quick_pool(self.pool), f"maxPods: {max_pods}\n")

    def write_inventory(self, **changes: Mapping[str, str]) -> None:
        """Write the inventory; changes: other variables of a cluster, by its name."""
        hosts = {name: {"kubeconfig": self.runner_kubeconfig(name)} for name in self.apis}
        content = {"clusters": {"hosts": {**hosts, **changes}}}
        (self.user.directory / "clusters.yml").write_text(json.dumps(content))

    def runner_kubeconfig(self, name: str) -> str:
        """Return the kubeconfig of the identity that moves the pool, relative to the user's directory."""
        path = self.user.directory / f"{name}.kubeconfig"
        self.apis[name].kubeconfig_for(RUNNER, ["system:masters"], path)
        return path.name

    def run(self, *arguments: str) -> PlaybookRun:
        """Run the playbook, one cluster in each wave."""
        variables = ["-e", json.dumps({"cluster_canary": "north", "cluster_waves": [1]})]
        return finish(
            start(
                ["-i", "clusters.yml", "configok.node.clusters", "-e", "@pool.yml", *variables, *arguments],
                directory=self.user.directory,
                kubeconfig="/nonexistent",
                venv=self.user.venv,
            )
        )

    def phase(self, name: str) -> str:
        """Return the phase of the pool's rollout in a cluster, an empty string without a record."""
        with self.apis[name].client() as client:
            rollout = read_record(client, self.pool).rollout
        return rollout.phase if rollout else ""

    def configs(self, name: str) -> set[str]:
        """Return the configs that the nodes of a cluster use."""
        with self.apis[name].client() as client:
            views = list_nodes(client, selector=f"pool={self.pool}")
        return {view.active.name if view.active else "init" for view in views}

    def writes(self, name: str) -> int:
        """Return how many requests of the runner have changed something in an embedded cluster."""
        api = self.apis[name]
        assert isinstance(api, Embedded)
        return sum(call.user == RUNNER and call.verb not in _READS for call in api.server.requests.calls())


@pytest.fixture
def clusters(real_api: Real, unique: str, tmp_path: Path) -> Iterator[Clusters]:
    """Nodes of north crash with maxPods 13, those of east with maxPods 14, and those of west with neither."""
    with ExitStack() as stack:
        east, west = (stack.enter_context(start_embedded(tmp_path / name)) for name in ("east-api", "west-api"))
        apis = {"west": west, "north": real_api, "east": east}
        for name, crashes in (("north", "maxPods: 13"), ("east", "maxPods: 14"), ("west", "maxPods: 0")):
            with apis[name].client() as client:
                prepare(client)
            behaviour = {"answer": ["100ms", "300ms"], "outcome": "crashes", "onlyWith": crashes}
            group = {"name": name, "count": 3, "labels": {"pool": unique}, "behaviour": behaviour}
            scenario = {"simulation": f"{unique}-{name}", "groups": [group]}
            stack.enter_context(hollow_fleet(apis[name].admin_kubeconfig, scenario, tmp_path))
        made = Clusters(apis, unique, Playbooks(tmp_path, ""))
        made.write_inventory()
        yield made


def stats(run: PlaybookRun) -> dict[str, Any]:
    """Return the outcome of each cluster, as a workflow gets it."""
    line = next(line for line in run.output.splitlines() if "configok_clusters" in line and "RUN: " in line)
    outcomes: dict[str, Any] = json.loads(line.partition("RUN: ")[2])["configok_clusters"]
    return outcomes


def test_a_config_goes_to_the_canary_cluster_then_to_the_waves(clusters: Clusters, control: Path) -> None:
    clusters = replace(clusters, user=replace(clusters.user, venv=control))
    clusters.write(60)
    checked = clusters.run("--check")
    assert checked.code == 0, checked.output
    assert {name: clusters.phase(name) for name in clusters.apis} == dict.fromkeys(clusters.apis, "")
    assert {(outcome["phase"], outcome["changed"]) for outcome in stats(checked).values()} == {("Planned", True)}

    done = clusters.run()
    assert done.code == 0, done.output
    outcomes = stats(done)
    assert {outcome["phase"] for outcome in outcomes.values()} == {"Complete"}
    assert all(clusters.configs(name) == {outcomes[name]["target"]} for name in clusters.apis)
    lines = done.output
    # The canary first, then in the order of the inventory.
    assert lines.index("north: ") < lines.index("west: ") < lines.index("east: "), lines

    again = clusters.run()
    assert (again.code, again.changed) == (0, 0), again.output
    assert {(outcome["phase"], outcome["changed"]) for outcome in stats(again).values()} == {("Complete", False)}


@pytest.mark.slow
def test_a_bad_config_stops_at_the_canary_cluster(clusters: Clusters) -> None:
    clusters.write(60)
    assert clusters.run().code == 0
    before = {name: clusters.writes(name) for name in ("east", "west")}
    clusters.write(13)
    halted = clusters.run()
    assert halted.code != 0
    assert list(stats(halted)) == ["north"], halted.output
    assert clusters.phase("north") == "Halted"
    assert {name: clusters.writes(name) for name in ("east", "west")} == before
    assert "not begun" in halted.output


def test_a_halted_wave_stops_the_next_and_a_second_run_resumes(clusters: Clusters) -> None:
    clusters.write_inventory(east={"kubeconfig": "missing.kubeconfig"})
    clusters.write(61)
    failed = clusters.run()
    assert failed.code != 0
    assert {name: outcome["phase"] for name, outcome in stats(failed).items()} == {
        "north": "Complete",
        "west": "Complete",
        "east": "Error",
    }
    assert "there is no kubeconfig" in failed.output

    clusters.write_inventory()
    done = clusters.run()
    assert done.code == 0, done.output
    assert {name: outcome["changed"] for name, outcome in stats(done).items()} == {
        "north": False,
        "west": False,
        "east": True,
    }


@pytest.mark.parametrize(
    ("inventory", "arguments", "sentence"),
    [
        ({}, (), "the inventory has no hosts in clusters"),
        ({"a": {}, "b": {"context": "x"}, "c": {}}, (), "neither a kubeconfig nor a context: a, c; give each"),
        ({"a": {"context": "x"}, "b": {"context": "x"}}, (), "the same kubeconfig and context as another host: a, b;"),
        ({"a": {"kubeconfig": "k"}, "b": {"kubeconfig": "./k"}, "c": {"kubeconfig": "../k"}}, (), " host: a, b; give"),
        ({"a": {"context": "x"}, "b": {"kubeconfig": "/nonexistent", "context": "x"}}, (), "another host: a, b;"),
        ({"a": {}, "b": {"context": "x"}}, ("--limit", "a"), "neither a kubeconfig nor a context: a;"),
        ({"a": {"context": "x"}, "b": {"context": "x"}}, ("--limit", "b"), "as another host: b;"),
        ({"a": {"context": "x"}}, ("-e", "cluster_canary=b", "--limit", "a"), "cluster_canary is b"),
        (
            {"a": {"context": "x"}},
            ("-e", "cluster_canary=b"),
            "cluster_canary is b, which is not one of the clusters a",
        ),
    ],
)
def test_an_inventory_that_cannot_be_right_is_refused(
    tmp_path: Path, inventory: dict[str, Any], arguments: tuple[str, ...], sentence: str
) -> None:
    user = Playbooks(tmp_path, "/nonexistent")
    user.write(quick_pool(), "maxPods: 60\n")
    (tmp_path / "clusters.yml").write_text(json.dumps({"clusters": {"hosts": inventory}}))
    command = ["-i", "clusters.yml", "configok.node.clusters", "-e", "@pool.yml", *arguments]
    refused = finish(start(command, directory=tmp_path, kubeconfig="/nonexistent"))
    assert refused.code != 0
    assert sentence in " ".join(refused.output.split()), refused.output


def test_a_controller_moves_the_clusters_of_a_kubeconfig(clusters: Clusters, tmp_path: Path) -> None:
    """The project for AWX: each cluster is a context of the credential's kubeconfig."""
    merged: dict[str, Any] = {"apiVersion": "v1", "kind": "Config", "clusters": [], "users": [], "contexts": []}
    for name in ("east", "west"):
        config = json.loads(Path(clusters.apis[name].admin_kubeconfig).read_text())
        merged["clusters"].append({**config["clusters"][0], "name": name})
        merged["users"].append({**config["users"][0], "name": name})
        merged["contexts"].append({"name": name, "context": {"cluster": name, "user": name}})
    (tmp_path / "merged").write_text(json.dumps(merged))
    controller = Controller(tmp_path / "controller", {"KUBECONFIG": str(tmp_path / "merged")})
    layers = ["layers/base/kubelet.yaml", "layers/workers/kubelet.yaml"]
    (controller.project / "pools/workers.yml").write_text(yaml.safe_dump(quick_pool(clusters.pool, layers=layers)))
    job = controller.run("configok clusters", pool_file="workers", cluster_canary="west")
    assert job.status == "successful", job.log
    outcomes = job.artifacts["configok_clusters"]
    assert {name: outcome["phase"] for name, outcome in outcomes.items()} == {"east": "Complete", "west": "Complete"}
    assert job.log.index("west: ") < job.log.index("east: ")
