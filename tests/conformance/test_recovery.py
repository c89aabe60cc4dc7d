# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""E2 to E5: back to last-known-good, from one last-known-good to the next, and a hundred updates."""

from __future__ import annotations

from typing import Any

import pytest

from support.conformance.ours import SHORT, OurNode
from support.conformance.payloads import FAIL_PARSE
from support.conformance.stress import Stress


@pytest.mark.quick
@pytest.mark.contract("trial.promotes-at-its-end", "trial.of-the-bundle", "condition.invalid", "condition.good")
def test_recover_to_a_last_known_good_bundle(ours: OurNode, case: Any) -> None:
    good, bad = ours.publish({"maxPods": 122}, trial=SHORT), ours.publish(text=FAIL_PARSE)
    with case("E2", ours) as seen:
        ours.settled(good)
        after = ours.starts()
        answer = ours.expect(ours.assign(bad), "InvalidConfig", assigned=bad, active=good, good=good)
        assert answer.condition["message"] == f"using last-known-good (UID: {good.uid})"
        ours.expect(ours.assign(good), "Good", assigned=good, active=good, good=good)
        ours.uses(maxPods=122)
        assert ours.starts() == after
        seen.say("refused, then assigned again: 0 restarts except that of its adoption")


@pytest.mark.contract("bundle.unknown-component")
def test_the_key_of_another_component(ours: OurNode, case: Any) -> None:
    good = ours.publish({"maxPods": 123}, trial=SHORT)
    both = ours.publish({"maxPods": 123}, trial=SHORT, others={"kube-proxy": FAIL_PARSE})
    bad = ours.publish(text=FAIL_PARSE, others={"kube-proxy": "kind: KubeProxyConfiguration\n"})
    with case("E3", ours) as seen:
        ours.settled(good)
        after = ours.starts()
        ours.expect(ours.assign(bad), "InvalidConfig", assigned=bad, active=good, good=good)
        ours.uses(maxPods=123)
        answer = ours.on(both)
        assert answer.status.ignored == ("kube-proxy",)
        ours.on(good)
        assert ours.starts() == after
        seen.say(
            "the key is the component's name: the keys of other components do no harm, and are reported as ignored"
        )


@pytest.mark.contract("trial.promotes-when-healthy")
def test_from_one_last_known_good_to_the_next(ours: OurNode, case: Any) -> None:
    first, second = (ours.publish({"maxPods": pods}, trial=SHORT) for pods in (124, 125))
    with case("E4", ours) as seen:
        ours.restart_agent()  # the budget of Events that may be sent in a row is full again
        ours.settled(first)
        answer = ours.settled(second)
        for source in (first, second):
            ours.until_event("ConfigAdopted", source)
        assert (answer.status.active, answer.status.last_known_good) == (second, second)
        ours.uses(maxPods=125)
        assert seen.restarts == 2
        seen.say("one restart and one Event for each")


@pytest.mark.contract("store.old-checkpoints-go", "files.startups")
def test_a_hundred_updates(stress: Stress, case: Any) -> None:
    with case("E5", stress.node) as seen:
        stress.wait(1500)
        seen.counted(stress.restarts)
        assert stress.updates == stress.restarts == 100
        checkpoints = stress.node.names("checkpoints")
        assert len(checkpoints) <= 7  # the kept ones: current and last-known-good
        first, last = stress.first, stress.last
        assert first is not None
        assert last is not None
        assert last.descriptors <= first.descriptors + 1
        assert last.files <= first.files + 2
        assert last.memory <= first.memory + 2048
        assert last.memory <= 32 * 1024
        seen.say(
            "one restart for each; at the end no more checkpoints, open files, files or memory (2 MB of leeway) than "
            "after the tenth, and below 32 MB"
        )
