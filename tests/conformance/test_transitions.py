# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""E1: every ordered pair of thirteen states of the config source, on a real node."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import ConfigSource
from support.conformance.circuit import circuit
from support.conformance.ours import OurNode
from support.conformance.payloads import FAIL_PARSE, INVALID

QUICK = ("all nil", "no uid", "fail-parse", "fail-validate")


class States:
    """The thirteen states, in the ancestor's order; a uid replaces its kubeletConfigKey."""

    def __init__(self, node: OurNode) -> None:
        self.node = node
        self.correct = node.publish({"maxPods": 121})
        self.refused = {
            "fail-parse": node.publish(text=FAIL_PARSE),
            "fail-validate": node.publish(INVALID),
        }
        whole = self.correct.to_dict()["configMap"]
        self.invalid: Mapping[str, tuple[dict[str, Any], str]] = {
            "all nil": ({}, "exactly one subfield must be non-nil, but all were nil"),
            "no namespace": (self._without("namespace"), "configMap.namespace must be set"),
            "no name": (self._without("name"), "configMap.name must be set"),
            "no uid": (self._without("uid"), "configMap.uid must be set"),
            "uid foo": ({"configMap": {**whole, "uid": "foo"}}, "configMap.uid must be"),
            "resourceVersion": ({"configMap": {**whole, "resourceVersion": "1"}}, "unknown field configMap.resource"),
            "namespace ../baz": ({"configMap": {**whole, "namespace": "../baz"}}, "configMap.namespace must be"),
            "name ../bar": ({"configMap": {**whole, "name": "../bar"}}, "configMap.name must be"),
            "uid ../qux": ({"configMap": {**whole, "uid": "../qux"}}, "configMap.uid must be"),
        }

    def _without(self, part: str) -> dict[str, Any]:
        whole = self.correct.to_dict()["configMap"]
        return {"configMap": {name: value for name, value in whole.items() if name != part}}

    @property
    def names(self) -> list[str]:
        """All states except nil and correct, which change the running config."""
        return [*self.invalid, *self.refused]

    def enter(self, state: str, running: ConfigSource | None) -> None:
        """Assign a state; check the answer against the running config (None: the init config)."""
        node = self.node
        if state == "nil":
            node.expect(node.assign(None), "Init", assigned=None, active=None, good=None)
        elif state == "correct":
            correct = self.correct
            node.expect(node.assign(correct), "Good", assigned=correct, active=correct, good=None)
        elif state in self.refused:
            refused = self.refused[state]
            answer = node.expect(node.assign(refused), "InvalidConfig", assigned=refused, active=running, good=None)
            assert answer.condition["status"] == "False"
        else:
            source, cause = self.invalid[state]
            answer = node.expect(
                node.annotate(json.dumps(source)), "InvalidConfigSource", assigned=None, active=running, good=None
            )
            assert answer.condition["status"] == "Unknown"
            assert cause in answer.condition["reason"]


def _walk(node: OurNode, seen: Any, chosen: Callable[[str], bool]) -> None:
    states = States(node)
    others = [name for name in states.names if chosen(name)]
    seen.begin()
    pairs = set()
    for home, running in (("nil", None), ("correct", states.correct)):
        walk = circuit([home, *others])
        states.enter(home, running)
        before = node.starts()
        for source, target in itertools.pairwise(walk):
            states.enter(target, running)
            pairs.add((source, target))
        assert node.starts() == before, "an unusable source caused a restart"
    states.enter("nil", None)
    pairs |= {("nil", "correct"), ("correct", "nil")}
    count = len(others) + 2
    assert len(pairs) == count * (count - 1)
    assert seen.restarts == 2
    seen.say(f"{len(pairs)} ordered pairs of {count} states; restarts only where what runs changed")


@pytest.mark.quick
@pytest.mark.contract(
    "source.invalid", "validate.costs-no-restart", "condition.source-invalid", "condition.invalid-in-trial"
)
def test_every_ordered_pair_of_states(ours: OurNode, case: Any, is_quick: bool) -> None:
    with case("E1 sample" if is_quick else "E1", ours) as seen:
        _walk(ours, seen, lambda name: not is_quick or name in QUICK)
