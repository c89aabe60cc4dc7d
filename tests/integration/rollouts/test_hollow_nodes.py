# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rollouts to hollow nodes, as a user rehearses them: the playbooks rollout and simulate, on the real API server."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_list import list_nodes
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record import Rollout
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record_store import read_record
from fleet_simulator.node_objects import LABEL_SIMULATED
from support.ansible_runs.playbooks import PlaybookRun, Playbooks, finish, kill, quick_pool
from support.api.clusters import prepare
from support.api.servers import Embedded, Real
from support.rollouts.hollow_fleet import hollow_fleet
from support.session.patience import LONGEST_WAIT

POLICY = {
    **quick_pool()["policy"],
    "canary": {"count": 2, "soak": "200ms", "cover": ["kubeletVersion"]},
    "maxUnavailable": 10,
    "nodeTimeout": "5s",
}


def group(name: str, count: int, pool: str, **behaviour: Any) -> dict[str, Any]:
    return {
        "name": name,
        "count": count,
        "labels": {"pool": pool},
        "zones": ["a", "b", "c"],
        "behaviour": {"answer": ["200ms", "600ms"], **behaviour},
    }


def roll_out(api: Real, pool: str, directory: Path, max_pods: int = 77) -> tuple[PlaybookRun, Rollout]:
    """Run the playbook on a pool; return its result, and the rollout in the record."""
    user = Playbooks(directory, api.admin_kubeconfig)
    user.write(quick_pool(pool, policy=POLICY), f"maxPods: {max_pods}\n")
    done = user.run("rollout")
    with api.client() as client:
        rollout = read_record(client, pool).rollout
    assert rollout is not None, done.output
    return done, rollout


def fleet(api: Real, pool: str, directory: Path, *groups: Mapping[str, Any]) -> Any:
    """Prepare the cluster and run hollow nodes."""
    with api.client() as client:
        prepare(client)
    return hollow_fleet(api.admin_kubeconfig, {"simulation": pool, "groups": list(groups)}, directory)


def test_a_good_config_reaches_all_nodes(real_api: Real, unique: str, tmp_path: Path) -> None:
    slow = group("slow", 2, unique, answer="1500ms")
    older = {**group("older", 3, unique), "kubeletVersions": ["v1.33.4"]}
    with fleet(real_api, unique, tmp_path, group("good", 25, unique), slow, older):
        done, rollout = roll_out(real_api, unique, tmp_path)
        assert (done.code, rollout.phase) == (0, "Complete"), done.output
        with real_api.client() as client:
            views = list_nodes(client, selector=f"pool={unique}")
            assert len(views) == 30
            assert all(view.is_on(rollout.target.source) for view in views)
            # The canary covers both versions.
            assert {view.system.kubelet_version for view in views if view.name in rollout.waves[0].nodes} == {
                "v1.33.4",
                "v1.34.1",
            }
            again = Playbooks(tmp_path, real_api.admin_kubeconfig).run("rollout")
            assert (again.code, again.changed) == (0, 0), again.output
    with real_api.client() as client:
        assert list_nodes(client, selector=f"pool={unique}") == []


def test_a_crashing_canary_halts_the_rollout(real_api: Real, unique: str, tmp_path: Path) -> None:
    nodes = group("crashing", 30, unique, outcome="crashes", onlyWith="maxPods: 13")
    with fleet(real_api, unique, tmp_path, nodes):
        good, _rollout = roll_out(real_api, unique, tmp_path, 60)
        assert good.code == 0, good.output
        done, rollout = roll_out(real_api, unique, tmp_path, 13)
        assert (done.code, rollout.phase) == (2, "Halted"), done.output
        assert "crashed 3 times during its trial" in rollout.reason
        with real_api.client() as client:
            views = list_nodes(client, selector=f"pool={unique}")
        touched = {view.name for view in views if view.assigned.id > 1}
        assert touched <= set(rollout.waves[0].nodes)
        assert {view.name for view in views if view.answer.config_ok == "False"} == touched
        # They are back on the config before.
        assert len({view.active for view in views}) == 1


def test_lying_nodes_do_not_pass(real_api: Real, unique: str, tmp_path: Path) -> None:
    """A node that did not adopt the config, and one that answers another assignment, say True: the wave pauses."""
    liars = [group(outcome, 1, unique, outcome=outcome) for outcome in ("claims", "repeats")]
    with fleet(real_api, unique, tmp_path, group("good", 28, unique), *liars):
        done, rollout = roll_out(real_api, unique, tmp_path)
        assert (done.code, rollout.phase) == (2, "Paused"), done.output
        unknown = {failed.node: failed for failed in rollout.failed_nodes if failed.kind == "unknown"}
        assert unknown, done.output
        assert {name.split("-")[-2] for name in unknown} <= {"claims", "repeats"}


def scenario_file(directory: Path, pool: str) -> str:
    (directory / "fleet.yml").write_text(json.dumps({"simulation": pool, "groups": [group("n", 3, pool)]}))
    return "scenario=fleet.yml"


def simulated(api: Embedded) -> int:
    """Return the number of hollow nodes in the cluster."""
    with api.client() as client:
        return len(client.list(paths.NODES, label_selector=LABEL_SIMULATED).items)


def test_the_playbook_simulates_for_a_while(embedded_api: Embedded, tmp_path: Path) -> None:
    user = Playbooks(tmp_path, embedded_api.admin_kubeconfig)
    scenario = scenario_file(tmp_path, "rehearsal")
    checked = user.run("simulate", "-e", scenario, "--check", pool=False)
    assert checked.code == 0, checked.output
    assert "the scenario has 3 nodes" in checked.output
    done = user.run("simulate", "-e", scenario, "-e", "duration=1s", pool=False)
    assert done.code == 0, done.output
    lines = [line for line in done.output.splitlines() if line.endswith((" Nodes", "=rehearsal"))]
    assert lines == ["created 3 Nodes with label configok.dev/simulated=rehearsal", "removed 3 Nodes"]
    assert simulated(embedded_api) == 0


def test_the_playbook_refuses_a_wrong_scenario(embedded_api: Embedded, tmp_path: Path) -> None:
    (tmp_path / "fleet.yml").write_text("{simulation: rehearsal, group: []}")
    done = Playbooks(tmp_path, embedded_api.admin_kubeconfig).run("simulate", "-e", "scenario=fleet.yml", pool=False)
    assert done.code == 2
    assert (
        "groups: must be a list of at least one group of nodes; group: is unknown: did you mean groups?" in done.output
    )


def test_the_playbook_removes_its_nodes_after_ctrl_c(embedded_api: Embedded, tmp_path: Path) -> None:
    running = Playbooks(tmp_path, embedded_api.admin_kubeconfig).start(
        "simulate", "-e", scenario_file(tmp_path, "rehearsal"), pool=False
    )
    wait_for_nodes(embedded_api, 3)
    os.killpg(running.pid, signal.SIGINT)
    finish(running)
    wait_for_nodes(embedded_api, 0)


def test_nodes_of_a_killed_playbook_are_removed(embedded_api: Embedded, tmp_path: Path) -> None:
    """If the simulator is killed too, as by a power cut, simulate_state=absent removes the Nodes."""
    user = Playbooks(tmp_path, embedded_api.admin_kubeconfig)
    scenario = scenario_file(tmp_path, "rehearsal")
    running = user.start("simulate", "-e", scenario, pool=False)
    wait_for_nodes(embedded_api, 3)
    kill(running)
    time.sleep(1)
    assert simulated(embedded_api) == 3
    refused = user.run("simulate", "-e", scenario, pool=False)
    assert refused.code == 2
    assert "the cluster has 3 Nodes of simulation rehearsal already" in refused.output
    removed = user.run("simulate", "-e", scenario, "-e", "simulate_state=absent", pool=False)
    assert (removed.code, simulated(embedded_api)) == (0, 0), removed.output


def wait_for_nodes(api: Embedded, count: int) -> None:
    deadline = time.monotonic() + LONGEST_WAIT
    while simulated(api) != count:
        assert time.monotonic() < deadline, simulated(api)
        time.sleep(0.2)
