# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The PATCH that gives a Node what its Machine declares: it touches nothing else."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import node
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes._machine_access import (
    apply_machine,
    delete_node,
    machine_patch,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_goals import unmet
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_view import node_view
from ansible_collections.configok.node.plugins.module_utils._rollout.goals import MachineGoal
from support.rollouts.faulty_clients import Losing
from support.rollouts.views import a_source
from support.rollouts.world import MakeWorld

KEYS = st.sampled_from(["a", "b", "c"])
EFFECTS = st.sampled_from(["NoSchedule", "NoExecute"])
TEXTS = st.sampled_from(["", "x", "y"])
TAINTS = st.lists(st.tuples(KEYS, TEXTS, EFFECTS), unique_by=lambda taint: (taint[0], taint[2]), max_size=4)
LABELS = st.dictionaries(KEYS, TEXTS, max_size=3)
GOALS = st.builds(
    MachineGoal,
    source=st.none(),
    labels=st.dictionaries(KEYS, TEXTS | st.none(), max_size=3),
    taints=TAINTS.map(tuple),
    untaint=st.lists(KEYS | st.tuples(KEYS, EFFECTS).map(":".join), max_size=2).map(tuple),
    annotation=st.sampled_from(["", '{"machine": "n"}']),
)


def patched(item: dict[str, Any], body: dict[str, Any]) -> dict[str, Any]:
    """Return the Node after a merge patch."""
    result: dict[str, Any] = json.loads(json.dumps(item))

    def merge(into: dict[str, Any], change: dict[str, Any]) -> None:
        for key, value in change.items():
            if value is None:
                into.pop(key, None)
            elif isinstance(value, dict):
                merge(into.setdefault(key, {}), value)
            else:
                into[key] = value

    merge(result, body)
    return result


@given(TAINTS, LABELS, GOALS)
def test_the_patch_gives_what_is_declared_and_no_more(taints: Any, labels: dict[str, str], goal: MachineGoal) -> None:
    item = {
        "metadata": {"name": "n", "labels": labels, "annotations": {"other": "kept"}},
        "spec": {"taints": [{"key": key, "value": text, "effect": effect} for key, text, effect in taints]},
    }
    after = patched(item, machine_patch(item, goal))
    assert unmet(node_view(after), goal) == ""
    assert machine_patch(after, goal) == {}, "a second time, nothing is to be done"
    assert after["metadata"]["annotations"]["other"] == "kept"
    declared = {(key, effect) for key, _text, effect in goal.taints}
    untaint = set(goal.untaint)
    kept = [taint for taint in taints if not {taint[0], f"{taint[0]}:{taint[2]}"} & untaint]
    assert {taint for taint in kept if (taint[0], taint[2]) not in declared} <= set(node_view(after).taints)
    assert all(node_view(after).labels[key] == text for key, text in labels.items() if key not in goal.labels)


def test_a_taint_of_others_keeps_what_it_has() -> None:
    taint = {"key": "node.kubernetes.io/unreachable", "effect": "NoExecute", "timeAdded": "2026-01-01T00:00:00Z"}
    item = {"metadata": {"name": "n"}, "spec": {"taints": [taint, {"key": "old", "effect": "NoSchedule"}]}}
    body = machine_patch(item, MachineGoal(None, taints=(("db", "", "NoSchedule"),), untaint=("old",)))
    assert body == {"spec": {"taints": [taint, {"key": "db", "effect": "NoSchedule"}]}}
    assert machine_patch(item, MachineGoal(None)) == {}


def test_everything_is_one_patch_with_a_new_assignment(make_world: MakeWorld) -> None:
    world = make_world(1)
    goal = MachineGoal(a_source(), labels={"disk": "ssd"}, taints=(("db", "", "NoSchedule"),), annotation="{}")
    losing: Any = Losing(world.client, 1, resend=True)
    result = apply_machine(losing, "n00", goal, assigns=False)
    assert (losing.lost, result.assignment, result.changed) == (f"patch {node('n00')}", 1, True)
    view = world.nodes.view("n00")
    assert (view.assigned.source, view.assigned.id, unmet(view, goal), view.machine) == (a_source(), 1, "", "{}")
    again = apply_machine(world.client, "n00", goal, assigns=True)
    assert (again.assignment, again.changed) == (2, True)
    assert apply_machine(world.client, "n00", goal, assigns=False, possibly_assigned=True).changed is False
    assert apply_machine(world.client, "missing", goal, assigns=True).view is None
    assert apply_machine(world.client, "n00", goal, assigns=True, old_uid=view.uid).view is None


def test_only_the_node_of_that_uid_is_deleted(make_world: MakeWorld) -> None:
    world = make_world(1)
    old = world.nodes.view("n00")
    assert delete_node(world.client, old) == ""
    assert delete_node(world.client, old) == "", "it is gone already"
    world.nodes.add("n00")
    assert delete_node(world.client, old) == "its Node was registered again meanwhile"
    assert world.nodes.view("n00").uid != old.uid
