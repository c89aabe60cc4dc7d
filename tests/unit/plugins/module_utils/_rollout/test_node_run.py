# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The phases of a node in a wave: each legal transition is a row, and there are no others."""

from __future__ import annotations

from itertools import product

import pytest

from ansible_collections.configok.node.plugins.module_utils._rollout._decisions._node_run import (
    IllegalTransition,
    NodeRun,
    Phase,
)

LEGAL = {
    (Phase.WAITING, Phase.MOVING): "it takes a slot",
    (Phase.WAITING, Phase.UNKNOWN): "too many nodes are down for another reason",
    (Phase.MOVING, Phase.WAITING): "another node went down before it was assigned",
    (Phase.MOVING, Phase.POSTPONED): "its assignment has no answer",
    (Phase.MOVING, Phase.UNCONFIRMED): "it is assigned, and the watch is behind",
    (Phase.MOVING, Phase.IN_FLIGHT): "it is assigned",
    (Phase.MOVING, Phase.PASSED): "a machine is deleted",
    (Phase.MOVING, Phase.FAILED): "its host could not be changed",
    (Phase.MOVING, Phase.UNKNOWN): "it could not be drained",
    (Phase.MOVING, Phase.GONE): "its Node was deleted",
    (Phase.POSTPONED, Phase.MOVING): "it takes a slot again",
    (Phase.POSTPONED, Phase.UNKNOWN): "too many nodes are down for another reason",
    (Phase.UNCONFIRMED, Phase.IN_FLIGHT): "the watch shows its assignment",
    (Phase.UNCONFIRMED, Phase.UNKNOWN): "its time is up",
    (Phase.IN_FLIGHT, Phase.REBOOTING): "its new config needs a reboot",
    (Phase.IN_FLIGHT, Phase.SOAKING): "it is up",
    (Phase.IN_FLIGHT, Phase.ROLLING_BACK): "a machine has failed",
    (Phase.IN_FLIGHT, Phase.PASSED): "it is up, and there is no soak",
    (Phase.IN_FLIGHT, Phase.FAILED): "it refused its config",
    (Phase.IN_FLIGHT, Phase.UNKNOWN): "its time is up",
    (Phase.IN_FLIGHT, Phase.GONE): "its Node was deleted",
    (Phase.REBOOTING, Phase.IN_FLIGHT): "it was rebooted",
    (Phase.REBOOTING, Phase.SOAKING): "it was rebooted during its soak",
    (Phase.REBOOTING, Phase.UNKNOWN): "it could not be rebooted",
    (Phase.SOAKING, Phase.REBOOTING): "its config needs a reboot after all",
    (Phase.SOAKING, Phase.ROLLING_BACK): "a machine has failed in its soak",
    (Phase.SOAKING, Phase.PASSED): "its soak is over",
    (Phase.SOAKING, Phase.FAILED): "it failed in its soak",
    (Phase.SOAKING, Phase.UNKNOWN): "its agent did not confirm the soak",
    (Phase.SOAKING, Phase.GONE): "its Node was deleted",
    (Phase.ROLLING_BACK, Phase.FAILED): "it was taken back, or could not be",
    (Phase.ROLLING_BACK, Phase.UNKNOWN): "its time is up",
    (Phase.PASSED, Phase.ROLLING_BACK): "a machine fails late",
    (Phase.PASSED, Phase.FAILED): "it fails late",
}


@pytest.mark.parametrize(("before", "after"), list(product(Phase, Phase)), ids=lambda phase: phase.value)
def test_a_node_enters_only_the_phases_of_the_table(before: Phase, after: Phase) -> None:
    run = NodeRun(before)
    if (before, after) in LEGAL:
        assert run.enter(after).phase is after
    else:
        with pytest.raises(IllegalTransition, match=f"cannot be {after.value} after {before.value}"):
            run.enter(after)


def test_a_reboot_and_a_rollback_show_the_state_from_before() -> None:
    soaking = NodeRun(Phase.SOAKING, reason="soaking")
    assert soaking.enter(Phase.REBOOTING).state is Phase.SOAKING
    assert soaking.enter(Phase.REBOOTING).end_reboot() == soaking
    assert NodeRun(Phase.PASSED).enter(Phase.ROLLING_BACK).state is Phase.PASSED
    assert NodeRun(Phase.PASSED).enter(Phase.ROLLING_BACK).enter(Phase.FAILED, "late").state is Phase.FAILED


def test_only_a_node_that_is_rebooted_ends_a_reboot() -> None:
    with pytest.raises(IllegalTransition, match="a node that is soaking ends no reboot"):
        NodeRun(Phase.SOAKING).end_reboot()


def test_a_node_remembers_that_an_assignment_had_no_answer() -> None:
    run = NodeRun(Phase.MOVING).enter(Phase.POSTPONED).enter(Phase.MOVING)
    assert run.was_postponed
    assert run.enter(Phase.WAITING).state is Phase.WAITING
