# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A hollow node writes to its Node what the real agent writes in the same situation."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._state.node_state import Moment
from ansible_collections.configok.node.plugins.module_utils._agent.node_watch import annotations_of
from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import NotFound
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import Assignment, ConfigSource
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle import Bundle, build_bundle
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle_trial import Trial
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.well_known import (
    ANNOTATION_ASSIGNMENT,
    ANNOTATION_CONFIG_SOURCE,
    ANNOTATION_CONFIG_STATUS,
)
from fleet_simulator.hollow_node import FetchedBundle, HollowNode
from fleet_simulator.node_objects import status_of_node
from fleet_simulator.scenario import Behaviour, Outcome
from support.agents.bench import NAMESPACE, Bench

GOOD, BETTER, CRASHING, SICK, INVALID, WAITING, DOUBTED = (
    "maxPods: 120\n",
    "maxPods: 130\n",
    "mood: deadly\n",
    "mood: sick\n",
    "mood: invalid\n",
    "mood: waits\n",
    "mood: doubted\n",
)
OUTCOMES: dict[str, Outcome] = {
    CRASHING: "crashes",
    SICK: "unhealthy",
    INVALID: "refuses",
    WAITING: "waits",
    DOUBTED: "doubts",
}
NODE_UID = "00000000-0000-0000-0000-000000000099"


class AnyNode(Protocol):
    """What a situation does with a node, be it real or hollow."""

    def publish(self, text: str, *, trial: Trial, uid: str) -> ConfigSource: ...

    def assign(
        self,
        source: ConfigSource | None,
        *,
        id: int = 0,
        forget_bad: bool = False,
        confirm_after: float | None = None,
    ) -> int: ...

    def run(self, seconds: float) -> None: ...


class HollowBench:
    """A hollow node in a time that passes only within run()."""

    def __init__(self, bad: str) -> None:
        behaviour = Behaviour(outcome=OUTCOMES.get(bad, "adopts"), only_with=bad.strip())
        self.node = HollowNode("n1", behaviour, {"kubelet": "v1.35.0"})
        self.now = 0.0
        self.patches: list[dict[str, Any]] = []
        self.condition_status = ""
        self.bundles: dict[ConfigSource, Bundle] = {}
        self.ids = itertools.count(1)
        self.object: dict[str, Any] = {"metadata": {"name": "n1", "uid": NODE_UID, "annotations": {}}}
        self.write(self.node.first_report(self.moment()))

    def moment(self) -> Moment:
        return Moment(self.now, "simulated", "2026-01-01T00:00:00Z")

    def write(self, report: Any) -> None:
        self.patches.append(status_of_node(report, self.condition_status, NODE_UID, now="2026-01-01T00:00:00Z"))
        self.condition_status = report.verdict.status

    def find(self, source: ConfigSource) -> FetchedBundle:
        if source in self.bundles:
            return FetchedBundle(self.bundles[source])
        where = f"GET configmaps/{source.name}"
        return FetchedBundle(
            error=str(NotFound(f'configmaps "{source.name}" not found', status=404, reason="NotFound", where=where))
        )

    def publish(self, text: str, *, trial: Trial, uid: str) -> ConfigSource:
        config_map = build_bundle("pool", {"kubelet": text}, trial=trial)
        config_map["metadata"]["uid"] = uid
        source = ConfigSource(NAMESPACE, config_map["metadata"]["name"], uid)
        self.bundles[source] = Bundle.from_config_map(config_map, source)
        return source

    def assign(
        self,
        source: ConfigSource | None,
        *,
        id: int = 0,
        forget_bad: bool = False,
        confirm_after: float | None = None,
    ) -> int:
        id = id or next(self.ids)
        annotations = self.object["metadata"]["annotations"]
        annotations.pop(ANNOTATION_CONFIG_SOURCE, None)
        if source is not None:
            annotations[ANNOTATION_CONFIG_SOURCE] = source.encode()
        annotations[ANNOTATION_ASSIGNMENT] = Assignment(id, forget_bad, confirm_after).encode()
        return id

    def run(self, seconds: float) -> None:
        end = self.now + seconds
        while True:
            for report in self.node.advance(annotations_of(self.object), self.moment(), self.find):
                self.write(report)
            if self.node.due > end:
                break
            self.now = max(self.now + 0.001, self.node.due)
        self.now = end


def uid(number: int) -> str:
    return f"00000000-0000-0000-0000-{number:012d}"


def adopt(node: AnyNode, text: str, number: int, *, seconds: float = 300.0) -> ConfigSource:
    """Assign a config whose trial is over soon; return its source."""
    source = node.publish(text, trial=Trial(5.0, 3), uid=uid(number))
    node.assign(source)
    node.run(seconds)
    return source


def good(node: AnyNode) -> None:
    adopt(node, GOOD, 1)


def good_within_its_trial(node: AnyNode) -> None:
    adopt(node, GOOD, 1, seconds=4.0)


def another_good(node: AnyNode) -> None:
    adopt(node, GOOD, 1)
    adopt(node, BETTER, 2)


def assigned_again(node: AnyNode) -> None:
    source = adopt(node, GOOD, 1)
    node.assign(source)
    node.run(60)


def unassigned(node: AnyNode) -> None:
    adopt(node, GOOD, 1)
    node.assign(None)
    node.run(60)


def crashing(node: AnyNode) -> None:
    adopt(node, GOOD, 1)
    adopt(node, CRASHING, 2)


def crashing_as_the_first(node: AnyNode) -> None:
    adopt(node, CRASHING, 1)


def crashing_then_good_again(node: AnyNode) -> None:
    source = adopt(node, GOOD, 1)
    adopt(node, CRASHING, 2)
    node.assign(source)
    node.run(60)


def crashing_assigned_again(node: AnyNode) -> None:
    adopt(node, GOOD, 1)
    source = adopt(node, CRASHING, 2)
    node.assign(source)
    node.run(60)


def crashing_forgotten(node: AnyNode) -> None:
    adopt(node, GOOD, 1)
    source = adopt(node, CRASHING, 2)
    node.assign(source, forget_bad=True)
    node.run(300)


def sick(node: AnyNode) -> None:
    adopt(node, GOOD, 1)
    adopt(node, SICK, 2, seconds=900)


def invalid(node: AnyNode) -> None:
    adopt(node, GOOD, 1)
    adopt(node, INVALID, 2)


def waiting_for_the_host(node: AnyNode) -> None:
    adopt(node, GOOD, 1)
    adopt(node, WAITING, 2)


def waiting_then_another(node: AnyNode) -> None:
    adopt(node, GOOD, 1)
    adopt(node, WAITING, 2)
    adopt(node, BETTER, 3)


def doubted(node: AnyNode) -> None:
    adopt(node, GOOD, 1)
    adopt(node, DOUBTED, 2, seconds=60.0)


def doubted_twice(node: AnyNode) -> None:
    adopt(node, GOOD, 1)
    adopt(node, DOUBTED, 2, seconds=600.0)


def doubted_then_another(node: AnyNode) -> None:
    adopt(node, GOOD, 1)
    adopt(node, DOUBTED, 2)
    adopt(node, BETTER, 3)


def doubted_within_its_soak(node: AnyNode) -> None:
    soaked(node, DOUBTED)


def stale(node: AnyNode) -> None:
    adopt(node, GOOD, 1)
    source = adopt(node, BETTER, 2)
    node.assign(source, id=1)
    node.run(60)


def soaked(node: AnyNode, text: str = GOOD, *, after: float = 20.0) -> None:
    """Assign a config whose trial is over before its soak is, and wait for the confirmation."""
    node.assign(node.publish(text, trial=Trial(5.0, 3), uid=uid(1)), confirm_after=after)
    node.run(60)


def soaked_within_its_trial(node: AnyNode) -> None:
    soaked(node, after=2.0)


def without_a_soak(node: AnyNode) -> None:
    soaked(node, after=0.0)


def crashing_within_its_soak(node: AnyNode) -> None:
    soaked(node, CRASHING)


def soaked_again(node: AnyNode) -> None:
    source = adopt(node, GOOD, 1)
    node.assign(source, confirm_after=20.0)
    node.run(60)


def soaked_on_the_init_config(node: AnyNode) -> None:
    adopt(node, GOOD, 1)
    node.assign(None, confirm_after=20.0)
    node.run(60)


def missing(node: AnyNode) -> None:
    node.assign(ConfigSource(NAMESPACE, "pool-0123456789", uid(7)))
    node.run(5)


def wrong_namespace(node: AnyNode) -> None:
    node.assign(ConfigSource("default", "pool-0123456789", uid(7)))
    node.run(5)


SITUATIONS: list[tuple[Callable[[AnyNode], None], str]] = [
    (good, ""),
    (good_within_its_trial, ""),
    (another_good, ""),
    (assigned_again, ""),
    (unassigned, ""),
    (crashing, CRASHING),
    (crashing_as_the_first, CRASHING),
    (crashing_then_good_again, CRASHING),
    (crashing_assigned_again, CRASHING),
    (crashing_forgotten, CRASHING),
    (sick, SICK),
    (invalid, INVALID),
    (waiting_for_the_host, WAITING),
    (waiting_then_another, WAITING),
    (doubted, DOUBTED),
    (doubted_twice, DOUBTED),
    (doubted_then_another, DOUBTED),
    (doubted_within_its_soak, DOUBTED),
    (stale, ""),
    (soaked, ""),
    (soaked_within_its_trial, ""),
    (without_a_soak, ""),
    (crashing_within_its_soak, CRASHING),
    (soaked_again, ""),
    (soaked_on_the_init_config, ""),
    (missing, ""),
    (wrong_namespace, ""),
]

# What the component or the validation said, and when: a hollow node has neither.
_OWN_WORDS = re.compile(
    r"(not healthy within |failed to validate[^:]*: |waits for this host: |was marked bad at |may lie elsewhere: )"
    r"[^:]*:.*"
)


def written(patches: list[dict[str, Any]]) -> list[tuple[dict[str, Any], bool]]:
    """Return what reached the Node, and whether the status of the condition was a new one; without heartbeats.

    Times, hashes of files and the component's own words are left out.
    """
    reports: list[tuple[dict[str, Any], bool]] = []
    for patch in patches:
        (condition,) = patch["status"]["conditions"]
        status = json.loads(patch["metadata"]["annotations"][ANNOTATION_CONFIG_STATUS])
        status.pop("localConfig")
        status["error"] = _OWN_WORDS.sub(r"\1", status["error"])
        for component in status["components"].values():
            component.pop("config")
            component.pop("state", None)  # of a component that is just being started
        report = {
            "labels": patch["metadata"]["labels"],
            "status": status,
            "condition": (condition["status"], condition["message"], _OWN_WORDS.sub(r"\1", condition["reason"])),
        }
        if not reports or reports[-1][0] != report:
            reports.append((report, "lastTransitionTime" in condition))
    return reports


@pytest.mark.parametrize(("situation", "bad"), SITUATIONS, ids=[situation.__name__ for situation, _bad in SITUATIONS])
def test_a_hollow_node_writes_what_the_agent_writes(
    tmp_path: Path, situation: Callable[[AnyNode], None], bad: str
) -> None:
    real = Bench(tmp_path)
    real.api.node["metadata"]["uid"] = NODE_UID
    real.run(30)
    hollow = HollowBench(bad)
    situation(real)
    situation(hollow)
    assert len(written(real.api.patches)) > 1
    assert written(hollow.patches) == written(real.api.patches)
