# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole way: playbooks, API server, agents with node identities, components as processes."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from support.agents.fleet import start_fleet, used
from support.ansible_runs.playbooks import kill
from support.api.servers import ApiServer, Real, Unavailable, start_real
from support.session.unavailable import leave_out


@pytest.mark.complaint("kubespray #11395: took down 20% of the workers")
def test_a_good_and_a_deadly_rollout(real_api: Real, unique: str, tmp_path: Path) -> None:
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
    [("real", "Canary"), ("real", "Wave 1"), ("real", "Wave 2"), ("embedded", "Wave 1")],
    indirect=["api"],
)
def test_a_killed_playbook_goes_on_where_it_stood(api: ApiServer, unique: str, tmp_path: Path, phase: str) -> None:
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
            output, _nothing = running.communicate(timeout=120)
            assert running.returncode == 0, output
            assert "the API server does not answer" in output
            assert "nothing is assigned meanwhile" in output
            assert fleet.phase() == "Complete"
            (bundle,) = fleet.bundles().values()
            assert fleet.all_use(bundle["metadata"]["uid"])
            assert all(starts == 2 for starts in fleet.starts().values()), "no node was restarted twice"
    finally:
        api.stop()
