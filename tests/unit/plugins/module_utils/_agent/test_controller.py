# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole cycle on a bench: every situation of the table of messages, reached by real events."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent import _controller
from ansible_collections.configok.node.plugins.module_utils._agent._cli import forget_bad
from ansible_collections.configok.node.plugins.module_utils._agent._state.actions import Action, Observation, plan
from ansible_collections.configok.node.plugins.module_utils._agent._state.trial_period import RollBack
from ansible_collections.configok.node.plugins.module_utils._agent.node_watch import annotations_of
from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import Unreachable
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import ConfigSource
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle_trial import Trial
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.denied_fields import DenyPolicy
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.well_known import (
    ANNOTATION_ASSIGNMENT,
    ANNOTATION_CONFIG_SOURCE,
)
from support.agents.bench import NODE, Bench
from support.agents.log_lines import record_log
from support.configs.kubelet import KUBELET_HEADER

pytestmark = pytest.mark.usefixtures("no_fsync")

ALL_WELL = "all checks passed"


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


@pytest.mark.contract("condition.init")
def test_a_node_without_an_assignment_uses_its_init_config(bench: Bench) -> None:
    bench.run(5)
    assert bench.words == (
        "True",
        "using current (init)",
        "current is set to the local default, and an init config was provided",
    )
    assert bench.reads() == "maxPods: 110\n"
    assert bench.status.assignment == 0
    assert bench.api.patches[-1]["metadata"]["labels"]["configok.dev/config"] == "init"


@pytest.mark.contract("condition.default")
def test_a_node_without_an_assignment_and_an_init_config_uses_the_default(tmp_path: Path) -> None:
    bench = Bench(tmp_path, init=None)
    bench.run(5)
    assert bench.words == (
        "True",
        "using current (default)",
        "current is set to the local default, and no init config was provided",
    )
    assert "KubeletConfiguration" in bench.reads()


@pytest.mark.contract(
    "run.follows-its-node",
    "assignment.answered",
    "source.fetched-once",
    "adopt.acknowledged",
    "trial.promotes-when-healthy",
    "condition.good",
    "condition.on-transitions",
    "manners.requests",
)
def test_a_good_config_is_acknowledged_adopted_and_promoted_in_five_requests(bench: Bench) -> None:
    bench.run(5)
    before = len(bench.api.requests)
    source = bench.publish("maxPods: 120\n", trial=Trial(60.0, 3))
    id = bench.assign(source)
    bench.run(10)
    assert bench.condition_messages[-2:] == [f"adopting (UID: {source.uid})", f"using current (UID: {source.uid})"]
    assert bench.words == ("True", f"using current (UID: {source.uid})", ALL_WELL)
    assert bench.starts() == 2
    assert bench.reads() == "maxPods: 120\n"
    status = bench.status
    assert (status.assignment, status.assigned, status.active, status.last_known_good) == (id, source, source, None)
    assert status.in_trial
    assert status.components["kubelet"].state == "healthy"
    bench.run(70)
    assert bench.status.last_known_good == source
    assert not bench.status.in_trial
    assert bench.starts() == 2
    assert len(bench.api.requests) - before <= 5, bench.api.requests[before:]
    assert bench.api.event_reasons == ["ConfigAdopted"]


@pytest.mark.contract("adopt.acknowledged", "condition.adopting")
def test_an_adopting_node_says_so_before_it_touches_anything(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.run(5)
    before = bench.reads()
    source = bench.publish("maxPods: 120\n")
    bench.assign(source)
    bench.refuse_restarts = True
    patch, when_said = bench.api.patch, []

    def note(path: str, body: dict[str, Any], *, kind: str) -> dict[str, Any]:
        when_said.append((bench.reads(), list(bench.restarts)))
        return patch(path, body, kind=kind)

    monkeypatch.setattr(bench.api, "patch", note)
    bench.run(0.1)
    assert when_said == [(before, [])]
    assert bench.restarts == ["kubelet"]
    assert bench.words == ("Unknown", f"adopting (UID: {source.uid})", "checks passed, not probed yet")
    assert bench.starts() == 1


@pytest.mark.contract("source.invalid", "source.correct", "condition.source-invalid", "condition.cause-for-machines")
@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("{}", "invalid NodeConfigSource, exactly one subfield must be non-nil, but all were nil"),
        ("{", "invalid NodeConfigSource, it is not JSON"),
        (
            '{"configMap":{"namespace":"elsewhere","name":"a","uid":"00000000-0000-0000-0000-000000000000"}}',
            "invalid NodeConfigSource, configMap.namespace must be configok-system on this node",
        ),
    ],
)
def test_an_invalid_source_changes_nothing(bench: Bench, text: str, cause: str) -> None:
    good = bench.good_node()
    starts = bench.starts()
    id = bench.assign(good)
    bench.api.node["metadata"]["annotations"][ANNOTATION_CONFIG_SOURCE] = text
    bench.run(5)
    status, message, reason = bench.words
    assert (status, message) == ("Unknown", f"using current (UID: {good.uid})")
    assert reason.startswith(f"failed to sync, desired config unclear, cause: {cause}")
    assert bench.status.assignment == id
    assert bench.status.cause == "InvalidConfigSource"
    assert bench.starts() == starts
    bench.assign(good)
    bench.run(5)
    assert bench.words == ("True", f"using current (UID: {good.uid})", ALL_WELL)
    assert bench.starts() == starts


@pytest.mark.contract("source.invalid")
def test_a_source_without_an_id_is_invalid(bench: Bench) -> None:
    bench.assign(bench.publish("maxPods: 120\n"))
    del bench.api.node["metadata"]["annotations"][ANNOTATION_ASSIGNMENT]
    bench.run(5)
    assert bench.words[0] == "Unknown"
    assert "there is no id with the config source" in bench.words[2]


@pytest.mark.contract("source.invalid", "condition.fetch-retried", "manners.back-off")
def test_a_missing_bundle_is_fetched_again_with_patience(bench: Bench) -> None:
    bench.run(5)
    source = bench.publish("maxPods: 120\n")
    bundle = bench.api.config_maps.pop(source.name)
    bench.assign(source)
    bench.run(300)
    assert bench.words[:2] == ("Unknown", "using current (init)")
    assert "cause: GET configmaps/" in bench.words[2]
    assert bench.status.cause == "FetchFailed"
    fetches = [request for request in bench.api.requests if request.startswith("GET")]
    assert 4 <= len(fetches) <= 12
    bench.api.config_maps[source.name] = bundle
    bench.run(400)
    assert bench.words == ("True", f"using current (UID: {source.uid})", ALL_WELL)


@pytest.mark.contract("source.invalid", "source.correct")
def test_an_object_with_another_uid_is_not_used(bench: Bench) -> None:
    bench.run(5)
    source = bench.publish("maxPods: 120\n")
    bench.assign(ConfigSource(source.namespace, source.name, "00000000-0000-0000-0000-000000000000"))
    bench.run(5)
    assert bench.words[0] == "Unknown"
    assert f"has uid {source.uid}" in bench.words[2]
    assert bench.starts() == 1


@pytest.mark.contract("source.absent-is-lost", "condition.lost-or-stale")
def test_a_lost_annotation_changes_nothing(bench: Bench) -> None:
    good = bench.good_node()
    starts = bench.starts()
    bench.api.node["metadata"]["annotations"].clear()
    bench.run(5)
    assert bench.words == ("Unknown", f"using current (UID: {good.uid})", "assignment lost")
    assert bench.starts() == starts


@pytest.mark.contract("source.absent-other-uid")
def test_a_node_registered_again_changes_nothing_until_it_is_assigned(bench: Bench) -> None:
    good = bench.good_node()
    starts = bench.starts()
    bench.api.node["metadata"] = {"name": NODE, "uid": "another", "annotations": {ANNOTATION_ASSIGNMENT: "9"}}
    bench.run(5)
    assert bench.words == ("Unknown", f"using current (UID: {good.uid})", "assignment lost")
    bench.assign(good, id=10)
    bench.run(5)
    assert bench.words == ("True", f"using current (UID: {good.uid})", ALL_WELL)
    assert bench.status.assignment == 10
    assert bench.starts() == starts


@pytest.mark.contract("source.absent-other-uid", "source.absent-unassigns")
def test_a_node_registered_again_can_be_reverted_to_its_init_config(bench: Bench) -> None:
    bench.good_node()
    bench.api.node["metadata"] = {"name": NODE, "uid": "another", "annotations": {}}
    bench.run(5)
    assert bench.words[2] == "assignment lost"
    bench.assign(None, id=1)  # ids start again with a new Node
    bench.run(5)
    assert bench.words[:2] == ("True", "using current (init)")
    assert bench.status.assignment == 1


@pytest.mark.contract("assignment.stale", "condition.lost-or-stale")
def test_a_stale_assignment_is_ignored(bench: Bench) -> None:
    good = bench.good_node()
    starts = bench.starts()
    second = bench.publish("maxPods: 130\n")
    bench.assign(second, id=9)
    bench.run(5)
    bench.assign(good, id=4)
    bench.run(5)
    assert bench.words == ("Unknown", f"using current (UID: {second.uid})", "stale assignment 4")
    assert bench.status.assignment == 9
    assert bench.starts() == starts + 1


@pytest.mark.complaint("MCO #2357: invalid values rendered nodes unusable")
@pytest.mark.contract("validate.costs-no-restart", "validate.only-once", "condition.invalid", "events.on-the-node")
def test_an_invalid_config_costs_no_restart(bench: Bench) -> None:
    good = bench.good_node()
    starts = bench.starts()
    bad = bench.publish("mood: invalid\n")
    id = bench.assign(bad)
    bench.run(10)
    assert bench.words == (
        "False",
        f"using last-known-good (UID: {good.uid})",
        f"failed to validate current (UID: {bad.uid}): kubelet: mood: must not be invalid",
    )
    assert bench.status.assignment == id
    assert bench.starts() == starts
    validations = len(bench.validated)
    bench.assign(bad)
    bench.run(10)
    assert len(bench.validated) == validations  # nothing is validated twice
    assert bench.api.event_reasons[-1] == "ConfigRefused"


@pytest.mark.contract("validate.denied-fields", "validate.only-once")
def test_a_config_is_validated_again_under_a_changed_deny_list(bench: Bench) -> None:
    bench.good_node()
    source = bench.publish("mood: invalid\n")
    validations = []
    for deny in (DenyPolicy(), DenyPolicy(), DenyPolicy(("maxPods",))):
        components = {name: component._replace(deny=deny) for name, component in bench.configuration.components.items()}
        bench.configure(components=components)
        bench.assign(source)
        bench.run(5)
        validations.append(len(bench.validated))
    assert validations == [validations[0], validations[0], validations[0] + 1]


@pytest.mark.contract("source.fetched-once")
def test_what_was_fetched_once_is_not_fetched_again(bench: Bench) -> None:
    first = bench.good_node()
    bench.good_node("maxPods: 130\n")
    bench.assign(first)
    bench.run(10)
    assert bench.status.active == first
    assert [request.rsplit("/", 1)[1] for request in bench.api.requests if request.startswith("GET")].count(
        first.name
    ) == 1


@pytest.mark.contract("condition.invalid-in-trial")
def test_an_invalid_config_while_what_runs_is_in_its_trial(bench: Bench) -> None:
    bench.run(5)
    running = bench.publish("maxPods: 120\n")
    bench.assign(running)
    bench.run(5)
    bad = bench.publish("mood: invalid\n")
    bench.assign(bad)
    bench.run(5)
    assert bench.words == (
        "False",
        f"using current (UID: {running.uid})",
        f"failed to validate (UID: {bad.uid}): kubelet: mood: must not be invalid",
    )


@pytest.mark.contract(
    "rollback.without-daemon-and-api", "crashloop.over-the-threshold", "condition.crash-loop", "events.on-the-node"
)
@pytest.mark.parametrize("agent", [True, False], ids=["daemon lives", "daemon dead"])
def test_a_crash_loop_ends_on_last_known_good(bench: Bench, agent: bool) -> None:
    good = bench.good_node()
    crashing = bench.publish("mood: deadly\n", trial=Trial(60.0, 2))
    id = bench.assign(crashing)
    starts = bench.starts()
    bench.run(0.2)
    bench.run(20, agent=agent)
    assert bench.reads() == "maxPods: 120\n"
    assert bench.processes["kubelet"].state == "active"
    assert bench.starts() == starts + 3 + 1  # the threshold allows two crashes after the first start
    bench.run(10)
    assert bench.words == (
        "False",
        f"using last-known-good (UID: {good.uid})",
        f"current (UID: {crashing.uid}) crashed 3 times during its trial",
    )
    status = bench.status
    assert (status.assignment, status.assigned, status.active) == (id, crashing, good)
    assert status.cause == "CrashLoop"
    assert bench.api.event_reasons[-1] == "ConfigRolledBack"
    marks = bench.store.read_bad_configs("kubelet", "v1.35.0")
    assert marks[crashing.uid].kind == "CrashLoop"


@pytest.mark.contract("crashloop.bad-stays-bad", "crashloop.forgotten", "assignment.forget-bad", "condition.known-bad")
def test_a_bad_config_is_not_tried_again_until_it_is_forgotten(bench: Bench) -> None:
    good = bench.good_node()
    crashing = bench.publish("mood: deadly\n")
    bench.assign(crashing)
    bench.run(30)
    starts = bench.starts()
    bench.assign(crashing)
    bench.run(10)
    status, message, reason = bench.words
    assert (status, message) == ("False", f"using last-known-good (UID: {good.uid})")
    assert reason.startswith(f"(UID: {crashing.uid}) was marked bad at 2026-")
    assert reason.endswith(": crashed 4 times during its trial")
    bench.restart_agent()
    bench.run(10)
    bench.reboot()
    bench.run(10)
    assert bench.starts() == starts + 1
    bench.assign(crashing, forget_bad=True)
    bench.run(30)
    assert bench.status.cause == "CrashLoop"
    assert bench.starts() > starts + 2


@pytest.mark.contract("probe.health-timeout", "condition.not-healthy")
def test_a_config_that_is_never_healthy_is_rolled_back(bench: Bench) -> None:
    good = bench.good_node()
    sick = bench.publish("mood: sick\n")
    bench.assign(sick)
    bench.run(100)
    assert bench.words[1] == f"adopting (UID: {sick.uid})"
    bench.run(60)
    assert bench.words == (
        "False",
        f"using last-known-good (UID: {good.uid})",
        f"current (UID: {sick.uid}) not healthy within 2m: kubelet: healthz: 500",
    )
    mark = bench.store.read_bad_configs("kubelet", "v1.35.0")[sick.uid]
    assert (mark.kind, mark.within, mark.probe) == ("NotHealthy", 120.0, "kubelet: healthz: 500")
    assert bench.reads() == "maxPods: 120\n"


def test_a_rollback_without_a_text_does_not_take_that_of_the_components(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def plan_without_text(observation: Observation) -> list[Action]:
        return [
            action._replace(failure=action.failure._replace(text=""))
            if isinstance(action, RollBack) and action.failure is not None
            else action
            for action in plan(observation)
        ]

    monkeypatch.setattr(_controller, "plan", plan_without_text)
    bench.good_node()
    bench.assign(bench.publish("mood: sick\n"))
    lines = record_log([])
    bench.run(160)
    assert [fields.get("detail") for _level, message, fields in lines if message == "config rolled back"] == [None]


@pytest.mark.contract("probe.unhealthy-threshold", "condition.not-healthy")
def test_too_many_failed_probes_in_the_trial_are_a_failure(bench: Bench) -> None:
    good = bench.good_node()
    source = bench.publish("maxPods: 130\n", trial=Trial(600.0, 3))
    bench.assign(source)
    bench.run(20)
    assert bench.words[0] == "True"
    bench.processes["kubelet"].mood = "sick"
    bench.run(35)
    bench.processes["kubelet"].mood = ""
    bench.run(10)
    assert bench.words == (
        "False",
        f"using last-known-good (UID: {good.uid})",
        f"current (UID: {source.uid}) not healthy within 30s: kubelet: healthz: 500",
    )


@pytest.mark.contract("crashloop.suspect", "crashloop.no-flapping", "condition.suspect")
def test_last_known_good_that_fails_too_is_suspect_and_stays(bench: Bench) -> None:
    good = bench.good_node()
    sick = bench.publish("mood: sick\n")
    bench.assign(sick)
    bench.run(60)
    bench.processes["kubelet"].mood = "sick"  # the cause is elsewhere: it is unhealthy with any config
    bench.run(400)
    assert bench.words == (
        "False",
        f"using last-known-good (UID: {good.uid}), which is failing",
        f"current (UID: {sick.uid}) and last-known-good both fail: cause may lie elsewhere",
    )
    starts, messages_before = bench.starts(), len(bench.condition_messages)
    bench.run(900)
    assert bench.starts() == starts
    assert bench.condition_messages[messages_before:] in ([], [bench.words[1]], [bench.words[1]] * 2)  # heartbeats only
    bench.processes["kubelet"].mood = ""
    bench.run(300)
    assert bench.words == (
        "False",
        f"using last-known-good (UID: {good.uid})",
        f"current (UID: {sick.uid}) not healthy within 2m: kubelet: healthz: 500",
    ), "tried again on a healthy node, it is at fault"
    assert list(bench.store.read_bad_configs("kubelet", "v1.35.0")) == [sick.uid]


@pytest.mark.contract("crashloop.acquitted")
def test_a_config_is_acquitted_when_last_known_good_fails_too_and_is_tried_once_more(bench: Bench) -> None:
    bench.good_node()
    source = bench.publish("maxPods: 130\n")
    bench.assign(source)
    bench.processes["kubelet"].mood = "sick"
    bench.run(300)
    assert bench.status.cause == "Suspect"
    assert bench.store.read_bad_configs("kubelet", "v1.35.0") == {}
    bench.processes["kubelet"].mood = ""
    bench.run(200)
    assert bench.words == ("True", f"using current (UID: {source.uid})", "all checks passed")


@pytest.mark.contract("crashloop.acquitted")
def test_a_config_in_doubt_is_tried_again_once_for_each_assignment(bench: Bench) -> None:
    good = bench.good_node()
    source = bench.publish("maxPods: 130\n")
    for _assignment in range(2):
        bench.assign(source)
        adoptions = bench.condition_messages.count(f"adopting (UID: {source.uid})")
        for _outage in range(4):
            bench.processes["kubelet"].mood = "sick"
            bench.run(300)
            bench.processes["kubelet"].mood = ""
            bench.run(130)  # shorter than the trial of what is tried again
        assert bench.condition_messages.count(f"adopting (UID: {source.uid})") == adoptions + 2
        assert bench.words == (
            "Unknown",
            f"using last-known-good (UID: {good.uid})",
            f"current (UID: {source.uid}) failed, the cause may lie elsewhere: last-known-good failed as well",
        )
        assert bench.status.cause == "Suspect"
        assert bench.store.read_bad_configs("kubelet", "v1.35.0") == {}


@pytest.mark.contract("adopt.stopped-unit", "condition.stopped")
def test_a_stopped_unit_is_not_started(bench: Bench) -> None:
    good = bench.good_node()
    bench.stop("kubelet")
    starts = bench.starts()
    source = bench.publish("maxPods: 130\n")
    bench.assign(source)
    bench.run(200)
    assert bench.words == (
        "Unknown",
        f"current (UID: {source.uid}) not in use",
        "kubelet.service is stopped by an administrator",
    )
    assert bench.reads() == "maxPods: 130\n"
    assert bench.starts() == starts
    assert bench.status.last_known_good == good
    bench.start("kubelet")
    bench.run(10)
    assert bench.words == ("True", f"using current (UID: {source.uid})", ALL_WELL)


@pytest.mark.contract("optout.uses-nothing", "optout.says-so", "condition.opted-out")
def test_a_node_that_opted_out_uses_the_local_config(tmp_path: Path) -> None:
    bench = Bench(tmp_path, dynamic_config=False)
    bench.assign(bench.publish("maxPods: 120\n"))
    bench.run(20)
    assert bench.words == (
        "Unknown",
        "using the local config",
        "dynamic configuration is turned off on this node",
    )
    assert bench.reads() == "maxPods: 110\n"
    assert not [request for request in bench.api.requests if request.startswith("GET")]


@pytest.mark.contract("store.damaged-is-set-aside", "condition.damaged")
def test_damaged_files_are_set_aside_and_named(bench: Bench) -> None:
    good = bench.good_node()
    starts = bench.starts()
    (bench.directory / "state" / "current").write_bytes(b"{ torn")
    bench.run(700)
    assert bench.words == (
        "True",
        f"using current (UID: {good.uid})",
        "all checks passed; current was damaged and set aside",
    )
    assert list((bench.directory / "state").glob("current.corrupt-*"))
    assert bench.starts() == starts


@pytest.mark.contract("source.absent-unassigns")
def test_unassigning_reverts_to_the_init_config(bench: Bench) -> None:
    bench.good_node()
    starts = bench.starts()
    id = bench.assign(None)
    bench.run(10)
    assert bench.condition_messages[-2:] == ["adopting (init)", "using current (init)"]
    assert bench.words[0] == "True"
    assert (bench.status.assignment, bench.status.active, bench.status.last_known_good) == (id, None, None)
    assert bench.reads() == "maxPods: 110\n"
    assert bench.starts() == starts + 1


@pytest.mark.contract("source.absent-same-config")
def test_a_node_that_is_unassigned_after_a_refusal_is_not_restarted(bench: Bench) -> None:
    bench.run(5)
    bench.assign(bench.publish("mood: invalid\n"))
    bench.run(5)
    assert bench.words[:2] == ("False", "using last-known-good (init)")
    bench.assign(None)
    bench.run(5)
    assert bench.words[:2] == ("True", "using current (init)")
    assert bench.starts() == 1


@pytest.mark.contract("adopt.same-values")
def test_the_same_values_cost_no_restart(bench: Bench) -> None:
    bench.good_node("maxPods: 120\nevictionHard: {}\n")
    starts = bench.starts()
    source = bench.publish("# a comment\nevictionHard:   {}\nmaxPods:   120\n", trial=Trial(60.0, 3))
    bench.assign(source)
    bench.run(5)
    assert bench.words == ("True", f"using current (UID: {source.uid})", ALL_WELL)
    assert bench.reads() == "maxPods: 120\nevictionHard: {}\n"
    assert bench.starts() == starts
    assert bench.restarts.count("kubelet") == 1


@pytest.mark.contract("adopt.same-values")
@pytest.mark.parametrize("empty", ["evictionHard: {}", "enforceNodeAllocatable: []"])
def test_an_empty_value_that_switches_a_default_off_is_a_change(bench: Bench, empty: str) -> None:
    before = f"{KUBELET_HEADER}maxPods: 120\n"
    bench.good_node(before)
    for text in (f"{before}{empty}\n", before):  # set, then removed
        starts = bench.starts()
        source = bench.publish(text, trial=Trial(5.0, 3))
        bench.assign(source)
        bench.run(30)
        assert bench.words == ("True", f"using current (UID: {source.uid})", ALL_WELL)
        assert bench.reads() == text
        assert bench.starts() == starts + 1


@pytest.mark.contract("adopt.same-values")
@pytest.mark.parametrize("same", ["clusterDNS: []", "kubeReserved: {}", "cpuCFSQuota: true", "clusterDomain: null"])
def test_what_the_component_does_anyway_costs_no_restart(bench: Bench, same: str) -> None:
    before = f"{KUBELET_HEADER}maxPods: 120\n"
    bench.good_node(before)
    starts = bench.starts()
    source = bench.publish(f"{before}{same}\n", trial=Trial(5.0, 3))
    bench.assign(source)
    bench.run(30)
    assert bench.words == ("True", f"using current (UID: {source.uid})", ALL_WELL)
    assert bench.reads() == before
    assert bench.starts() == starts


@pytest.mark.contract("adopt.only-what-changed")
def test_a_rollback_to_an_absent_value_restarts_too(bench: Bench) -> None:
    before = f"{KUBELET_HEADER}maxPods: 120\n"
    good = bench.good_node(before)
    starts = bench.starts()
    bench.assign(bench.publish(f"{before}evictionHard: {{}}\nmood: sick\n"))
    bench.run(200)
    assert bench.reads() == before
    assert bench.status.active == good
    assert bench.starts() == starts + 2


@pytest.mark.contract("adopt.same-values")
def test_a_note_without_a_fingerprint_is_made_from_its_file(bench: Bench) -> None:
    good = bench.good_node("maxPods: 120\n")
    component = bench.directory / "state" / "components" / "kubelet"
    for path in component.glob("?" * 64 + ".json"):
        note = json.loads(path.read_text())
        del note["fingerprint"]
        path.write_text(json.dumps(note))
    starts = bench.starts()
    bench.restart_agent()
    bench.run(30)
    assert (bench.status.active, bench.starts()) == (good, starts)
    bench.assign(bench.publish("maxPods: 120\nevictionHard: {}\n"))
    bench.run(30)
    assert bench.starts() == starts + 1


@pytest.mark.contract("source.pinned-again")
def test_a_bundle_that_was_deleted_and_restored_is_pinned_again(bench: Bench) -> None:
    good = bench.good_node()
    starts = bench.starts()
    again = bench.publish("maxPods: 120\n", trial=Trial(5.0, 3))
    assert again.name == good.name
    assert again.uid != good.uid
    bench.assign(again)
    bench.run(5)
    assert bench.words == ("True", f"using current (UID: {again.uid})", ALL_WELL)
    assert bench.status.last_known_good == again
    assert bench.starts() == starts


@pytest.mark.complaint("MCO #1720: per-node values over a shared config")
@pytest.mark.contract("render.instance-config")
def test_the_instance_config_is_laid_over_the_bundle(tmp_path: Path) -> None:
    bench = Bench(tmp_path, instance="nodeLabels: {zone: a}\n")
    bench.run(5)
    bench.assign(bench.publish("maxPods: 120\nnodeLabels: {tier: b}\n"))
    bench.run(5)
    assert '"zone": "a"' in bench.reads()
    assert '"tier": "b"' in bench.reads()
    assert bench.words[0] == "True"


@pytest.mark.complaint("openshift-ansible #11007: an agent restart restarted kubelets with unchanged config")
@pytest.mark.contract("trial.goes-on")
def test_an_agent_that_restarts_restarts_and_says_nothing(bench: Bench) -> None:
    bench.run(5)
    source = bench.publish("maxPods: 120\n", trial=Trial(300.0, 3))
    bench.assign(source)
    bench.run(20)
    starts, messages_before = bench.starts(), len(bench.condition_messages)
    for _again in range(5):
        bench.restart_agent()
        bench.run(20)
    assert bench.starts() == starts
    assert len(bench.condition_messages) == messages_before


@pytest.mark.complaint("openshift-tools #4349: an API outage crashed the agent into mass restarts")
@pytest.mark.contract("condition.until-written")
def test_an_api_outage_changes_nothing_and_is_caught_up_with(bench: Bench) -> None:
    bench.run(5)
    source = bench.publish("maxPods: 120\n", trial=Trial(30.0, 3))
    bench.assign(source)
    bench.run(5)
    starts = bench.starts()
    bench.api.down = Unreachable("connection refused", where=f"PATCH nodes/{NODE}")
    bench.run(300)
    assert bench.starts() == starts
    bench.api.down = None
    bench.run(100)
    assert bench.words == ("True", f"using current (UID: {source.uid})", ALL_WELL)
    assert bench.status.last_known_good == source  # the trial continued without the API


@pytest.mark.contract("trial.goes-on", "trial.sums-health")
def test_trial_time_continues_across_a_reboot_and_counts_only_health(bench: Bench) -> None:
    bench.run(5)
    source = bench.publish("maxPods: 120\n", trial=Trial(300.0, 3))
    bench.assign(source)
    bench.run(200)
    bench.reboot()
    bench.run(80)
    before = bench.status
    assert before.in_trial
    bench.run(80)
    after = bench.status
    assert not after.in_trial
    assert bench.status.last_known_good == source


@pytest.mark.contract("trial.promotes-when-healthy", "trial.never-promotes-the-deadly")
def test_what_is_never_healthy_is_neither_confirmed_nor_promoted(bench: Bench) -> None:
    bench.run(5)
    source = bench.publish("mood: sick\n", trial=Trial(0.0, 3))  # over at once, but never healthy
    bench.assign(source)
    bench.run(100)
    messages = [message for _level, message, fields in bench.log if fields.get("uid") == source.uid]
    assert f"adopted {source.name} (UID: {source.uid})" in messages
    assert {"config healthy", "config promoted"} & set(messages) == set()
    assert bench.status.last_known_good is None


@pytest.mark.contract("trial.never-promotes-the-deadly")
def test_a_crashing_config_is_never_promoted(bench: Bench) -> None:
    bench.run(5)
    bench.assign(bench.publish("mood: deadly\n", trial=Trial(2.0, 10)))
    bench.run(120)
    assert bench.status.last_known_good is None
    assert bench.status.cause == "CrashLoop"
    assert bench.reads() == "maxPods: 110\n"
    assert bench.words[1] == "using last-known-good (init)"


@pytest.mark.contract("crash.not-by-an-administrator", "crash.what-counts")
def test_stops_by_an_administrator_do_not_count(bench: Bench) -> None:
    bench.good_node()
    source = bench.publish("maxPods: 130\n", trial=Trial(600.0, 0))
    bench.assign(source)
    bench.run(5)
    for _again in range(5):
        bench.stop("kubelet")
        bench.run(1)
        bench.start("kubelet")
        bench.run(3)
    bench.crash("kubelet", status="203")  # an exit code of systemd itself: the component never ran
    bench.run(10)
    assert bench.words == ("True", f"using current (UID: {source.uid})", ALL_WELL)
    bench.crash("kubelet")
    bench.run(10)
    assert bench.status.cause == "CrashLoop"


@pytest.mark.contract("adopt.one-transaction")
def test_a_bundle_is_rolled_back_as_a_whole(tmp_path: Path) -> None:
    bench = Bench(tmp_path, ("kubelet", "kube-proxy"))
    bench.good_node()
    proxies = bench.starts("kube-proxy")
    bench.assign(bench.publish(documents={"kubelet": "maxPods: 130\n", "kube-proxy": "mood: deadly\n"}))
    bench.run(1)
    starts = bench.starts("kubelet")
    bench.run(40, agent=False)
    assert bench.reads("kubelet") == bench.reads("kube-proxy") == "maxPods: 120\n"
    assert bench.starts("kube-proxy") == proxies + 4 + 1  # the start that decides on the rollback reads last-known-good
    assert bench.starts("kubelet") == starts  # the agent restarts it
    bench.run(10)
    assert bench.starts("kubelet") == starts + 1
    assert bench.status.cause == "CrashLoop"
    for name in bench.processes:
        last = bench.store.read_startups(name, "v1.35.0")[-1]
        assert bench.store.read_rendered(name, last.config) == b"maxPods: 120\n"


@pytest.mark.contract("adopt.only-what-changed", "bundle.unknown-component")
def test_only_what_changes_is_restarted_and_other_keys_are_ignored(tmp_path: Path) -> None:
    bench = Bench(tmp_path, ("kubelet", "kube-proxy"))
    bench.good_node()
    starts = bench.starts("kube-proxy")
    documents = {"kubelet": "maxPods: 130\n", "kube-proxy": "maxPods: 120\n", "kube-scheduler": "x: 1\n"}
    bench.assign(bench.publish(documents=documents))
    bench.run(10)
    assert bench.words[0] == "True"
    assert bench.starts("kube-proxy") == starts
    assert bench.status.ignored == ("kube-scheduler",)


@pytest.mark.contract("crashloop.forgotten")
def test_forgetting_tries_what_is_assigned_again(bench: Bench) -> None:
    bench.good_node()
    source = bench.publish("maxPods: 130\n", trial=Trial(600.0, 0))
    bench.assign(source)
    bench.run(5)
    bench.crash("kubelet")
    bench.run(10)
    assert bench.status.cause == "CrashLoop"
    assert forget_bad(bench.configuration, source.uid) == [source.uid]
    bench.run(10)
    assert bench.words == ("True", f"using current (UID: {source.uid})", ALL_WELL)


@pytest.mark.contract("condition.on-transitions", "manners.requests")
def test_an_idle_node_is_left_alone(bench: Bench) -> None:
    bench.good_node()
    due = bench.daemon.reconcile(annotations_of(bench.api.node))
    assert due - bench.clock.since_boot() > 300
    before = len(bench.api.requests)
    bench.run(6000)
    assert 8 <= len(bench.api.requests) - before <= 13  # a heartbeat about every ten minutes
    assert "lastTransitionTime" not in bench.api.patches[-1]["status"]["conditions"][0]


@pytest.mark.contract("trial.after-it")
def test_a_failed_probe_of_an_idle_node_is_reported_within_a_heartbeat(bench: Bench) -> None:
    """No hook reports that a component has changed without a restart, such as one that uses another content."""
    good, starts = bench.good_node(), bench.starts()
    bench.run(300)
    bench.processes["kubelet"].mood = "sick"
    bench.run(750)
    words = ("False", f"using current (UID: {good.uid}), which is failing", "kubelet: healthz: 500")
    assert bench.words == words
    bench.processes["kubelet"].mood = ""
    bench.run(30)
    assert bench.words == ("True", f"using current (UID: {good.uid})", ALL_WELL)
    assert bench.starts() == starts


@pytest.mark.contract("trial.after-it")
def test_failures_after_the_trial_are_reported_and_change_nothing(bench: Bench) -> None:
    good = bench.good_node()
    for _again in range(5):
        bench.crash("kubelet")
        bench.run(5)
    assert bench.words == (
        "False",
        f"using current (UID: {good.uid}), which is failing",
        "crashed more than 3 times within 10m",
    )
    assert bench.reads() == "maxPods: 120\n"
    bench.run(700)
    assert bench.words == ("True", f"using current (UID: {good.uid})", ALL_WELL)


def test_a_component_that_recovers_is_no_longer_reported_as_failing_whatever_else_is_wrong(bench: Bench) -> None:
    bench.good_node()
    bench.processes["kubelet"].mood = "sick"
    bench.crash("kubelet")
    bench.run(400)
    assert bench.status.components["kubelet"].state == "failing"
    bench.assign(bench.publish("mood: invalid\n"))
    bench.run(60)
    assert (bench.status.cause, bench.status.components["kubelet"].state) == ("InvalidConfig", "failing")
    bench.processes["kubelet"].mood = ""
    bench.run(60)
    assert (bench.status.cause, bench.status.components["kubelet"].state) == ("InvalidConfig", "healthy")


@pytest.mark.complaint("MCO #1443: deleting the bad config does not recover; stuck Degraded")
def test_assigning_last_known_good_after_a_failure_costs_no_restart(bench: Bench) -> None:
    good = bench.good_node()
    bench.assign(bench.publish("mood: deadly\n", trial=Trial(60.0, 0)))
    bench.run(30)
    assert bench.status.cause == "CrashLoop"
    starts = bench.starts()
    id = bench.assign(good)
    bench.run(5)
    assert bench.words == ("True", f"using current (UID: {good.uid})", ALL_WELL)
    assert (bench.status.assignment, bench.status.in_trial) == (id, False)
    assert bench.starts() == starts


@pytest.mark.contract("tracking.upgrade-retries-nothing", "tracking.under-the-version")
def test_a_failed_assignment_is_not_retried_because_the_component_was_upgraded(bench: Bench) -> None:
    bench.good_node()
    crashing = bench.publish("mood: deadly\n", trial=Trial(60.0, 0))
    bench.assign(crashing)
    bench.run(30)
    words = bench.words
    upgraded = bench.configuration.components["kubelet"]._replace(version="v1.36.0")
    bench.configuration = bench.configuration._replace(components={"kubelet": upgraded})
    bench.reboot()
    bench.run(30)
    assert bench.reads() == "maxPods: 120\n"
    assert bench.words == words
    bench.assign(crashing)  # assigned again: under the new version it is not marked bad
    bench.run(0.2)
    assert bench.words[1] == f"adopting (UID: {crashing.uid})"


@pytest.mark.contract("tracking.agent-upgrade")
def test_an_agent_upgrade_forgets_nothing(bench: Bench) -> None:
    bench.good_node()
    bench.assign(bench.publish("mood: deadly\n", trial=Trial(60.0, 0)))
    bench.run(30)
    words, starts = bench.words, bench.starts()
    bench.restart_agent()
    bench.run(30)
    assert (bench.words, bench.starts()) == (words, starts)


@pytest.mark.contract("restart.no-block", "probe.health-timeout")
def test_a_restart_that_never_happens_is_a_failure(bench: Bench) -> None:
    good = bench.good_node()
    source = bench.publish("maxPods: 130\n")
    bench.assign(source)
    bench.refuse_restarts = True
    restarts = len(bench.restarts)
    bench.run(25)
    assert len(bench.restarts) == restarts + 1
    bench.run(125)
    assert restarts + 3 <= len(bench.restarts) <= restarts + 6  # again after the deadline, not at each probe
    assert bench.reads() == "maxPods: 120\n"
    assert bench.words == (
        "False",
        f"using last-known-good (UID: {good.uid})",
        f"current (UID: {source.uid}) not healthy within 2m: kubelet: not restarted yet",
    )


@pytest.mark.contract("validate.own-check", "validate.only-once")
def test_the_components_own_check_refuses_without_a_restart(tmp_path: Path) -> None:
    bench = Bench(tmp_path, check_command=("/usr/bin/kubelet-check", "--config"))
    good = bench.good_node()
    current = bench.store.read_records().current
    assert current is not None
    assert [Path(path).name for path in bench.checked] == [f"{current.files['kubelet']}.yaml"]
    starts = bench.starts()
    bench.assign(bench.publish("mood: rejected\n"))
    bench.run(5)
    assert bench.words[:2] == ("False", f"using last-known-good (UID: {good.uid})")
    assert bench.words[2].endswith(": kubelet: refused by its own check: Error: I would not run with this")
    bench.assign(bench.status.assigned)
    bench.run(5)
    assert (bench.starts(), len(bench.checked)) == (starts, 2)  # nothing is checked twice
    bench.check_code = 127  # the check cannot be run: no verdict
    bench.assign(bench.publish("maxPods: 150\n"))
    bench.run(5)
    assert bench.status.cause == "FetchFailed"
    assert bench.words[2].endswith("the component's own check gave no verdict (exit 127): exit 127")
    bench.check_code = 0
    bench.run(60)
    assert bench.words[0] == "True"


@pytest.mark.contract("validate.own-check")
@pytest.mark.parametrize("code", [-9, 124, 137, 152], ids=["killed", "too slow", "killed in a shell", "CPU limit"])
def test_a_check_that_was_ended_gives_no_verdict_and_is_run_again(tmp_path: Path, code: int) -> None:
    bench = Bench(tmp_path, check_command=("/usr/bin/kubelet-check", "--config"))
    bench.good_node()
    bench.check_code = code
    bench.assign(bench.publish("maxPods: 150\n"))
    bench.run(5)
    assert bench.status.cause == "FetchFailed"
    bench.check_code = 0
    bench.run(60)
    assert bench.words[0] == "True"


def test_the_instance_config_is_read_once_for_each_preparation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It changes during validation: the rendered config is the validated one."""
    bench = Bench(tmp_path, instance="maxPods: 1\n")
    bench.good_node("podsPerCore: 1\n")
    path, validate, instance_configs = bench.configuration.components["kubelet"].instance_config, bench.validate, []

    def changes(component: str, text: str, version: str, *, inputs: Any = None, **options: Any) -> list[dict[str, Any]]:
        instance_configs.append(inputs.instance)
        Path(path).write_text("maxPods: 666\n")
        return validate(component, text, version, **options)

    monkeypatch.setattr(bench, "validate", changes)
    bench.restart_agent()
    bench.run(2)
    source = bench.publish("podsPerCore: 2\n")
    bench.assign(source)
    bench.run(10)
    assert bench.words[:2] == ("True", f"using current (UID: {source.uid})")
    assert instance_configs == ["maxPods: 1\n"]
    assert json.loads(bench.reads()) == {"podsPerCore": 2, "maxPods": 1}
