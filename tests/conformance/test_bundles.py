# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""E6 to E9: bundles that are edited in place, replaced under the same name, or deleted."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import Invalid
from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import config_map
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import ConfigSource
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle import build_bundle
from support.conformance.ours import SHORT, OurNode
from support.conformance.payloads import FAIL_PARSE, INVALID, document
from support.conformance.wait import stays

LOOK = 3.0  # seconds within which the ancestor's notification would have arrived


def _edit(node: OurNode, source: ConfigSource, body: dict[str, Any]) -> None:
    node.client.patch(config_map(source.namespace, source.name), body)


@pytest.mark.contract("source.correct", "source.fetched-once")
def test_edits_in_place(ours: OurNode, case: Any) -> None:
    source = ours.publish({"maxPods": 126})
    body = build_bundle("pool", {"kubelet": document({**ours.values, "maxPods": 127})})
    mutable = ours.create({**body, "immutable": False})
    texts = {"correct": document(ours.values), "fail-parse": FAIL_PARSE, "fail-validate": document(INVALID)}
    with case("E6", ours) as seen:
        ours.on(source)
        before = ours.starts()
        for text in texts.values():
            with pytest.raises(Invalid, match="immutable"):
                _edit(ours, source, {"data": {"kubelet": text}})
        number = ours.assign(mutable)
        answer = ours.expect(number, "FetchFailed", assigned=mutable, active=source, good=None)
        assert "is not immutable" in answer.condition["reason"]
        for first, second in itertools.permutations(texts, 2):
            for text in (texts[first], texts[second]):
                _edit(ours, mutable, {"data": {"kubelet": text}})
        stays("the kubelet is not restarted", lambda: ours.starts() == before, LOOK)
        ours.uses(maxPods=126)
        ours.delete(mutable)
        seen.say(
            "no edit of a bundle is accepted, and an editable ConfigMap is not a bundle; 15 edits cause 0 restarts"
        )


@pytest.mark.contract("source.fetched-once")
def test_edits_in_place_of_last_known_good(ours: OurNode, case: Any) -> None:
    source = ours.publish({"maxPods": 128}, trial=SHORT)
    with case("E7", ours) as seen:
        ours.settled(source)
        before = ours.starts()
        _edit(ours, source, {"metadata": {"annotations": {"note": "no-op"}}})
        with pytest.raises(Invalid, match="immutable"):
            _edit(ours, source, {"data": {"kubelet": FAIL_PARSE}})
        bad = ours.publish(text=FAIL_PARSE, trial="4s")
        ours.expect(ours.assign(bad), "InvalidConfig", assigned=bad, active=source, good=source)
        ours.expect(ours.assign(source), "Good", assigned=source, active=source, good=source)
        stays("the kubelet is not restarted", lambda: ours.starts() == before, LOOK)
        seen.say("an edit of its metadata, a bad successor and the rollback: 0 restarts")


@pytest.mark.contract("source.pinned-again", "validate.only-once")
def test_delete_and_recreate(ours: OurNode, case: Any) -> None:
    bundles = {
        "correct": ours.publish({"maxPods": 129}),
        "fail-parse": ours.publish(text=FAIL_PARSE, trial="5s"),
        "fail-validate": ours.publish(INVALID, trial="5s"),
    }
    with case("E8", ours) as seen:
        ours.on(bundles["correct"])
        running, before = bundles["correct"], ours.starts()
        uids = set()
        walk = ["correct", "fail-parse", "fail-validate", "correct", "fail-validate", "fail-parse", "correct"]
        for state in walk:
            bundles[state] = new = ours.recreate(bundles[state])
            uids.add(new.uid)
            if state == "correct":
                running = new
                ours.expect(ours.assign(new), "Good", assigned=new, active=new, good=None)
            else:
                ours.expect(ours.assign(new), "InvalidConfig", assigned=new, active=running, good=None)
        assert len(uids) == len(walk)
        assert ours.starts() == before
        seen.say("6 ordered pairs, a new uid each time; the same content is pinned again: 0 restarts after the first")


@pytest.mark.complaint("MCO #1443: deleting the bad config does not recover; stuck Degraded")
@pytest.mark.contract("source.pinned-again", "source.fetched-once")
def test_errors_while_the_bundle_is_gone(ours: OurNode, case: Any) -> None:
    source = ours.publish({"maxPods": 130})
    with case("E9", ours) as seen:
        ours.on(source)
        before = ours.starts()
        existing = ours.client.get(config_map(source.namespace, source.name))
        ours.delete(source)
        ours.restart_agent()
        stays("the node reports no error", lambda: _good(ours, source), LOOK)
        existing["metadata"] = {
            key: existing["metadata"][key] for key in ("namespace", "name", "labels", "annotations")
        }
        new = ours.create(existing)
        assert new.uid != source.uid
        stays("the node reports no error", lambda: _good(ours, source), LOOK)
        ours.expect(ours.assign(new), "Good", assigned=new, active=new, good=None)
        assert ours.starts() == before
        seen.say("it no longer needs the bundle, even when the agent restarts: no error, 0 restarts")


def _good(node: OurNode, source: ConfigSource) -> bool:
    answer = node.says()
    return answer is not None and answer.status.cause == "Good" and answer.status.active == source
