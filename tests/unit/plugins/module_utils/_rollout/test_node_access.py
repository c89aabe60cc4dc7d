# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Assigning many Nodes, publishing, and reading it all back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import Forbidden
from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import node
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import ConfigSource
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle import build_bundle
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.config_ok import ConfigInUse, assignment_lost
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.config_status import ConfigStatus
from ansible_collections.configok.node.plugins.module_utils._rollout import RolloutError
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_access import assign_nodes
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_list import list_nodes
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_view import node_view
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record import Record
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record_store import (
    read_record,
    update_record,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._record.revisions import publish_bundle
from ansible_collections.configok.node.plugins.module_utils._rollout._report.pool_status import (
    node_facts,
    node_state,
    pool_status,
)
from support.rollouts.simulated_nodes import CRASHES, GOOD, SILENT, status_of
from support.rollouts.views import a_source, a_view
from support.rollouts.world import MakeWorld


def test_one_request_for_a_node_and_none_the_second_time(make_world: MakeWorld) -> None:
    world = make_world(40)
    world.nodes.behaviour = lambda _name, _source: SILENT
    source = world.publish(100).source
    world.server.requests.clear()
    results = assign_nodes(world.client, source, selector="pool=workers")
    assert [(result.name, result.assignment, result.changed, result.error) for result in results] == [
        (f"n{number:02d}", 1, True, "") for number in range(40)
    ]
    requests = world.server.requests
    assert (requests.count(verb="patch"), requests.count(verb="list"), requests.count(verb="get")) == (40, 1, 0)
    assert not any(result.changed for result in assign_nodes(world.client, source, selector="pool=workers"))
    assert requests.count(verb="patch") == 40


def test_ids_grow_and_forget_bad_assigns_again(make_world: MakeWorld) -> None:
    world = make_world(3)
    first, second = a_source(1), a_source(2)
    assert [result.assignment for result in assign_nodes(world.client, first, names=["n00", "n01"])] == [1, 1]
    changed = assign_nodes(world.client, second, names=["n01"])
    assert (changed[0].assignment, changed[0].before) == (2, first)
    assert [result.assignment for result in assign_nodes(world.client, second, names=["n01"], forget_bad=True)] == [3]
    annotations = world.client.get(node("n01"))["metadata"]["annotations"]
    assert annotations["configok.dev/assignment"] == '{"id":3,"forgetBad":true}'
    back = assign_nodes(world.client, None, names=["n01", "n02"])
    assert [(result.assignment, result.changed) for result in back] == [(4, True), (0, False)]
    assert "configok.dev/config-source" not in world.client.get(node("n01"))["metadata"]["annotations"]


def test_lost_annotations_are_written_again_with_an_id_above_the_answered_one(make_world: MakeWorld) -> None:
    world = make_world(1)
    view = world.nodes.view("n00")
    view = replace(view, assigned=view.assigned._replace(id=7))
    world.nodes.say("n00", *status_of(view, None, GOOD)[-1])
    results = assign_nodes(world.client, None, names=["n00"])
    assert (results[0].assignment, results[0].changed) == (8, True)


def test_check_mode_says_what_it_would_do_and_unknown_nodes_are_named(make_world: MakeWorld) -> None:
    world = make_world(2)
    world.server.requests.clear()
    results = assign_nodes(world.client, a_source(), names=["n01"], check=True)
    assert [(result.name, result.assignment, result.changed, result.error) for result in results] == [
        ("n01", 1, True, "")
    ]
    assert world.server.requests.count(verb="patch", resource="nodes") == 1, "the API server judges it"
    assert world.nodes.view("n01").assigned.id == 0


@pytest.mark.parametrize("check", [False, True])
@pytest.mark.parametrize(
    ("missing", "sentence"),
    [
        (["x1"], "there is no Node x1: no Node was assigned anything"),
        (["x1", "x2"], "there is no Node x1, nor x2: no Node was assigned anything"),
        ([f"x{number}" for number in range(40)], "there is no Node x0, nor x1, x2, x3 and 36 more: no Node"),
    ],
)
def test_a_name_that_no_node_has_is_an_error_before_anything_is_changed(
    make_world: MakeWorld, missing: list[str], sentence: str, check: bool
) -> None:
    world = make_world(2)
    world.server.requests.clear()
    with pytest.raises(RolloutError, match=f"^{sentence}"):
        assign_nodes(world.client, a_source(), names=["n00", *missing, "n01"], check=check)
    assert world.server.requests.count(verb="patch", resource="nodes") == 0


@pytest.mark.parametrize(
    ("cause", "active"), [("AssignmentLost", a_source()), ("AssignmentLost", None), ("UnitStopped", a_source())]
)
@pytest.mark.parametrize("assignment", [None, "5"])
def test_a_node_that_lost_its_annotation_gets_a_new_id_when_it_is_unassigned(
    make_world: MakeWorld, assignment: str | None, cause: str, active: ConfigSource | None
) -> None:
    """As after the Node was registered again, or after an operator removed only the source."""
    world = make_world(1)
    world.nodes.behaviour = lambda _name, _source: SILENT
    lost = ConfigStatus(assignment=int(assignment or 0), active=active, cause=cause, agent_version="0.1.0")
    world.client.patch(node("n00"), {"metadata": {"annotations": {"configok.dev/assignment": assignment}}})
    world.nodes.say("n00", assignment_lost(ConfigInUse("current", a_source().uid)), lost)
    results = assign_nodes(world.client, None, names=["n00"])
    assert [(result.assignment, result.changed) for result in results] == [(int(assignment or 0) + 1, True)]
    assert not assign_nodes(world.client, None, names=["n00"])[0].changed, "it has not answered yet"


@pytest.mark.parametrize("nonsense", ["9" * 4300, "9" * 4301, str(2**63 - 1), str(2**70)])
def test_nonsense_of_one_node_costs_no_other_node(make_world: MakeWorld, nonsense: str) -> None:
    world = make_world(4)
    world.nodes.behaviour = lambda name, _source: SILENT if name == "n01" else GOOD
    annotations = {"configok.dev/config-status": f'{{"assignment": {nonsense}}}', "configok.dev/assignment": nonsense}
    world.client.patch(node("n01"), {"metadata": {"annotations": annotations}})
    results = assign_nodes(world.client, a_source(), selector="pool=workers")
    assert [(result.name, result.changed) for result in results if result.name != "n01"] == [
        ("n00", True),
        ("n02", True),
        ("n03", True),
    ]
    target = world.publish(100)
    assert [result.phase for result in world.rollout(target, canary={"count": 1, "soak": "1s"})][-1] == "Complete"
    (left_out,) = world.plan(target).unmoved.skipped
    assert (left_out.node, "config-status cannot be read" in left_out.reason) == ("n01", True)
    (not_fine,) = pool_status(world.record(), list_nodes(world.client))["not_fine"]
    assert (not_fine["node"], not_fine["state"], not_fine["reason"]) == ("n01", "unknown", left_out.reason)


def test_check_mode_says_what_the_api_server_would_refuse(make_world: MakeWorld) -> None:
    world = make_world(1)

    class Forbidding:
        def __getattr__(self, name: str) -> Any:
            return getattr(world.client, name)

        def patch(self, path: str, body: Any, **options: Any) -> Any:
            assert options["dry_run"] is True
            raise Forbidden("you may not", where="PATCH nodes/n00", status=403)

    forbidding: Any = Forbidding()
    (result,) = assign_nodes(forbidding, a_source(), names=["n00"], check=True)
    assert (result.changed, "you may not" in result.error) == (False, True)


def test_a_node_that_changed_since_it_was_listed_is_read_again(make_world: MakeWorld) -> None:
    world = make_world(1)

    class Racing:
        raced = False

        def __getattr__(self, name: str) -> Any:
            return getattr(world.client, name)

        def patch(self, path: str, body: Any, **options: Any) -> Any:
            if not self.raced:
                self.raced = True
                assign_nodes(world.client, a_source(2), names=["n00"])
            return world.client.patch(path, body, **options)

    racing: Any = Racing()
    results = assign_nodes(racing, a_source(1), names=["n00"])
    assert (results[0].assignment, results[0].error) == (2, "")
    assert world.nodes.view("n00").assigned.source == a_source(1)


def test_publishing_twice_is_one_object_and_one_revision(make_world: MakeWorld) -> None:
    world = make_world(0)
    bundle = build_bundle("workers", {"kubelet": "kind: X"}, change_cause="because", author="me")
    would = publish_bundle(world.client, bundle, now=world.clock.now(), check=True)
    assert (would.changed, would.revision, would.target.is_published) == (True, 1, False)
    assert read_record(world.client, "workers").revisions == ()
    first = publish_bundle(world.client, bundle, now=world.clock.now())
    again = publish_bundle(world.client, bundle, now=world.clock.now())
    assert (first.changed, again.changed, again.revision) == (True, False, 1)
    assert first.target == again.target
    revision = read_record(world.client, "workers").revisions[0]
    assert (revision.cause, revision.author, revision.uid) == ("because", "me", first.target.uid)
    second = publish_bundle(world.client, build_bundle("workers", {"kubelet": "kind: Y"}), now=world.clock.now())
    assert (second.revision, publish_bundle(world.client, bundle, now=world.clock.now()).revision) == (2, 3)


def test_before_the_cluster_is_prepared_reading_works_and_writing_says_what_to_do(make_world: MakeWorld) -> None:
    world = make_world(0)
    for name in ("configok-rollouts", "configok-system"):
        world.client.delete(f"/api/v1/namespaces/{name}")
    bundle = build_bundle("workers", {"kubelet": "kind: X"})
    assert publish_bundle(world.client, bundle, now=world.clock.now(), check=True).changed
    assert read_record(world.client, "workers").rollout is None
    with pytest.raises(RolloutError, match="namespace configok-system does not exist: prepare the cluster"):
        publish_bundle(world.client, bundle, now=world.clock.now())


def test_a_record_that_another_runner_wrote_is_read_again(make_world: MakeWorld) -> None:
    world = make_world(0)
    target = world.publish(100)
    calls = []

    def change(record: Any) -> Any:
        calls.append(len(record.revisions))
        if len(calls) == 1:
            world.publish(200)
        return record.with_bad_config(target, "why", "now")

    record, changed = update_record(world.client, "workers", change)
    assert (calls, changed) == ([1, 2], True)
    assert (len(record.revisions), len(record.bad_configs)) == (2, 1)
    assert update_record(world.client, "workers", lambda record: record)[1] is False


def test_observing_reads_pages_and_names(make_world: MakeWorld) -> None:
    world = make_world(5)
    assert [view.name for view in list_nodes(world.client, selector="pool=workers")] == [f"n{n:02d}" for n in range(5)]
    assert [view.name for view in list_nodes(world.client, names=["n03", "nope", "n01"])] == ["n01", "n03"]
    assert list_nodes(world.client, selector="pool=other") == []


@pytest.mark.parametrize(
    ("changes", "state"),
    [
        ({}, "ok"),
        ({"agent": False}, "no agent"),
        ({"config_ok": "False"}, "failed"),
        ({"config_ok": "Unknown"}, "unknown"),
        ({"ready": False}, "unknown"),
        ({"source": a_source(), "assigned_id": 3, "answered_id": 2}, "pending"),
        ({"source": a_source(), "active": a_source()._replace(uid="0" * 36)}, "unknown"),
        ({"source": a_source(), "active": None}, "unknown"),
        ({"source": a_source(), "in_trial": True}, "trial"),
    ],
)
def test_the_state_of_a_node_is_one_word(changes: dict[str, Any], state: str) -> None:
    assert node_state(a_view("n", **changes)) == state


def test_a_node_that_claims_another_config_is_named() -> None:
    view = a_view("n1", source=a_source(), active=None)
    (entry,) = pool_status(Record("workers"), [view])["not_fine"]
    assert entry["node"] == "n1"
    assert entry["reason"].startswith("its status names a config that is not the assigned one; it last said: ")


def test_what_a_node_says_cannot_steer_a_terminal() -> None:
    condition = {"type": "ConfigOK", "status": "False", "reason": "a\x1b[2Jb\nc", "message": "d\re"}
    ready = {"type": "Ready", "status": "False", "message": "f\x07"}
    info = {"kubeletVersion": "v1\x1b]0;x", "osImage": "Debian \u00e9"}
    view = node_view({"metadata": {"name": "x"}, "status": {"conditions": [condition, ready], "nodeInfo": info}})
    assert (view.answer.reason, view.answer.message, view.ready_reason) == ("a [2Jb c", "d e", "f ")
    assert (view.system.kubelet_version, view.system.os_image) == ("v1 ]0;x", "Debian \u00e9")


@pytest.mark.complaint("system-upgrade-controller #221: status hides the reason")
def test_status_shows_the_reason_as_the_agent_reports_it(make_world: MakeWorld) -> None:
    world = make_world(6)
    target = world.publish(100)
    world.nodes.behaviour = lambda _name, _source: CRASHES
    world.rollout(target)
    views = list_nodes(world.client, selector="pool=workers")
    status = pool_status(world.record(), views)
    assert (status["phase"], status["revision"]) == ("Halted", 1)
    assert status["by_state"] == {"failed": 2, "ok": 4}
    assert "crashed 4 times during its trial" in status["not_fine"][0]["reason"]
    facts = node_facts(next(view for view in views if view.answer.config_ok == "False"))
    assert facts["cause"] == "CrashLoop"
    assert facts["active"] is None
    assert facts["config_source"]["configMap"]["uid"] == target.uid
