# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An API server or a component that hangs instead of refusing delays nothing else.

After an outage the true status is written soon.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._agent_configuration import AgentConfiguration
from ansible_collections.configok.node.plugins.module_utils._agent._agent_context import AgentContext
from ansible_collections.configok.node.plugins.module_utils._agent._component_versions import QueryKind
from ansible_collections.configok.node.plugins.module_utils._agent._state.health import ProbeResult
from ansible_collections.configok.node.plugins.module_utils._agent._validation._validator import ValidationUnavailable
from ansible_collections.configok.node.plugins.module_utils._agent.node_watch import annotations_of
from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import (
    KubeError,
    ServerError,
    Unreachable,
)
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle_trial import Trial
from support.agents.background import Hangs
from support.agents.bench import Bench

pytestmark = pytest.mark.usefixtures("no_fsync")

AWAY = Unreachable("connection refused", where="PATCH nodes/n1")
AFTER_AN_OUTAGE = 30.0  # seconds


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


@pytest.mark.contract("probe.never-waits")
def test_a_sick_config_is_rolled_back_in_time_while_the_api_hangs(bench: Bench) -> None:
    good = bench.good_node()
    sick = bench.publish("mood: sick\n")
    bench.assign(sick)
    bench.run(0.2)
    bench.api.hanging = True
    bench.run(125)
    assert bench.reads() == "maxPods: 120\n"
    bench.api.hanging = False
    bench.run(AFTER_AN_OUTAGE)
    assert bench.words[:2] == ("False", f"using last-known-good (UID: {good.uid})")


@pytest.mark.contract("probe.never-waits", "trial.promotes-at-its-end")
def test_a_trial_ends_in_time_while_the_api_hangs(bench: Bench) -> None:
    bench.run(5)
    source = bench.publish("maxPods: 120\n", trial=Trial(60.0, 3))
    bench.assign(source)
    bench.run(5)
    bench.api.hanging = True
    bench.assign(bench.publish("maxPods: 130\n"))  # cannot be fetched, and is not the config on trial
    bench.run(70)
    good = bench.store.read_records().last_known_good
    assert good is not None
    assert good.source == source


@pytest.mark.contract("probe.never-waits")
def test_a_component_that_hangs_does_not_keep_another_from_being_probed(tmp_path: Path) -> None:
    bench = Bench(tmp_path, ("kubelet", "kube-proxy"))
    good = bench.good_node()
    bench.assign(bench.publish(documents={"kubelet": "mood: hangs\n", "kube-proxy": "maxPods: 130\n"}))
    bench.run(30)
    local = bench.store.read_records().current
    assert local is not None
    assert local.source != good
    assert bench.daemon.components._health["kube-proxy"].was_healthy
    bench.run(130)
    assigned = bench.status.assigned
    assert assigned is not None
    assert bench.words == (
        "False",
        f"using last-known-good (UID: {good.uid})",
        f"current (UID: {assigned.uid}) not healthy within 2m: kubelet: the probe has no answer after 12s",
    )


@pytest.mark.contract("probe.never-waits", "trial.promotes-at-its-end")
def test_a_trial_ends_in_time_although_its_components_answer_at_different_times(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One answers at once, the other in a later round: never both of them in the same one."""
    bench = Bench(tmp_path, ("kubelet", "kube-proxy"))
    bench.good_node()
    probe, asked_at = bench.probe, [-1.0]

    def answer(component: str, effective: Any, unit: Any) -> ProbeResult:
        if component == "kube-proxy":
            now = bench.clock.since_boot()
            if asked_at[0] < 0 or now <= asked_at[0]:
                asked_at[0] = max(asked_at[0], now)
                raise Hangs
            asked_at[0] = -1.0
        return probe(component, effective, unit)

    monkeypatch.setattr(bench, "probe", answer)
    documents = {"kubelet": "maxPods: 130\n", "kube-proxy": "maxPods: 131\n"}
    source = bench.publish(documents=documents, trial=Trial(60.0, 3))
    bench.assign(source)
    bench.run(90)
    good = bench.store.read_records().last_known_good
    assert good is not None
    assert good.source == source


@pytest.mark.contract("probe.never-waits")
def test_a_component_that_begins_to_hang_in_its_trial_is_noticed(bench: Bench) -> None:
    good = bench.good_node()
    bench.assign(bench.publish("maxPods: 130\n", trial=Trial(600.0, 3)))
    bench.run(20)
    assert bench.words[0] == "True"
    bench.processes["kubelet"].mood = "hangs"
    bench.run(100)
    bench.processes["kubelet"].mood = ""
    bench.run(20)
    assert bench.words[:2] == ("False", f"using last-known-good (UID: {good.uid})")


def test_a_new_assignment_does_not_wait_for_the_fetch_of_the_one_before(bench: Bench) -> None:
    bench.run(5)
    slow = bench.publish("maxPods: 130\n")
    bench.assign(slow)
    bench.api.hanging = True
    bench.run(10)
    bench.api.hanging = False
    quick = bench.publish("maxPods: 140\n")
    bench.assign(quick)
    bench.run(10)
    assert bench.words[:2] == ("True", f"using current (UID: {quick.uid})")
    assert f"adopting (UID: {slow.uid})" not in bench.condition_messages


@pytest.mark.contract("condition.after-an-outage")
@pytest.mark.parametrize("error", [AWAY, ServerError("starting", status=503)], ids=["away", "failing"])
def test_the_current_condition_is_reported_within_30_seconds_of_the_apis_return(bench: Bench, error: KubeError) -> None:
    good = bench.good_node()
    bench.assign(bench.publish("mood: deadly\n", trial=Trial(60.0, 0)))
    bench.run(0.1)
    bench.api.down = error
    bench.run(3600)
    bench.api.down = None
    bench.run(AFTER_AN_OUTAGE)  # even if the watch did not notice the outage
    assert bench.words[:2] == ("False", f"using last-known-good (UID: {good.uid})")


@pytest.mark.contract("condition.after-an-outage")
def test_what_could_not_be_fetched_in_an_outage_is_adopted_soon_after_it(bench: Bench) -> None:
    bench.run(5)
    source = bench.publish("maxPods: 130\n")
    bench.assign(source)
    bench.api.down = AWAY
    bench.run(3600)
    bench.api.down = None
    bench.run(AFTER_AN_OUTAGE)
    assert bench.words[:2] == ("True", f"using current (UID: {source.uid})")


@pytest.mark.contract("manners.back-off")
def test_retry_after_is_obeyed_by_a_fetch_whatever_comes(bench: Bench) -> None:
    bench.run(5)
    bench.api.down = ServerError("slow", status=503, retry_after=100.0)
    bench.assign(bench.publish("maxPods: 130\n"))
    bench.run(10)
    bench.api.down = None
    before = len(bench.api.requests)
    bench.daemon.retry_soon()
    bench.run(80)
    assert len(bench.api.requests) == before
    bench.run(20)
    assert bench.words[0] == "True"


def answer_version(bench: Bench, answers: list[str]) -> list[str]:
    """Let the component report its version; return the list of components whose version is asked for.

    Each call takes the next answer, and the last one repeats. "hangs" gives no answer.
    """
    calls: list[str] = []
    kubelet = bench.configuration.components["kubelet"]
    bench.settings["components"] = {"kubelet": kubelet._replace(version="", version_command=("/bin/kubelet",))}
    bench.configuration = AgentConfiguration(**bench.settings)

    def version_of(component: str) -> str:
        calls.append(component)
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        if answer == "hangs":
            raise Hangs
        return answer

    bench.version_of = version_of
    bench.restart_agent()
    return calls


@pytest.mark.contract("probe.never-waits")
def test_a_component_that_does_not_say_its_version_holds_up_nothing_that_runs(bench: Bench) -> None:
    good = bench.good_node()
    answer_version(bench, ["hangs"])
    bench.run(5)
    assert bench.daemon.versions._tasks[QueryKind.VERSION].running
    bench.crash("kubelet")
    bench.run(5)
    assert bench.words[:2] == ("True", f"using current (UID: {good.uid})")
    bench.stop("kubelet")
    bench.run(5)
    bench.daemon.components.probe_soon()
    bench.run(1)
    assert bench.words[:2] == ("Unknown", f"current (UID: {good.uid}) not in use")


def test_a_bundle_is_validated_for_the_version_that_is_being_read(bench: Bench) -> None:
    bench.good_node()
    answers = ["hangs"]
    answer_version(bench, answers)
    source = bench.publish("maxPods: 130\n")
    bench.run(2)
    bench.assign(source)
    validations = len(bench.validated)
    bench.run(2)
    assert len(bench.validated) == validations
    answers[:] = ["v1.36.1"]
    bench.run(5)
    assert bench.words[:2] == ("True", f"using current (UID: {source.uid})")
    assert (bench.directory / "state/kubelet-v1.36.1/verdicts").exists()


def test_the_version_that_was_noted_holds_where_a_component_does_not_say_it_after_a_restart_of_the_agent(
    bench: Bench,
) -> None:
    answer_version(bench, ["v1.34.1"])
    bench.run(5)
    answer_version(bench, [""])
    assert bench.daemon.versions.version_of("kubelet") == "v1.34.1", "before it was asked"
    bench.run(2)
    assert bench.daemon.versions.version_of("kubelet") == "v1.34.1"


def test_a_version_that_was_not_said_is_asked_for_again_with_growing_pauses(bench: Bench) -> None:
    bench.good_node()
    calls = answer_version(bench, ["", "", "", "v1.36.1"])
    source = bench.publish("maxPods: 130\n")
    bench.assign(source)
    bench.run(4)
    assert bench.words[:2] == ("True", f"using current (UID: {source.uid})"), "it is judged for the newest meanwhile"
    before = len(calls)
    bench.run(60)
    assert bench.daemon.versions.version_of("kubelet") == "v1.36.1"
    assert before < len(calls) <= before + 3
    calls.clear()
    bench.run(3600)
    assert calls == []


@pytest.mark.contract("init.refused-if-deadly")
def test_an_init_config_that_could_not_be_validated_is_validated_again(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    validate, failures = bench.validate, [0]

    def fails(component: str, text: str, version: str, **options: Any) -> list[dict[str, Any]]:
        if failures[0] < 3:
            failures[0] += 1
            raise ValidationUnavailable("killed")
        return validate(component, text, version, **options)

    monkeypatch.setattr(bench, "validate", fails)
    bench.restart_agent()
    bench.run(60)
    assert failures == [3]
    assert bench.validated == ["kubelet"]
    bench.run(3600)
    assert bench.validated == ["kubelet"]


def test_a_bundle_that_could_not_be_validated_is_validated_again(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    good = bench.good_node()
    validate, killed = bench.validate, True

    def fails(component: str, text: str, version: str, **options: Any) -> list[dict[str, Any]]:
        if killed:
            raise ValidationUnavailable("the config could not be validated (exit -9)")
        return validate(component, text, version, **options)

    monkeypatch.setattr(bench, "validate", fails)
    bench.restart_agent()
    source = bench.publish("maxPods: 130\n")
    bench.assign(source)
    bench.run(20)
    assert bench.words[1] == f"using current (UID: {good.uid})"
    assert "exit -9" in bench.words[2]
    killed = False
    bench.run(60)
    assert bench.words[:2] == ("True", f"using current (UID: {source.uid})")


def test_a_hanging_validation_of_the_init_config_blocks_nothing(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    validate = bench.validate

    def hangs(component: str, text: str, version: str, **options: Any) -> list[dict[str, Any]]:
        if not options["as_bundle"]:
            raise Hangs
        return validate(component, text, version, **options)

    monkeypatch.setattr(bench, "validate", hangs)
    bench.restart_agent()
    bench.run(3)
    source = bench.publish("maxPods: 130\n")
    bench.assign(source)
    bench.run(5)
    assert bench.words[:2] == ("True", f"using current (UID: {source.uid})")


@pytest.mark.contract("validate.for-the-version")
def test_a_bundle_is_validated_for_the_version_of_a_component_upgraded_during_the_validation_of_its_init_config(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    validate, versions = bench.validate, []

    def validates_late(component: str, text: str, version: str, **options: Any) -> list[dict[str, Any]]:
        if not options["as_bundle"]:
            raise Hangs
        versions.append(version)
        return validate(component, text, version, **options)

    monkeypatch.setattr(bench, "validate", validates_late)
    answers = ["v1.35.1"]
    answer_version(bench, answers)
    bench.run(5)
    answers[:] = ["hangs"]
    bench.crash("kubelet")
    bench.run(5)
    source = bench.publish("maxPods: 130\n")
    bench.assign(source)
    bench.run(5)
    assert versions == []
    answers[:] = ["v1.36.1"]
    bench.run(10)
    assert versions == ["v1.36.1"]
    assert bench.words[:2] == ("True", f"using current (UID: {source.uid})")


@pytest.mark.contract("probe.never-waits")
@pytest.mark.parametrize("call", ["unit", "restart"])
def test_a_service_manager_that_hangs_holds_up_nothing(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    good = bench.good_node()
    answer, hanging = getattr(bench, call), True

    def answer_late(component: str) -> Any:
        if hanging:
            raise Hangs
        return answer(component)

    monkeypatch.setattr(bench, call, answer_late)
    refused = bench.publish("mood: invalid\n")
    bench.assign(refused)
    bench.run(3)
    assert bench.words[:2] == ("False", f"using last-known-good (UID: {good.uid})")

    better = bench.publish("maxPods: 130\n")
    bench.assign(better)
    bench.run(20)
    assert bench.words[:2] == ("Unknown", f"adopting (UID: {better.uid})"), "nothing is known of the component"
    hanging = False
    bench.run(20)
    assert bench.words[:2] == ("True", f"using current (UID: {better.uid})")


def test_an_adoption_continues_as_soon_as_its_announcement_is_answered(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.run(5)
    source = bench.publish("maxPods: 130\n")
    bench.assign(source)
    patch, is_hanging = bench.api.patch, True

    def patch_later(path: str, body: dict[str, Any], *, kind: str) -> dict[str, Any]:
        if is_hanging:
            raise Hangs
        return patch(path, body, kind=kind)

    monkeypatch.setattr(bench.api, "patch", patch_later)
    bench.run(0.1)
    assert "130" not in bench.reads()
    is_hanging = False
    bench.daemon.reconcile(annotations_of(bench.api.node), refresh=False)  # as the end of a task does
    assert "130" in bench.reads()


@pytest.mark.contract("probe.never-waits")
def test_a_process_whose_command_line_cannot_be_read_counts_as_one_that_hangs(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.good_node()
    new_context, is_hanging = bench.new_context, True

    def read(_pid: int) -> tuple[str, ...]:
        if is_hanging:
            raise Hangs
        return bench.argv

    def context_that_hangs() -> AgentContext:
        context = new_context()
        return context._replace(commands=context.commands._replace(command_line=read))

    monkeypatch.setattr(bench, "new_context", context_that_hangs)
    bench.restart_agent()
    bench.run(200)
    assert bench.words[0] == "False"
    assert bench.words[2].endswith("kubelet: the probe has no answer after 12s")
    is_hanging = False
    bench.run(30)
    assert bench.words[0] == "True"
