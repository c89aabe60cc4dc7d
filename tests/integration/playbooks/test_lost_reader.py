# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A run whose output loses its reader ends with an exit code, as a pipe into head, or a log collector that restarts."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from support.ansible_runs.playbooks import Playbooks, kill, quick_pool
from support.api.clusters import prepare
from support.api.servers import Embedded
from support.rollouts.simulated_nodes import SimulatedNodes


@pytest.mark.parametrize("arguments", [("--check",), ()], ids=["plan", "rollout"])
def test_a_run_ends_when_its_output_has_no_reader(
    embedded_api: Embedded, tmp_path: Path, control: Path, arguments: tuple[str, ...]
) -> None:
    client = embedded_api.client()
    prepare(client)
    user = Playbooks(tmp_path, embedded_api.admin_kubeconfig, control)
    user.write(quick_pool(), "maxPods: 60\n")
    with SimulatedNodes(client) as nodes:
        for number in range(4):
            nodes.add(f"n{number}")
        running = user.start("rollout", *arguments)
        assert running.stdout is not None
        while "TASK [" not in running.stdout.readline():
            assert running.poll() is None
        running.stdout.close()
        try:
            assert running.wait(60) is not None
        except subprocess.TimeoutExpired:
            kill(running)
            pytest.fail("the run does not end")
