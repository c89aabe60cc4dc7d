# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pools whose selectors overlap are reported, with the nodes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import Forbidden
from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import config_maps, namespace
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.well_known import LABEL_POOL
from ansible_collections.configok.node.plugins.module_utils._operations._overlaps import (
    Overlap,
    find_overlaps,
    machine_rollouts,
    overlap_warnings,
)
from ansible_collections.configok.node.plugins.module_utils._operations._pool_nodes import read_pool_records
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record import (
    COMPLETE,
    PAUSED,
    Record,
    Rollout,
    RolloutStart,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record_store import encode_record
from ansible_collections.configok.node.plugins.module_utils._rollout.plan import Target, Wave
from support.rollouts.views import a_target
from support.rollouts.world import MakeWorld, World

NODES = ["n00", "n01", "n02", "n03"]
WAVES = (Wave("canary", ("n01", "x"), 1.0), Wave("wave 1", ("n02",), 1.0))
GPU = Rollout(1, a_target(), COMPLETE, WAVES, 3, "", "", RolloutStart("topology.kubernetes.io/zone=z0"))


def write(world: World, pool: str, rollout: Rollout | None) -> None:
    world.client.create(config_maps("configok-rollouts"), encode_record(Record(pool, rollout=rollout)))


@pytest.mark.parametrize(
    ("rollout", "nodes"),
    [
        (GPU, ("n00", "n03")),
        (replace(GPU, phase=PAUSED), ("n00", "n03")),
        (replace(GPU, start=RolloutStart("pool=other")), ()),
        (replace(GPU, start=RolloutStart("!pool,topology.kubernetes.io/zone in (z0)")), ()),
        (replace(GPU, start=RolloutStart("pool in (")), ()),  # an error of another pool
        (replace(GPU, target=Target.init()), ()),  # rolled back: it assigns nothing
        (None, ()),
    ],
)
def test_the_other_pool_is_named_with_the_nodes_of_both(
    make_world: MakeWorld, rollout: Rollout | None, nodes: tuple[str, ...]
) -> None:
    world = make_world(4)
    write(world, "gpu", rollout)
    write(world, "workers", GPU)  # the pool itself
    damaged = {"metadata": {"name": "damaged", "labels": {LABEL_POOL: "damaged"}}, "data": {"record": "{"}}
    world.client.create(config_maps("configok-rollouts"), damaged)
    expected = [Overlap("gpu", nodes)] if nodes else []
    assert find_overlaps(world.client, read_pool_records(world.client, "workers"), "pool=workers") == expected


def test_a_rollout_records_the_selector_of_its_pool(make_world: MakeWorld) -> None:
    world = make_world(4)
    world.rollout(world.publish(60))
    others = read_pool_records(world.client, "gpu")
    expected = [Overlap("workers", ("n01",))]
    assert find_overlaps(world.client, others, "topology.kubernetes.io/zone=z1") == expected


def test_before_the_cluster_is_prepared_there_is_no_other_pool(make_world: MakeWorld) -> None:
    world = make_world(1)
    world.client.delete(namespace("configok-rollouts"))
    assert find_overlaps(world.client, read_pool_records(world.client, "workers"), "pool=workers") == []


def test_a_warning_tells_a_runner_without_access_to_records_what_to_do() -> None:
    class Forbidding:
        def list(self, *_arguments: Any, **_options: Any) -> Any:
            raise Forbidden("you may not", where="GET configmaps", status=403)

    forbidding: Any = Forbidding()
    assert find_overlaps(forbidding, read_pool_records(forbidding, "workers"), "a=b") is None
    assert "apply the role configok.node.cluster again" in overlap_warnings(None)[0]


@pytest.mark.parametrize(
    ("changes", "nodes"),
    [
        ({}, "2 of these nodes: n01, n02"),
        ({"waves_done": 1}, "1 of these nodes: n02"),
        ({"waves_done": 2}, ""),
        ({"phase": COMPLETE}, ""),
        ({"target": a_target()}, ""),
    ],
)
def test_a_rollout_of_machines_in_progress_is_named_with_the_nodes_that_it_still_changes(
    make_world: MakeWorld, changes: dict[str, Any], nodes: str
) -> None:
    world = make_world(1)
    target = Target.of_machines("machines-0123456789", "0" * 64, {})
    write(world, "machines", replace(GPU, **{"target": target, "phase": PAUSED, "start": RolloutStart(), **changes}))
    sentences = machine_rollouts(read_pool_records(world.client, "workers"), NODES)
    assert [f"is in progress (Paused) and changes {nodes}: let" in sentence for sentence in sentences] == [True] * bool(
        nodes
    )
    assert machine_rollouts(read_pool_records(world.client, "machines"), NODES) == []


def test_the_sentence_names_pool_and_nodes() -> None:
    (sentence,) = overlap_warnings([Overlap("gpu", ("n1", "n2"))])
    assert sentence == "pool gpu has 2 of these nodes as well, and each pool takes them from the other: n1, n2"


def test_a_record_that_cannot_be_read_is_a_warning_that_names_it(make_world: MakeWorld) -> None:
    world = make_world(4)
    write(world, "gpu", GPU)
    damaged = encode_record(Record("database", rollout=GPU))
    damaged["data"]["record"] = damaged["data"]["record"].replace('"cursor": 0', '"cursor": Infinity')
    world.client.create(config_maps("configok-rollouts"), damaged)
    others = read_pool_records(world.client, "workers")
    assert others.records is not None
    assert [record.pool for record in others.records] == ["gpu"]
    (sentence,) = others.unreadable
    assert sentence.startswith("the record of pool database (ConfigMap configok-rollouts/database) is damaged")
