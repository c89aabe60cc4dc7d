# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A watch that has silently stopped delivering shows nothing: no node passes on what was seen before."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Client
from ansible_collections.configok.node.plugins.module_utils._kube.credentials import Credentials
from support.api.stalling_proxy import stalling_proxy
from support.rollouts.world import QUICK, World


@pytest.fixture
def world() -> Iterator[World]:
    world = World.start_over_http(4)
    yield world
    world.stop()


def test_no_node_passes_while_the_watch_is_silent(world: World) -> None:
    """The canary becomes NotReady in its soak, and every request but the watch is answered."""
    target = world.publish(100)
    policy = {**QUICK, "canary": {"count": 1, "soak": "3s"}, "soak": "0s", "nodeTimeout": "20s"}
    (canary,) = world.plan(target, **policy).wave("canary").nodes
    with stalling_proxy(world.server.url) as proxy:
        client = Client(Credentials(server=proxy.url, token="admin"))

        def fall_silent() -> None:
            proxy.stall()
            world.nodes.set_ready(canary, False)

        world.when("ConfigOK, soaking", fall_silent)
        last = world.rollout(target, client=client, **policy)[-1]
        client.close()
    assert last.phase == "Paused", world.lines()
    assert [(failed.node, failed.kind) for failed in last.failed_nodes] == [(canary, "unknown")]
    assert "its agent has not confirmed this" in last.reason
    assert [name for name, _id, _source in world.nodes.assignments] == [canary], "no other node was assigned"
