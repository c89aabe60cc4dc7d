# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which nodes would refuse a drain, said before the rollout."""

from __future__ import annotations

import pytest

from ansible_collections.configok.node.plugins.module_utils._rollout._drain._settings import DrainSettings
from ansible_collections.configok.node.plugins.module_utils._rollout._drain.drain_preview import preview_drains
from support.rollouts.world import MakeWorld, World


@pytest.fixture
def world_with_pods(make_world: MakeWorld) -> World:
    world = make_world(4)
    world.pods.add("n00", "web")
    world.pods.add("n00", "agent", owner="DaemonSet", empty_dir=True)
    world.pods.add("n00", "done", owner="", phase="Succeeded")
    world.pods.add("n01", "bare", owner="")
    world.pods.add("n02", "cache", empty_dir=True)
    world.pods.add("n03", "bare", owner="")
    return world


def test_nodes_whose_pods_refuse_a_drain_are_named_with_a_reason(world_with_pods: World) -> None:
    client, settings = world_with_pods.client, DrainSettings()
    (warning,) = preview_drains(client, {"n00", "n01", "n02"}, settings)
    assert warning == (
        "2 nodes (n01, n02) would refuse the drain, which pauses the rollout, for example n01: default/bare: no "
        "controller would create such a pod again; policy.drain.force evicts it"
    )
    assert len(world_with_pods.pods.lists) == 1
    (warning,) = preview_drains(client, {"n01", "n02"}, DrainSettings(force=True))
    assert warning.startswith("1 node (n02) would refuse the drain")
    assert "policy.drain.deleteEmptyDirData evicts such pods" in warning
    assert preview_drains(client, {"n01", "n02"}, DrainSettings(force=True, delete_empty_dir_data=True)) == []
    assert preview_drains(client, {"n00"}, settings) == []


def test_without_nodes_to_drain_nothing_is_asked(world_with_pods: World) -> None:
    assert preview_drains(world_with_pods.client, set(), DrainSettings()) == []
    assert world_with_pods.pods.lists == []
