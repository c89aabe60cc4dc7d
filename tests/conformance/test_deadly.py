# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The first of the most important properties: a config that crashes the kubelet is rolled back and never promoted.

An invalid config costs no restart.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import ConfigSource
from support.conformance.ours import SHORT, STATE, OurNode
from support.conformance.payloads import BOGUS, DEADLY


def _rolled_back(node: OurNode, seen: Any, good: ConfigSource, changes: Mapping[str, Any]) -> None:
    """Assign a crashing config to a node that runs "good", and check the contract."""
    # By time alone, its trial would end long before its crash loop.
    crashing = node.publish(changes, trial="1s", threshold=1)
    seen.begin()
    number = node.assign(crashing)
    answer = node.expect(number, "CrashLoop", assigned=crashing, active=good, good=good)
    assert answer.condition["status"] == "False"
    assert answer.condition["message"] == f"using last-known-good (UID: {good.uid})"
    crashed, _separator, last = str(answer.condition["reason"]).partition("; kubelet said last: ")
    assert crashed == f"current (UID: {crashing.uid}) crashed 2 times during its trial"
    assert last, "the reason ends with the kubelet's own words"
    assert crashing.uid not in node.machine.read(f"{STATE}/last-known-good")
    assert crashing.uid in node.agent("status", "--json")
    assert seen.restarts == 3  # two crashes, and the rollback
    seen.say("crashed twice, then healthy on last-known-good again; never last-known-good itself")
    after = node.starts()
    again = node.answered(node.assign(crashing), "KnownBad")
    assert again.status.active == good
    assert node.starts() == after
    seen.say("assigned again it is refused without a restart")
    seen.say(f"ConfigOK has the reason: {last[:100]}")


@pytest.mark.quick
@pytest.mark.contract("validate.costs-no-restart", "validate.for-the-version", "condition.invalid")
def test_what_cannot_be_right_costs_no_restart(ours: OurNode, case: Any) -> None:
    good = ours.publish({"maxPods": 131}, trial=SHORT)
    ours.settled(good)
    for name, changes in BOGUS.items():
        source = ours.publish(changes)
        with case(f"F1 {name}, refused", ours) as seen:
            answer = ours.expect(ours.assign(source), "InvalidConfig", assigned=source, active=good, good=good)
            assert name in answer.condition["reason"]
            assert seen.restarts == 0
            seen.say(str(answer.condition["reason"]).partition("): ")[2])


@pytest.mark.complaint("Talos #4724: one bad apply and the node is gone; health-based revert wanted")
@pytest.mark.quick
@pytest.mark.contract(
    "trial.never-promotes-the-deadly",
    "crashloop.over-the-threshold",
    "crashloop.probed-before-reported",
    "crashloop.bad-stays-bad",
    "condition.crash-loop",
    "condition.known-bad",
)
def test_what_no_validation_finds_is_rolled_back(ours: OurNode, case: Any) -> None:
    good = ours.publish({"maxPods": 132}, trial=SHORT)
    ours.settled(good)
    for name, changes in DEADLY.items():
        with case(f"G3 {name}, rolled back", ours) as seen:
            _rolled_back(ours, seen, good, changes)


@pytest.mark.contract("trial.never-promotes-the-deadly", "crashloop.over-the-threshold")
@pytest.mark.parametrize("name", BOGUS)
def test_what_the_engine_would_find_is_rolled_back_without_it(blind: OurNode, case: Any, name: str) -> None:
    good = blind.publish({"maxPods": 133}, trial=SHORT)
    blind.settled(good)
    with case(f"F1 {name}, rolled back", blind) as seen:
        _rolled_back(blind, seen, good, BOGUS[name])
