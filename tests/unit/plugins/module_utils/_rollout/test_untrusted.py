# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A config that nodes refuse as untrusted halts the rollout, is not bad, and is assigned again once it is signed."""

from __future__ import annotations

from ansible_collections.configok.node.plugins.module_utils._nodeconfig.config_status import Cause, ConfigStatus
from support.rollouts.simulated_nodes import CRASHES, GOOD, UNTRUSTED
from support.rollouts.views import a_view
from support.rollouts.world import MakeWorld


def test_a_refused_signature_halts_and_marks_nothing_bad(make_world: MakeWorld) -> None:
    world = make_world(9)
    target = world.publish(100)
    world.nodes.behaviour = lambda _name, _source: UNTRUSTED
    last = world.rollout(target)[-1]
    assert last.phase == "Halted"
    assert {failed.kind for failed in last.failed_nodes} == {"failed"}
    assert "failed to verify (UID: " in last.failed_nodes[0].reason
    record = world.record()
    assert record.bad_configs == ()
    assert record.rollout is not None
    assert "configok.node.config_signature" in record.rollout.reason
    assert "configok.node.forget" not in record.rollout.reason
    refused = last.failed_nodes[0].node
    before = world.nodes.view(refused).assigned.id
    # It was signed since.
    world.nodes.behaviour = lambda _name, _source: GOOD
    plan = world.plan(target)
    assert (plan.refusals, plan.unmoved.skipped) == ((), ())
    assert world.rollout(target)[-1].phase == "Complete"
    after = world.nodes.view(refused).assigned.id
    assert after > before


def test_a_crash_next_to_it_counts_for_itself(make_world: MakeWorld) -> None:
    world = make_world(9)
    target = world.publish(100)
    first, *_others = world.plan(target).wave("canary").nodes
    world.nodes.behaviour = lambda name, _source: CRASHES if name == first else UNTRUSTED
    assert world.rollout(target)[-1].phase == "Halted"
    # Of the nodes that tried it, one failed: that is for the operator to decide.
    assert [bad.confirmed for bad in world.record().bad_configs] == [False]


def test_a_view_says_whether_its_node_does_not_trust() -> None:
    assert a_view("n1", config_ok="False", status=ConfigStatus(cause=Cause.UNTRUSTED)).is_untrusting
    assert not a_view("n1", config_ok="True", status=ConfigStatus(cause=Cause.UNTRUSTED)).is_untrusting
    assert not a_view("n1", config_ok="False", status=ConfigStatus(cause=Cause.INVALID_CONFIG)).is_untrusting
