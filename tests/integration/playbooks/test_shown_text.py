# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbooks show text as it is, with each stdout callback, on the oldest and the newest ansible-core."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.ansible_runs.playbooks import Playbooks, quick_pool
from support.api.clusters import prepare
from support.api.servers import Embedded
from support.rollouts.simulated_nodes import SimulatedNodes


@pytest.mark.parametrize("callback", ["default", "minimal"])
def test_the_table_of_status_is_not_quoted(
    embedded_api: Embedded, tmp_path: Path, control: Path, callback: str
) -> None:
    client = embedded_api.client()
    prepare(client)
    user = Playbooks(tmp_path, embedded_api.admin_kubeconfig, control)
    user.write(quick_pool(selector=""), "maxPods: 60\n")
    (tmp_path / "ansible.cfg").write_text(f"[defaults]\nstdout_callback = {callback}\n")
    with SimulatedNodes(client) as nodes:
        nodes.add("n0")
        run = user.run("status", pool=False)
    assert run.code == 0, run.output
    lines = run.output.splitlines()
    (head,) = [number for number, line in enumerate(lines) if line.startswith("NAME ")]
    assert lines[head].split()[:3] == ["NAME", "CONFIGOK", "STATE"]
    assert lines[head + 1].startswith("n0 ")
    assert '"msg": [' not in run.output
