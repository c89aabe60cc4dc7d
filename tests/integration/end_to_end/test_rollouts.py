# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole way: playbooks, API server, agents with node identities, components as processes."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from sandbox import processes_below
from support.agents.fleet import start_fleet, used
from support.agents.sandbox import SandboxNode
from support.ansible_runs.playbooks import kill
from support.api.servers import ApiServer, Embedded, Real, Unavailable, start_real
from support.session.patience import LONGEST_WAIT
from support.session.unavailable import leave_out


@pytest.mark.slow
@pytest.mark.complaint("kubespray #11395: took down 20% of the workers")
def test_a_good_config_reaches_all_nodes_and_a_crashing_one_only_the_canary(
    real_api: Real, unique: str, tmp_path: Path
) -> None:
    """20 agents on the real API server, RBAC and NodeRestriction on: a crashing config reaches the canary, no more."""
    with start_fleet(real_api, unique, 20, tmp_path) as fleet:
        done = fleet.user.run("rollout")
        assert done.code == 0, done.output
        (good,) = fleet.bundles().values()
        uid = good["metadata"]["uid"]
        assert fleet.all_use(uid)
        assert all(starts == 2 for starts in fleet.starts().values()), "provisioned, then adopted: one restart each"

        again = fleet.user.run("rollout")
        assert (again.code, again.changed) == (0, 0), again.output

        before = fleet.starts()
        assigned = {name: fleet.status(name)[1].assignment for name in fleet.names}
        fleet.write("maxPods: 60", "podsPerCore: 13")
        crashing = fleet.user.run("rollout")
        assert crashing.code != 0, crashing.output
        assert fleet.phase() == "Halted", crashing.output
        touched = [name for name in fleet.names if fleet.status(name)[1].assignment != assigned[name]]
        assert 1 <= len(touched) <= 2, crashing.output
        fleet.wait(
            "the canary is back on last-known-good by itself and says why",
            lambda: fleet.all(
                lambda condition, status: (
                    condition["status"] == "False" and "crashed" in condition["reason"] and used(status) == uid
                ),
                touched,
            ),
        )
        after = fleet.starts()
        assert {name for name in fleet.names if after[name] != before[name]} == set(touched)

        undone = fleet.user.run("undo")
        assert undone.code == 0, undone.output
        assert fleet.all_use(uid)


@pytest.mark.parametrize(
    ("api", "phase"),
    [
        ("real", "Canary"),
        pytest.param("real", "Wave 1", marks=pytest.mark.slow),
        pytest.param("real", "Wave 2", marks=pytest.mark.slow),
        ("embedded", "Wave 1"),
    ],
    indirect=["api"],
)
def test_a_killed_playbook_resumes_where_it_was(api: ApiServer, unique: str, tmp_path: Path, phase: str) -> None:
    # The next run waits until the dead one's lock is no longer held.
    quickly = ("-e", "rollout_lease_duration=5")
    with start_fleet(api, unique, 6, tmp_path) as fleet:
        fleet.write("maxPods: 61", soak="1s")
        running = fleet.user.start("rollout", *quickly)
        fleet.wait(f"the record says {phase}", lambda: fleet.phase() == phase)
        kill(running)
        assert fleet.phase() != "Complete"

        done = fleet.user.run("rollout", *quickly)
        assert done.code == 0, done.output
        assert fleet.phase() == "Complete"
        (bundle,) = fleet.bundles().values()
        assert fleet.all_use(bundle["metadata"]["uid"])
        assert all(starts == 2 for starts in fleet.starts().values()), "no node was restarted twice for one config"

        again = fleet.user.run("rollout", *quickly)
        assert (again.code, again.changed) == (0, 0), again.output


def test_a_restart_of_the_control_plane_is_survived(tmp_path: Path) -> None:
    """Longer than the lock lasts: nothing is assigned meanwhile, no node is charged with it, and the run continues."""
    try:
        api = start_real(tmp_path / "api")
    except Unavailable as problem:
        leave_out(problem)
    try:
        with start_fleet(api, "outage", 6, tmp_path) as fleet:
            fleet.write("maxPods: 61", soak="1s")
            running = fleet.user.start("rollout", "-e", "rollout_lease_duration=5")
            fleet.wait("the record says Wave 1", lambda: fleet.phase() == "Wave 1")
            api.stop()
            time.sleep(10)
            api.start()
            output, _nothing = running.communicate(timeout=LONGEST_WAIT)
            assert running.returncode == 0, output
            assert "the API server does not answer" in output
            assert "nothing is assigned meanwhile" in output
            assert fleet.phase() == "Complete"
            (bundle,) = fleet.bundles().values()
            assert fleet.all_use(bundle["metadata"]["uid"])
            assert all(starts == 2 for starts in fleet.starts().values()), "no node was restarted twice"
    finally:
        api.stop()


def test_a_canary_whose_agent_is_frozen_in_its_soak_does_not_pass(
    embedded_api: Embedded, unique: str, tmp_path: Path
) -> None:
    """Its component crashes and is rolled back by the hooks meanwhile, while the last ConfigOK stays True."""
    with start_fleet(embedded_api, unique, 4, tmp_path) as fleet:
        assert fleet.sandbox is not None
        fleet.write("maxPods: 61", trial="5m", canary={"count": 1, "soak": "10s"})
        running = fleet.user.start("rollout")

        def adopted(name: str) -> bool:
            condition, status = fleet.status(name)
            return condition["status"] == "True" and status.active is not None

        fleet.wait("the canary is good", lambda: any(map(adopted, fleet.names)))
        canary = next(filter(adopted, fleet.names))
        node = fleet.sandbox.nodes[canary]
        agent = node.processes["agent"]
        agent.send_signal(signal.SIGSTOP)
        try:
            for _crash in range(3):  # the trial allows two
                starts = fleet.starts()[canary]
                os.kill(component_pid(node), signal.SIGKILL)
                fleet.wait("it is started again", lambda: fleet.starts()[canary] > starts)  # noqa: B023 - of this round
            assert "maxPods: 110" in (node.state / "components/kubelet/config.yaml").read_text()
            output, _nothing = running.communicate(timeout=LONGEST_WAIT)
        finally:
            agent.send_signal(signal.SIGCONT)
        assert running.returncode != 0, output
        assert fleet.phase() == "Paused", output
        assert "its agent has not confirmed this" in output
        assert [name for name in fleet.names if fleet.status(name)[1].assignment] == [canary], output
        fleet.wait("the agent reports the rollback", lambda: fleet.status(canary)[0]["status"] == "False")
        assert fleet.status(canary)[1].confirmed == 0


def component_pid(node: SandboxNode) -> int:
    """Return the process of a node's component."""
    (process,) = [line for line in processes_below(node.directory) if "--hostname-override" in line]
    return int(process.split()[0])
