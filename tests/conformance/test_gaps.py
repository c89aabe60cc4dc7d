# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The cases that the ancestor's own tests omitted."""

from __future__ import annotations

import itertools
import json
import threading
import time
import uuid
from functools import partial
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import ConfigSource
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle import build_bundle
from support.conformance.ancestor import DIRECTORY, AncestorNode
from support.conformance.ours import SHORT, STATE, OurNode
from support.conformance.payloads import DEADLY, FAIL_PARSE, document
from support.conformance.wait import stays, until

_EVICTION: dict[str, dict[str, Any]] = {
    "absent": {},
    "empty": {"evictionHard": {}},
    "another default written out": {"registryBurst": 10},
}
LOOKS = 10.0  # seconds between two probes of a healthy component: probeInterval


@pytest.mark.contract("source.correct", "source.invalid", "condition.fetch-retried")
def test_the_bundle_is_missing_at_the_first_assignment(ours: OurNode, case: Any) -> None:
    body = build_bundle("pool", {"kubelet": document({**ours.values, "maxPods": 139})})
    absent = ConfigSource("configok-system", body["metadata"]["name"], str(uuid.uuid4()))
    with case("G1", ours) as seen:
        number = ours.assign(absent)
        answer = ours.expect(number, "FetchFailed", assigned=absent, active=None, good=None)
        assert answer.condition["status"] == "Unknown"
        source = ours.create(body)

        def has_new_uid() -> bool:
            report = ours.says()
            return report is not None and f"has uid {source.uid}" in report.condition["reason"]

        until("the node sees an object with another uid", has_new_uid)
        assert seen.restarts == 0
        ours.expect(ours.assign(source), "Good", assigned=source, active=source, good=None)
        assert seen.restarts == 1
        seen.say("Unknown, with the cause, until it is assigned by the uid that it has")


@pytest.mark.contract("source.absent-unassigns", "source.absent-same-config")
def test_unassign_while_in_error(ours: OurNode, case: Any) -> None:
    bad = ours.publish(text=FAIL_PARSE, trial="6s")
    absent = ConfigSource("configok-system", "pool-0123456789", str(uuid.uuid4()))
    with case("G2", ours) as seen:
        for source, cause in ((bad, "InvalidConfig"), (absent, "FetchFailed")):
            ours.expect(ours.assign(source), cause, assigned=source, active=None, good=None)
            answer = ours.expect(ours.assign(None), "Init", assigned=None, active=None, good=None)
            assert (answer.status.error, answer.condition["status"]) == ("", "True")
        number = ours.annotate("{}")
        ours.answered(number, "InvalidConfigSource")
        ours.expect(ours.assign(None), "Init", assigned=None, active=None, good=None)
        assert seen.restarts == 0
        seen.say("any error is gone immediately: 0 restarts")


@pytest.mark.contract("trial.goes-on", "crashloop.counts-since")
def test_a_reboot(ours: OurNode, case: Any) -> None:
    source = ours.publish({"maxPods": 140})
    with case("G6", ours) as seen:
        number = ours.assign(source)
        ours.answered(number, "Good")
        boot = ours.machine.read("/proc/sys/kernel/random/boot_id").strip()
        assert json.loads(ours.machine.read(f"{STATE}/current"))["bootID"] == boot, "the agent and its hooks disagree"
        until("some of the trial is over", lambda: ours.says() is not None and _healthy_for(ours) > 0, 90)
        before = _healthy_for(ours)
        ours.machine.reboot()
        seen.rebooted()
        ours.machine.wait_ready()
        ours.expect(number, "Good", assigned=source, active=source, good=None)
        until("the trial continues", lambda: _healthy_for(ours) >= before > 0)
        ours.uses(maxPods=140)
        assert ours.starts() == 1
        seen.say("the same config; its trial continues; the kubelet is started once, by the boot")


def _healthy_for(node: OurNode) -> float:
    """Return the recorded seconds of the trial."""
    trial = json.loads(node.machine.read(f"{STATE}/current"))["trial"]
    return float(trial["healthySeconds"]) if trial["seenHealthy"] else 0.0


@pytest.mark.contract("rollback.without-daemon-and-api", "condition.after-an-outage")
def test_the_api_server_is_down(ours: OurNode, case: Any, api_stays: threading.Lock) -> None:
    good, (_name, changes) = ours.publish({"maxPods": 141}, trial=SHORT), next(iter(DEADLY.items()))
    ours.settled(good)
    crashing = ours.publish(changes, threshold=1, trial="21s")
    with api_stays, case("G7", ours) as seen:
        number = ours.assign(crashing)
        until("the crashing config is current", lambda: crashing.uid in ours.machine.read(f"{STATE}/current"))
        ours.bed.api.stop()
        try:
            until("the node is back", lambda: good.uid in ours.machine.read(f"{STATE}/current"))
            assert ours.starts()
            seen.say("rolled back to last-known-good without the API server")
        finally:
            ours.bed.api.start()
        back = time.monotonic()
        ours.expect(number, "CrashLoop", assigned=crashing, active=good, good=good)
        took = time.monotonic() - back
        assert took < 30
        seen.say("reported within 30 s of its return")


@pytest.mark.complaint("kubernetes #131355: flags silently win over the file")
@pytest.mark.contract("render.shadowed")
def test_flags_win_over_the_payload(ours: OurNode, case: Any) -> None:
    source = ours.publish({"maxPods": 142})
    original = ours.machine.read("/etc/default/kubelet") if ours.machine.exists("/etc/default/kubelet") else ""
    try:
        ours.machine.write("/etc/default/kubelet", 'KUBELET_EXTRA_ARGS="--max-pods=99"\n', mode=0o644)
        ours.machine.run(["systemctl", "restart", "kubelet"])
        ours.pause_until_quiet()
        with case("G8", ours) as seen:
            answer = ours.on(source)
            text = f"{answer.words} {answer.status.components}"
            assert "maxPods" in text
            assert "--max-pods" in text
            seen.say("adopted, and the status says that the flag --max-pods wins over maxPods")
    finally:
        ours.machine.write("/etc/default/kubelet", original, mode=0o644)
        ours.machine.run(["systemctl", "restart", "kubelet"])
        ours.pause_until_quiet()


@pytest.mark.contract("trial.goes-on", "trial.sums-health", "trial.promotes-at-its-end")
def test_the_trial_is_not_over(ours: OurNode, case: Any) -> None:
    seconds = 40
    source = ours.publish({"maxPods": 143}, trial=f"{seconds}s")
    with case("G9", ours) as seen:
        answer = ours.on(source)
        since = time.monotonic()
        assert (answer.status.last_known_good, answer.status.in_trial) == (None, True)
        times = [0.0]
        for _again in range(2):  # neither a restart of the agent nor a reassignment of the source restarts the trial
            stays("still in its trial", lambda: _in_trial(ours), LOOKS + 3)
            ours.restart_agent()
            times.append(_healthy_for(ours))
            answer = ours.answered(ours.assign(source), "Good")
            assert answer.status.last_known_good is None
        assert all(later >= earlier + LOOKS - 1 for earlier, later in itertools.pairwise(times)), times
        ours.promoted(source)
        assert time.monotonic() - since >= seconds - 1
        assert seen.restarts == 1
        seen.say(f"promoted after {seconds} s of health, through 2 restarts of the agent and 2 syncs without a change")


def _in_trial(node: OurNode) -> bool:
    answer = node.says()
    return answer is not None and answer.status.in_trial


@pytest.mark.contract("unit.restarts-forever", "crash.what-counts")
def test_a_kubelet_that_exits_with_0(ours: OurNode, case: Any) -> None:
    source = ours.publish({"maxPods": 144}, threshold=0)
    with case("G10", ours) as seen:
        ours.on(source)
        seen.begin()
        ours.machine.run(["systemctl", "kill", "--kill-who=main", "--signal=TERM", "kubelet"])
        ours.until_starts(ours.starts() + 1)
        ours.pause_until_quiet(8)
        answer = ours.says()
        assert answer is not None
        assert (answer.status.active, answer.status.cause) == (source, "Good")
        assert seen.restarts == 1
        seen.say("systemd starts it again, and the exit does not count as a crash, with a threshold of 0")


@pytest.mark.complaint("kubernetes #67580: a zero cannot be set")
@pytest.mark.contract("adopt.same-values", "source.absent-same-config")
def test_empty_values_that_switch_a_default_off(ours: OurNode, case: Any) -> None:
    """The kubelet's own /configz is the oracle for the config that the node reports."""
    plain = {name: value for name, value in ours.values.items() if name != "evictionHard"}
    text = {name: document({**plain, **change}) for name, change in _EVICTION.items()}
    with case("G11", ours) as seen:
        source = ours.publish(text=text["absent"], trial=SHORT)
        ours.settled(source)
        until("the default holds", lambda: ours.live().get("evictionHard"), 30, ours.live)
        default = ours.live()["evictionHard"]
        shown = {"empty": {}, "absent": default, "another default written out": default}
        for name in ("empty", "absent", "another default written out", "empty"):
            before = seen.restarts
            source = ours.publish(text=text[name], trial=SHORT)
            answer = ours.on(source)
            assert (answer.condition["status"], answer.status.active) == ("True", source)
            assert source.uid in answer.condition["message"]
            until("/configz shows it", partial(_evicts_at, ours, shown[name]), 30, ours.live)
            assert seen.restarts - before == (0 if "written out" in name else 1)
            ours.promoted(source)
        seen.say("evictionHard: {} set and removed: a restart for each, shown by /configz; the default: none")
        # The container has no cgroups for pods, so that only [] runs here: without it, or with null, the default [pods]
        # applies, with which this kubelet would exit. So the change needs a restart.
        before = seen.restarts
        for value in ({}, {"enforceNodeAllocatable": None}):
            others = {name: value for name, value in plain.items() if name != "enforceNodeAllocatable"}
            bad = ours.publish(text=document({**others, "evictionHard": {}, **value}))
            ours.expect(ours.assign(bad), "InvalidConfig", assigned=bad, active=source, good=source)
            assert not ours.live().get("enforceNodeAllocatable")
        assert seen.restarts == before
        seen.say("enforceNodeAllocatable: [] removed: refused, as the default [pods] does not fit: 0 restarts")


def _evicts_at(node: OurNode, thresholds: dict[str, str]) -> bool:
    """Return whether the kubelet reports these eviction thresholds; it does not show an empty map."""
    return (node.live().get("evictionHard") or {}) == thresholds


@pytest.mark.contract("condition.not-read")
def test_the_ancestor_is_turned_on_under_the_agent(ours: OurNode, ancestor_node: AncestorNode, case: Any) -> None:
    """With --dynamic-config-dir and spec.configSource the kubelet reads its own config, not the agent's.

    ancestor_node: requested so that the API server has spec.configSource.
    """
    machine, defaults = ours.machine, "/etc/default/kubelet"
    source = ours.publish({"maxPods": 146}, trial=SHORT)
    with case("G12", ours) as seen:
        ours.settled(source)
        flags = machine.read(defaults)
        rival = AncestorNode(ours.bed, machine)
        try:
            rival.assign(rival.publish({"maxPods": 77}))
            until("the kubelet has left its file", lambda: ours.live()["maxPods"] == 77, 90)
            answer = until("the conflict is reported", partial(_with_cause, ours, "NotRead"), 60, ours.says)
            assert answer.condition["status"] == "Unknown"
            assert answer.condition["message"] == f"current (UID: {source.uid}) not in use"
            assert f"--dynamic-config-dir={DIRECTORY}" in answer.condition["reason"]
            seen.say("ConfigOK is Unknown, and names the flag and spec.configSource")
        finally:
            rival.assign(None)
            machine.write(defaults, flags, mode=0o644)
            machine.run(["systemctl", "stop", "kubelet"])
            machine.run(["rm", "-rf", DIRECTORY])
            machine.run(["systemctl", "start", "kubelet"])
        until("ConfigOK is True again", partial(_with_cause, ours, "Good"), 60, ours.says)
        assert ours.live()["maxPods"] == 146


def _with_cause(node: OurNode, cause: str) -> Any:
    answer = node.says()
    return answer if answer is not None and answer.status.cause == cause else None
