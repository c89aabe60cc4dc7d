# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole way: playbooks, API server, agents with node identities, components as processes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.apiserver import ApiServer, Real
from support.fleet import start_fleet


def changed(output: str) -> int:
    """Return how many tasks of a playbook reported a change."""
    return sum(int(number) for number in re.findall(r"changed=(\d+)", output))


def test_a_good_and_a_deadly_rollout(real_api: Real, unique: str, tmp_path: Path) -> None:
    """20 agents on the real API server, RBAC and NodeRestriction on: the deadly config reaches the canary, no more."""
    with start_fleet(real_api, unique, 20, tmp_path) as fleet:
        code, output = fleet.run("rollout")
        assert code == 0, output
        (good,) = fleet.bundles().values()
        uid = good["metadata"]["uid"]
        assert fleet.all(
            lambda said, status: said["status"] == "True" and status.active is not None and status.active.uid == uid
        )
        assert all(starts == 2 for starts in fleet.starts().values()), "provisioned, then adopted: one restart each"

        code, output = fleet.run("rollout")
        assert (code, changed(output)) == (0, 0), output

        before = fleet.starts()
        assigned = {name: fleet.status(name)[1].assignment for name in fleet.names}
        fleet.write("maxPods: 60", "podsPerCore: 13")
        code, output = fleet.run("rollout")
        assert code != 0, output
        assert fleet.phase() == "Halted", output
        touched = [name for name in fleet.names if fleet.status(name)[1].assignment != assigned[name]]
        assert 1 <= len(touched) <= 2, output
        fleet.wait(
            "the canary is back on last-known-good by itself and says why",
            lambda: fleet.all(
                lambda said, status: (
                    said["status"] == "False"
                    and "crashed" in said["reason"]
                    and status.active is not None
                    and status.active.uid == uid
                ),
                touched,
            ),
        )
        after = fleet.starts()
        assert {name for name in fleet.names if after[name] != before[name]} == set(touched)

        code, output = fleet.run("undo")
        assert code == 0, output
        assert fleet.all(
            lambda said, status: said["status"] == "True" and status.active is not None and status.active.uid == uid
        )


@pytest.mark.parametrize("phase", ["Canary", "Wave 1", "Wave 2"])
def test_a_killed_playbook_goes_on_where_it_stood(api: ApiServer, unique: str, tmp_path: Path, phase: str) -> None:
    with start_fleet(api, unique, 6, tmp_path) as fleet:
        fleet.write("maxPods: 61", soak="1s")
        process = fleet.start("rollout")
        fleet.wait(f"the record says {phase}", lambda: fleet.phase() == phase)
        fleet.kill(process)
        assert fleet.phase() != "Complete"

        code, output = fleet.run("rollout")
        assert code == 0, output
        assert fleet.phase() == "Complete"
        (bundle,) = fleet.bundles().values()
        uid = bundle["metadata"]["uid"]
        assert fleet.all(
            lambda said, status: said["status"] == "True" and status.active is not None and status.active.uid == uid
        )
        assert all(starts == 2 for starts in fleet.starts().values()), "no node was restarted twice for one config"

        code, output = fleet.run("rollout")
        assert (code, changed(output)) == (0, 0), output
