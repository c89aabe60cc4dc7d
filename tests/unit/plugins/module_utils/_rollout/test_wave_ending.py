# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What ends a wave when a person and a missing bundle ask for it at the same time."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import config_map
from ansible_collections.configok.node.plugins.module_utils._rollout._decisions._node_run import Phase
from ansible_collections.configok.node.plugins.module_utils._rollout._decisions.wave_limits import WaveOutcome
from ansible_collections.configok.node.plugins.module_utils._rollout._record._control import Control
from ansible_collections.configok.node.plugins.module_utils._rollout._run._wave_ending import WaveEnding
from support.rollouts.world import MakeWorld

ABORT = Control("abort", "alice", "the network is slow")


@pytest.mark.parametrize(
    ("is_deleted", "control", "is_busy", "outcome"),
    [
        (False, Control(), False, None),
        (False, ABORT, False, WaveOutcome.ABORT),
        (False, ABORT, True, WaveOutcome.ABORT),
        (True, Control(), False, WaveOutcome.PAUSE),
        (True, Control(), True, WaveOutcome.PAUSE),
        (True, ABORT, False, WaveOutcome.PAUSE),
        (True, ABORT, True, WaveOutcome.ABORT),
    ],
)
def test_an_abort_does_not_wait_for_the_work_that_a_missing_bundle_waits_for(
    make_world: MakeWorld, is_deleted: bool, control: Control, is_busy: bool, outcome: WaveOutcome | None
) -> None:
    world = make_world(1)
    source = world.publish(100).source
    assert source is not None
    if is_deleted:
        world.client.delete(config_map(source.namespace, source.name))
    session: Any = SimpleNamespace(
        direct_client=world.client, control=SimpleNamespace(present=control, say_problems=lambda: None)
    )
    job: Any = SimpleNamespace(name="canary", position=None, bundles=[source], of_machines=False)
    no_gates: Any = None
    window: Any = SimpleNamespace(counts=dict.fromkeys(Phase, 0))
    ending = WaveEnding(session, job, window, no_gates, None, wait_timeout=60.0)
    demand = ending.demand(0.0, is_busy=is_busy)
    assert (demand and demand.outcome) == outcome
