# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Old bundles are deleted, but never one that a Node, a record or the next undo needs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import Forbidden
from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import (
    NODES,
    config_map,
    config_maps,
    node,
)
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import ConfigSource
from ansible_collections.configok.node.plugins.module_utils._rollout import PoolLocked, RolloutError
from ansible_collections.configok.node.plugins.module_utils._rollout._decisions._pruning import (
    beyond_limit,
    choose_bundles,
    mark_pruned,
    node_uids,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record import (
    Record,
    Revision,
    Rollout,
    RolloutStart,
    record_uids,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record_store import (
    decode_record,
    encode_record,
    update_record,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._record.revisions import (
    find_undo_revision,
    read_target,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._run.bundle_pruning import (
    PruneResult,
    prune_after_rollout,
    prune_bundles,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._run.pool_lock import PoolLock
from ansible_collections.configok.node.plugins.module_utils._rollout.plan import Target
from ansible_collections.configok.node.plugins.modules import bundle_prune
from support.ansible_runs.modules import run_module
from support.rollouts.world import MakeWorld, World


def uid(number: int) -> str:
    return str(UUID(int=number))


def revision(number: int, bundle: int | None = None) -> Revision:
    identity = number if bundle is None else bundle
    return Revision(number, f"workers-{identity:010x}", "configok-system", uid(identity), "", "then", result="Complete")


def record(*revisions: Revision, pool: str = "workers") -> Record:
    return Record(pool, revisions)


def numbers(revisions: Sequence[Revision]) -> list[int]:
    return [present.number for present in revisions]


def test_the_newest_bundles_are_within_the_limit() -> None:
    history = record(*map(revision, range(1, 7)))
    assert numbers(beyond_limit(history, 4)) == [1, 2]
    assert numbers(beyond_limit(history, 6)) == []
    assert numbers(beyond_limit(history, 0)) == [1, 2, 3, 4, 5], "the latest one always stays"


def test_a_bundle_with_several_revisions_counts_once_as_its_newest() -> None:
    history = record(revision(1), revision(2), revision(3, 1), revision(4))
    assert numbers(beyond_limit(history, 2)) == [2]
    assert numbers(beyond_limit(history, 1)) == [2, 3]


def test_what_is_pruned_is_not_pruned_again() -> None:
    history = mark_pruned(record(*map(revision, range(1, 5))), frozenset({uid(1)}), "now")
    assert [present.pruned for present in history.revisions] == ["now", "", "", ""]
    assert numbers(beyond_limit(history, 2)) == [2]
    assert mark_pruned(history, frozenset({uid(1)}), "later") == history
    assert decode_record(encode_record(history)) == history


def test_a_node_keeps_whatever_its_annotations_name_also_if_they_cannot_be_read() -> None:
    annotations = {
        "configok.dev/config-source": json.dumps({"configMap": {"uid": uid(1)}}),
        "configok.dev/config-status": f'{{"active":{{"configMap":{{"uid":"{uid(2).upper()}"}}}},"lastKn {uid(3)} cut',
        "other": uid(4),
    }
    assert node_uids({"metadata": {"name": "n", "annotations": annotations}}) == {uid(1), uid(2), uid(3)}
    assert node_uids({"metadata": {"name": "n"}}) == frozenset()


def rollout(target: int, previous: Sequence[int] = ()) -> Rollout:
    sources = {f"n{number}": ConfigSource("configok-system", "name", uid(number)) for number in previous}
    goal = Target(f"workers-{target}", "configok-system", uid(target))
    start = RolloutStart(previous_sources={**sources, "n": None})
    return Rollout(target, goal, "Complete", (), 1, "then", "then", start)


def test_a_record_keeps_its_target_what_nodes_used_before_and_its_latest() -> None:
    present = replace(record(*map(revision, range(1, 7))), rollout=rollout(3, [1, 2]))
    assert record_uids(present) == {uid(1), uid(2), uid(3), uid(6)}
    assert record_uids(replace(present, rollout=replace(rollout(0), target=Target.init()))) == {uid(6)}
    assert record_uids(Record("empty")) == frozenset()


def test_what_stays_has_a_reason() -> None:
    candidates = [revision(number) for number in range(1, 6)]
    other = replace(record(pool="other"), rollout=rollout(2))
    node_object = {"metadata": {"name": "n7", "annotations": {"configok.dev/config-source": uid(3)}}}
    choice = choose_bundles(candidates, [other], [node_object], uid(4))
    assert numbers(choice.deleted) == [1, 5]
    assert {kept.revision.number: kept.reason for kept in choice.kept} == {
        2: "the record of pool other names it",
        3: "node n7 names it",
        4: "the next undo goes there",
    }


@given(
    st.lists(st.integers(1, 8), max_size=12),
    st.integers(1, 5),
    st.sets(st.integers(1, 8)),
    st.sets(st.integers(1, 8)),
    st.integers(0, 8),
)
def test_nothing_that_is_needed_is_ever_chosen(
    bundles: list[int], limit: int, on_nodes: set[int], before: set[int], undo: int
) -> None:
    history = record(*(revision(number, bundle) for number, bundle in enumerate(bundles, 1)))
    own = replace(history, rollout=replace(rollout(min(before, default=1), sorted(before)), revision=0))
    nodes = [
        {"metadata": {"name": f"n{number}", "annotations": {"configok.dev/config-status": f'"{uid(number)}"'}}}
        for number in on_nodes
    ]
    choice = choose_bundles(beyond_limit(own, limit), [own], nodes, uid(undo))
    deleted = {present.uid for present in choice.deleted}
    assert deleted.isdisjoint({uid(number) for number in on_nodes | before | {undo}})
    newest = list(dict.fromkeys(reversed(bundles)))[:limit]
    assert deleted.isdisjoint({uid(number) for number in newest})
    needed = on_nodes | before | {undo, min(before, default=1)} | set(newest)
    assert deleted == {uid(number) for number in set(bundles) - needed}


def prune(world: World, limit: int = 2, *, check: bool = False, client: Any = None) -> PruneResult:
    return prune_bundles(client or world.client, "workers", limit, runner="me", clock=world.clock, check=check)


def bundles(world: World) -> set[str]:
    return {item["metadata"]["name"] for item in world.client.list(config_maps("configok-system")).items}


@pytest.fixture
def rolled_out(make_world: MakeWorld) -> World:
    """A pool that has been moved to five revisions in turn."""
    world = make_world(3)
    for max_pods in (50, 60, 70, 80, 90):
        world.rollout(world.publish(max_pods), canary={"count": 1, "soak": "1s"})
    return world


def name(world: World, number: int) -> str:
    return world.record().revisions[number - 1].name


def test_old_bundles_are_deleted_and_stay_in_the_history(rolled_out: World) -> None:
    world = rolled_out
    result = prune(world)
    assert result.lines() == [f"revision {number} ({name(world, number)}) was deleted" for number in (1, 2, 3)]
    assert bundles(world) == {name(world, 4), name(world, 5)}
    assert [bool(present.pruned) for present in world.record().revisions] == [True, True, True, False, False]
    assert prune(world).lines() == ["pool workers has no bundle beyond the newest 2"]


def test_an_undo_to_a_pruned_revision_says_so(rolled_out: World) -> None:
    prune(rolled_out)
    with pytest.raises(RolloutError, match=r"revision 1 \(ConfigMap configok-system/.*\) was pruned at .*: publish"):
        read_target(rolled_out.client, find_undo_revision(rolled_out.record(), 1))
    again = rolled_out.publish(50)
    assert rolled_out.rollout(again)[-1].phase == "Complete"
    with pytest.raises(RolloutError, match="was pruned"):
        read_target(rolled_out.client, find_undo_revision(rolled_out.record(), 1))
    assert read_target(rolled_out.client, find_undo_revision(rolled_out.record(), 6)) == again


def test_a_pool_on_its_first_revision_after_undos_keeps_it(rolled_out: World) -> None:
    world = rolled_out
    first = read_target(world.client, world.record().revisions[0])
    world.rollout(first)
    result = prune(world, 1)
    assert {kept.revision.number for kept in result.choice.kept} >= {1}
    assert name(world, 1) in bundles(world)
    assert name(world, 5) in bundles(world), "it is the latest, and what the nodes used before"


def test_the_bundle_that_the_next_undo_goes_to_stays(rolled_out: World) -> None:
    result = prune(rolled_out, 1)
    assert [(kept.revision.number, kept.reason) for kept in result.choice.kept] == [(4, "the next undo goes there")]


def test_a_node_outside_the_pool_keeps_what_it_names(rolled_out: World) -> None:
    source = json.dumps({"configMap": {"uid": rolled_out.record().revisions[1].uid}})
    rolled_out.client.patch(node("n00"), {"metadata": {"labels": {"pool": None}}})
    rolled_out.client.patch(node("n00"), {"metadata": {"annotations": {"configok.dev/config-source": source}}})
    result = prune(rolled_out)
    assert [(kept.revision.number, kept.reason) for kept in result.choice.kept] == [(2, "node n00 names it")]
    assert name(rolled_out, 2) in bundles(rolled_out)


def test_a_record_of_another_pool_that_cannot_be_read_keeps_everything(rolled_out: World) -> None:
    update_record(rolled_out.client, "other", lambda present: replace(present, bad_configs=()))
    damaged = {"metadata": {"name": "other"}, "data": {"record": "{"}}
    rolled_out.client.create(config_maps("configok-rollouts"), {"apiVersion": "v1", "kind": "ConfigMap", **damaged})
    with pytest.raises(RolloutError, match=r"nothing is pruned: the record of pool other .* is damaged"):
        prune(rolled_out)
    assert len(bundles(rolled_out)) == 5


def test_another_object_of_the_same_name_is_not_touched(rolled_out: World) -> None:
    path = config_map("configok-system", name(rolled_out, 1))
    old = rolled_out.client.get(path)
    rolled_out.client.delete(path)
    metadata = {"name": old["metadata"]["name"]}
    made = rolled_out.client.create(config_maps("configok-system"), {**old, "metadata": metadata})
    prune(rolled_out)
    assert rolled_out.client.get(path)["metadata"]["uid"] == made["metadata"]["uid"]
    assert rolled_out.record().revisions[0].pruned, "its own object is gone"


def test_nothing_is_pruned_while_a_runner_moves_the_pool(rolled_out: World) -> None:
    lock = PoolLock(rolled_out.client, "workers", "bob@bastion", clock=rolled_out.clock, duration=300.0)
    lock.acquire(lambda _line: None)

    def renew() -> None:
        for _time in range(5):
            rolled_out.clock.sleep(20.0)
            lock._renew_at = 0.0
            lock.renew_if_due()

    rolled_out.clock.start(renew, "bob")
    with pytest.raises(PoolLocked, match="is being moved by bob@bastion"):
        prune(rolled_out)
    assert len(bundles(rolled_out)) == 5


def test_check_mode_asks_the_server_and_deletes_nothing(rolled_out: World) -> None:
    result = prune(rolled_out, check=True)
    assert numbers(result.choice.deleted) == [1, 2, 3]
    assert result.lines()[0].endswith("would be deleted")
    assert len(bundles(rolled_out)) == 5
    assert not any(present.pruned for present in rolled_out.record().revisions)


def prune_at_the_end(world: World, client: Any, limit: int) -> str:
    return prune_after_rollout(
        client,
        limit,
        read=world.record,
        update=lambda change: update_record(world.client, "workers", change),
        clock=world.clock,
    )


class Denied:
    """A client that may not delete ConfigMaps, except the first so many."""

    def __init__(self, client: Any, allowed: int = 0) -> None:
        self._client, self._allowed = client, allowed
        self.requests = 0

    def __getattr__(self, attribute: str) -> Any:
        self.requests += 1
        return getattr(self._client, attribute)

    def delete(self, path: str, **options: Any) -> Any:
        self._allowed -= 1
        if self._allowed < 0:
            raise Forbidden("you may not", where=f"DELETE {path}", status=403)
        return self._client.delete(path, **options)


def test_a_run_that_may_not_delete_says_how_to_allow_it_and_does_not_fail(rolled_out: World) -> None:
    client: Any = Denied(rolled_out.client, allowed=1)
    line = prune_at_the_end(rolled_out, client, 2)
    assert line.startswith("old bundles stay: DELETE")
    assert "with cluster_runner_prune, or run configok.node.prune with another identity" in line
    assert [bool(present.pruned) for present in rolled_out.record().revisions] == [True, False, False, False, False]


def test_a_run_prunes_at_its_end_and_asks_nothing_when_there_is_nothing(rolled_out: World) -> None:
    client: Any = Denied(rolled_out.client)
    assert prune_at_the_end(rolled_out, client, 5) == ""
    assert client.requests == 0
    assert prune_at_the_end(rolled_out, rolled_out.client, 2) == "3 old bundles deleted"


def test_a_bundle_that_is_published_again_meanwhile_stays(rolled_out: World) -> None:
    class Publishing:
        """A client at whose list of Nodes another user publishes the oldest config again."""

        def __getattr__(self, attribute: str) -> Any:
            return getattr(rolled_out.client, attribute)

        def pages(self, path: str, **options: Any) -> Any:
            if path == NODES:
                rolled_out.publish(50)
            return rolled_out.client.pages(path, **options)

    result = prune(rolled_out, 2, client=Publishing())
    assert numbers(result.choice.deleted) == [2, 3]
    assert name(rolled_out, 1) in bundles(rolled_out)


def test_a_complete_rollout_prunes_at_its_end(rolled_out: World) -> None:
    rolled_out.rollout(rolled_out.publish(100), revisionHistoryLimit=3)
    assert rolled_out.lines()[-1] == "3 old bundles deleted"
    assert bundles(rolled_out) == {name(rolled_out, number) for number in (4, 5, 6)}


def test_the_module_deletes_and_shows_the_difference(rolled_out: World) -> None:
    rolled_out.server.start()  # the module asks over HTTP
    arguments = {"host": rolled_out.server.url, "api_key": "admin", "pool": "workers", "limit": 4}
    would = run_module(bundle_prune.main, arguments, check=True)
    assert (would["changed"], len(bundles(rolled_out))) == (True, 5)
    result = run_module(bundle_prune.main, arguments)
    first = name(rolled_out, 1)
    assert result["deleted"] == [{"revision": 1, "namespace": "configok-system", "name": first}]
    assert result["diff"] == {"before": f"configok-system/{first}\n", "after": ""}
    assert result["text"] == [f"revision 1 ({first}) was deleted"]
    assert run_module(bundle_prune.main, arguments)["changed"] is False
    assert run_module(bundle_prune.main, {**arguments, "limit": 0})["msg"] == "limit is 0: it must be from 1 to 100"
