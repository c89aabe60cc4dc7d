# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""ConfigOK and `status` report why a component crashed, and with which bundle."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._cli import describe_node, render_status
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle_trial import Trial
from support.agents.background import Hangs
from support.agents.bench import Bench

pytestmark = pytest.mark.usefixtures("no_fsync")


class Journal:
    """A journal with one message for each invocation; gives no answer while ``hanging``."""

    def __init__(self) -> None:
        self.invocations: list[str] = []
        self.hanging = False
        self.empty = False

    def __call__(self, invocation: str) -> str:
        if self.hanging:
            raise Hangs
        self.invocations.append(invocation)
        return "" if self.empty else f"{invocation} cannot run"


@pytest.fixture
def journal() -> Journal:
    return Journal()


@pytest.fixture
def bench(tmp_path: Path, journal: Journal) -> Bench:
    return Bench(tmp_path, messages=journal)


@pytest.mark.contract("condition.why-it-died", "condition.crash-loop")
def test_a_crash_loop_is_reported_with_the_last_message_of_the_crashed_config(bench: Bench, journal: Journal) -> None:
    good = bench.good_node()
    crashing = bench.publish("mood: deadly\n", trial=Trial(60.0, 2))
    bench.assign(crashing)
    bench.run(30)
    started = bench.processes["kubelet"].invocation
    died = f"i{int(started[1:]) - 1}"  # the start before the one that last-known-good runs in
    assert bench.words == (
        "False",
        f"using last-known-good (UID: {good.uid})",
        f"current (UID: {crashing.uid}) crashed 3 times during its trial; kubelet said last: {died} cannot run",
    )
    assert bench.status.error == bench.words[2]
    writes, reads = len(bench.api.patches), len(journal.invocations)
    bench.run(300)
    assert (len(bench.api.patches), len(journal.invocations)) == (writes, reads), "one transition, one write, one look"
    bench.restart_agent()
    bench.run(5)
    assert len(bench.api.patches) == writes, "an agent that restarts has nothing else to say"


@pytest.mark.contract("condition.why-it-died")
def test_crashes_after_the_trial_are_reported_with_the_message_of_the_first(bench: Bench) -> None:
    bench.good_node()
    for _time in range(12):
        bench.crash("kubelet")
        bench.run(3)
    assert bench.words[2].startswith("crashed more than 3 times within 10m; kubelet said last: i")
    reasons = [patch["status"]["conditions"][0]["reason"] for patch in bench.api.patches]
    assert len({reason for reason in reasons if "said last" in reason}) == 1


@pytest.mark.contract("condition.why-it-died")
@pytest.mark.parametrize("how", ["empty", "hanging"])
def test_a_journal_without_an_answer_takes_no_word_away(bench: Bench, journal: Journal, how: str) -> None:
    good = bench.good_node()
    crashing = bench.publish("mood: deadly\n", trial=Trial(60.0, 2))
    setattr(journal, how, True)
    bench.assign(crashing)
    bench.run(30)
    if how == "hanging":
        assert bench.words[0] == "Unknown"  # the runner ends journalctl after 5 s
        journal.hanging, journal.empty = False, True
        bench.daemon.components.probe_soon()
        bench.run(1)
    reason = f"current (UID: {crashing.uid}) crashed 3 times during its trial"
    assert bench.words == ("False", f"using last-known-good (UID: {good.uid})", reason)


def test_a_config_that_only_hung_has_no_last_message(bench: Bench, journal: Journal) -> None:
    bench.good_node()
    sick = bench.publish("mood: sick\n")
    bench.assign(sick)
    bench.run(200)
    assert bench.status.cause == "NotHealthy"
    assert bench.words[2] == f"current (UID: {sick.uid}) not healthy within 2m: kubelet: healthz: 500"
    assert journal.invocations == []


@pytest.mark.contract("condition.why-it-died")
def test_status_reports_the_message_too_and_names_the_bundle(bench: Bench, journal: Journal) -> None:
    bench.good_node()
    crashing = bench.publish("mood: deadly\n", trial=Trial(60.0, 2))
    bench.assign(crashing)
    bench.run(30)
    description = describe_node(bench.configuration, journal)
    assert description["components"]["kubelet"]["lastCrash"]["message"].endswith(" cannot run")
    assert description["badConfigs"][crashing.uid]["name"] == crashing.name
    text = " ".join(render_status(description).split())
    crash = description["components"]["kubelet"]["lastCrash"]
    assert f"crashed {crash['time']}, said last: {crash['message']}" in text
    assert f"bad config {crashing.uid} ({crashing.name})" in text
    without = describe_node(bench.configuration)
    assert without["components"]["kubelet"]["lastCrash"]["message"] == ""
    assert "said last" not in render_status({**without, "daemon": {"running": False, "report": None}})


@pytest.mark.contract("condition.evidence-since-adoption")
def test_the_last_message_of_another_config_is_not_that_of_this_one(bench: Bench, journal: Journal) -> None:
    good = bench.good_node()
    bench.assign(bench.publish("mood: deadly\n", trial=Trial(60.0, 2)))
    bench.run(30)
    journal.invocations.clear()
    sick = bench.publish("mood: sick\n")
    bench.assign(sick)
    bench.run(200)
    assert bench.words == (
        "False",
        f"using last-known-good (UID: {good.uid})",
        f"current (UID: {sick.uid}) not healthy within 2m: kubelet: healthz: 500",
    )
    assert journal.invocations == []


@pytest.mark.contract("condition.evidence-since-adoption")
@pytest.mark.parametrize("status", ["KILL", "TERM"])
def test_a_process_that_was_killed_has_no_last_message(bench: Bench, journal: Journal, status: str) -> None:
    bench.good_node()
    for _time in range(5):
        bench.crash("kubelet", result="signal", code="killed", status=status)
        bench.run(3)
    assert bench.words[2] == "crashed more than 3 times within 10m"
    assert describe_node(bench.configuration, journal)["components"]["kubelet"]["lastCrash"]["message"] == ""
    assert journal.invocations == []


@pytest.mark.contract("condition.evidence-since-adoption")
def test_crashes_from_before_a_rollback_are_not_the_trouble_of_last_known_good(bench: Bench) -> None:
    good = bench.good_node()
    for _time in range(3):
        bench.crash("kubelet")
        bench.run(3)
    sick = bench.publish("mood: sick\n", trial=Trial(600.0, 3))
    bench.assign(sick)
    bench.run(130)
    bench.crash("kubelet")
    bench.run(5)
    bench.assign(good)
    bench.run(30)
    assert bench.words == ("True", f"using current (UID: {good.uid})", "all checks passed")


@pytest.mark.contract("condition.evidence-since-adoption")
def test_crashes_from_before_a_rollback_are_not_the_trouble_of_the_init_config(bench: Bench, journal: Journal) -> None:
    bench.run(5)
    bench.assign(bench.publish("mood: deadly\n", trial=Trial(60.0, 0)))
    bench.run(30)
    assert "said last" in bench.words[2]
    bench.assign(None)
    read = len(journal.invocations)
    bench.processes["kubelet"].mood = "sick"
    bench.run(5)
    bench.restart_agent()  # which probes at once
    bench.run(150)
    assert bench.status.cause == "Failing"
    assert "said last" not in bench.words[2]
    assert len(journal.invocations) == read
