# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Single sentences of the contract that no other test of the whole cycle proves, each on a bench."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._cli import forget_bad
from ansible_collections.configok.node.plugins.module_utils._agent._interfaces import ServiceManagerError
from ansible_collections.configok.node.plugins.module_utils._agent._state.health import ProbeResult, Unit
from ansible_collections.configok.node.plugins.module_utils._agent._store._durable_files import locked
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import ConfigSource
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle_trial import Trial
from support.agents.bench import Bench

pytestmark = pytest.mark.usefixtures("no_fsync")

ALL_WELL = "all checks passed"


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


# Files


@pytest.mark.contract("files.checkpoint-is-whole")
def test_a_checkpoint_is_the_whole_object(bench: Bench) -> None:
    good = bench.good_node()
    document = json.loads((bench.directory / "state" / "checkpoints" / good.uid).read_bytes())
    assert (document["apiVersion"], document["kind"]) == ("v1", "ConfigMap")
    assert {**bench.api.config_maps[good.name], "apiVersion": "v1", "kind": "ConfigMap"} == document


@pytest.mark.contract("files.uid-before-a-name")
@pytest.mark.parametrize("uid", ["../current", "a/b", "", "00000000-0000-0000-0000-00000000000g", "0" * 37])
def test_text_that_is_not_a_uid_never_names_a_file(bench: Bench, uid: str) -> None:
    for use in (bench.store.read_checkpoint, lambda source: bench.store.write_checkpoint(source, {})):
        with pytest.raises(ValueError, match="is not a uid"):
            use(ConfigSource("configok-system", "pool", uid))
    before = sorted(str(path) for path in bench.directory.rglob("*"))
    assert not [path for path in before if "checkpoints/" in path]


@pytest.mark.contract("store.old-checkpoints-go")
def test_old_checkpoints_go_but_not_those_in_use(bench: Bench) -> None:
    good = bench.good_node()
    for number in range(12):  # each checkpointed, none of them good
        bench.assign(bench.publish(f"mood: deadly\nmaxPods: {number}\n", trial=Trial(60.0, 0)))
        bench.run(10)
    current = bench.publish("maxPods: 300\n", trial=Trial(600.0, 3))
    bench.assign(current)
    bench.run(10)
    names = {path.name for path in (bench.directory / "state" / "checkpoints").iterdir()}
    assert {good.uid, current.uid} <= names
    assert len(names) == bench.configuration.checkpoints_kept


@pytest.mark.contract("time.since-boot")
def test_a_wall_clock_that_jumps_changes_no_duration(bench: Bench) -> None:
    bench.run(5)
    source = bench.publish("maxPods: 120\n", trial=Trial(300.0, 3))
    bench.assign(source)
    bench.run(100)
    for seconds in (86400.0, -500_000.0, 7200.0):
        bench.clock.jump(seconds)
        bench.run(50)
        assert bench.status.in_trial
        assert bench.words[0] == "True"
    bench.run(60)
    assert bench.status.last_known_good == source
    assert bench.starts() == 2


# The store's lock


@pytest.mark.contract("lock.store-is-brief")
def test_the_store_is_free_whenever_something_is_asked_restarted_or_probed(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def free(function: Any) -> Any:
        def whatever(*arguments: Any, **options: Any) -> Any:
            with locked(bench.store.lock, wait=0.0):
                calls.append(function.__name__)
            return function(*arguments, **options)

        return whatever

    calls: list[str] = []
    for name in ("get", "patch", "create"):
        monkeypatch.setattr(bench.api, name, free(getattr(bench.api, name)))
    for name in ("probe", "restart", "unit", "validate"):
        monkeypatch.setattr(bench, name, free(getattr(bench, name)))
    bench.restart_agent()
    bench.good_node()
    bench.assign(bench.publish("mood: deadly\n"))
    bench.run(30)
    assert bench.status.cause == "CrashLoop"
    assert {"get", "patch", "create", "probe", "restart", "unit", "validate"} <= set(calls)


# The config source


@pytest.mark.contract("source.absent-same-config")
def test_unassigning_what_equals_the_init_config_restarts_nothing(tmp_path: Path) -> None:
    bench = Bench(tmp_path, init="maxPods: 110\n")
    bench.good_node("maxPods:   110\n")
    starts = bench.starts()
    bench.assign(None)
    bench.run(10)
    assert bench.words[:2] == ("True", "using current (init)")
    assert bench.starts() == starts == 1


# Adopting


@pytest.mark.contract("adopt.dropped-component")
@pytest.mark.parametrize("init", ["mood: sick\n", "mood: deadly\n"])
def test_a_component_that_a_bundle_drops_is_on_trial_with_its_init_config(tmp_path: Path, init: str) -> None:
    bench = Bench(tmp_path, ("kubelet", "kube-proxy"), init=init)
    good = bench.good_node()
    drops = bench.publish(documents={"kubelet": "maxPods: 130\n"})
    bench.assign(drops)
    bench.run(1)
    assert bench.reads("kube-proxy") == init
    bench.restart_agent()
    bench.run(160)
    assert bench.reads("kubelet") == bench.reads("kube-proxy") == "maxPods: 120\n"
    assert bench.words[:2] == ("False", f"using last-known-good (UID: {good.uid})")
    assert bench.status.components["kube-proxy"].state == "healthy"
    assert drops.uid in bench.store.read_bad_configs("kube-proxy", "v1.35.0")


@pytest.mark.contract("adopt.dropped-component")
def test_a_component_that_was_in_no_bundle_fails_none(tmp_path: Path) -> None:
    bench = Bench(tmp_path, ("kubelet", "kube-proxy"))
    bench.processes["kube-proxy"].mood = "sick"
    source = bench.publish(documents={"kubelet": "maxPods: 130\n"}, trial=Trial(60.0, 3))
    bench.assign(source)
    bench.run(300)
    assert bench.words[:2] == ("True", f"using current (UID: {source.uid})")


@pytest.mark.contract("adopt.shutdown")
def test_a_restart_that_a_shutdown_cancels_is_not_a_failure_of_the_config(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.good_node()
    source = bench.publish("maxPods: 130\n", trial=Trial(60.0, 3))
    bench.assign(source)
    bench.refuse_restarts = True  # the job is cancelled
    bench.run(0.02)
    messages_before = len(bench.condition_messages)

    def shuts_down(component: str) -> Unit:
        raise ServiceManagerError(f"the system shuts down: nothing is known of {component}.service")

    with monkeypatch.context() as down:
        down.setattr(bench, "unit", shuts_down)
        bench.stop("kubelet")
        bench.run(300)
    assert bench.condition_messages[messages_before:] == []
    bench.refuse_restarts = False
    bench.reboot()
    bench.run(20)
    assert bench.words == ("True", f"using current (UID: {source.uid})", ALL_WELL)


@pytest.mark.contract("adopt.stopped-unit")
def test_a_masked_unit_that_still_runs_is_left_alone(bench: Bench) -> None:
    bench.good_node()
    starts = bench.starts()
    bench.processes["kubelet"].state = "masked"
    source = bench.publish("maxPods: 130\n")
    bench.assign(source)
    bench.run(200)
    assert bench.words == (
        "Unknown",
        f"current (UID: {source.uid}) not in use",
        "kubelet.service is masked: it runs with the config before, and is not restarted",
    )
    assert bench.reads() == "maxPods: 130\n"
    assert bench.starts() == starts
    assert bench.restarts.count("kubelet") == 1  # with last-known-good


# Trial, crash loop


@pytest.mark.contract("trial.promotes-at-its-end")
def test_promotion_comes_with_the_end_of_the_trial(bench: Bench) -> None:
    bench.run(5)
    source = bench.publish("maxPods: 120\n", trial=Trial(60.0, 3))
    bench.assign(source)
    bench.run(59)
    assert bench.store.read_records().last_known_good != bench.store.read_records().current
    bench.run(3)
    assert bench.status.last_known_good == source
    assert bench.starts() == 2


@pytest.mark.contract("crashloop.probed-before-reported")
def test_a_rollback_is_reported_only_once_the_component_is_healthy(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = bench.good_node()
    went_back = f"using last-known-good (UID: {good.uid})"
    bench.assign(bench.publish("mood: deadly\n", trial=Trial(60.0, 0)))

    def slow(component: str, effective: Mapping[str, Any], unit: Unit) -> ProbeResult:
        return ProbeResult(False, "healthz: connection refused")

    bench.run(0.1)
    probe = bench.probe
    monkeypatch.setattr(bench, "probe", slow)
    bench.run(20)
    assert bench.reads() == "maxPods: 120\n"
    assert went_back not in bench.condition_messages
    monkeypatch.setattr(bench, "probe", probe)
    bench.run(20)
    assert bench.words[1] == went_back


@pytest.mark.contract("crashloop.suspect", "crashloop.no-flapping")
# In seconds. Never healthy: a thousand starts; healthy for a while: an hour.
@pytest.mark.parametrize(("lives", "watched"), [(0.3, 600), (90.0, 3600)])
def test_last_known_good_that_crashes_too_is_suspect_and_nothing_flaps(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, lives: float, watched: float
) -> None:
    good = bench.good_node()
    source = bench.publish("maxPods: 130\n", trial=Trial(600.0, 2))
    bench.assign(source)
    bench.run(5)
    start = Bench.start

    def dies(self: Bench, component: str) -> None:  # with any config, as on a full disk
        start(self, component)
        self._later(component, lives, lambda: self.crash(component))

    with monkeypatch.context() as trouble:
        trouble.setattr(Bench, "start", dies)
        bench.crash("kubelet")
        bench.run(900)
        messages_before = len(bench.condition_messages)
        bench.run(watched)
    assert bench.words == (
        "False",
        f"using last-known-good (UID: {good.uid}), which is failing",
        f"current (UID: {source.uid}) and last-known-good both fail: cause may lie elsewhere",
    )
    assert set(bench.condition_messages[messages_before:]) <= {bench.words[1]}  # heartbeats
    assert bench.reads() == "maxPods: 120\n"
    assert bench.store.read_bad_configs("kubelet", "v1.35.0") == {}
    bench.run(600)
    assert bench.words[1] == f"using current (UID: {source.uid})"


@pytest.mark.contract("crashloop.counts-since")
def test_the_init_config_is_not_blamed_for_the_crashes_of_the_config_before(bench: Bench) -> None:
    bench.good_node()
    for _again in range(2):
        bench.crash("kubelet")
        bench.run(5)
    bench.assign(None)
    bench.run(10)
    assert bench.node_state().crashes == {"kubelet": 0}
    bench.crash("kubelet")
    bench.run(5)
    assert bench.node_state().crashes == {"kubelet": 1}


# The component's version


@pytest.mark.contract("tracking.under-the-version", "tracking.upgrade-retries-nothing")
def test_an_upgrade_under_a_running_config_restarts_nothing_and_misses_no_crash(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    installed = {"kubelet": "v1.35.0"}
    kubelet = bench.configuration.components["kubelet"]._replace(version="")
    bench.version_of = lambda component: installed[component]
    bench.configure(components={"kubelet": kubelet})
    good = bench.good_node()
    source = bench.publish("maxPods: 130\n", trial=Trial(600.0, 0))
    bench.assign(source)
    bench.run(10)
    starts = bench.starts()
    installed["kubelet"] = "v1.36.1"
    bench.stop("kubelet")  # by the package
    bench.start("kubelet")
    bench.run(30)
    assert bench.starts() == starts + 1
    assert bench.words == ("True", f"using current (UID: {source.uid})", ALL_WELL)
    assert bench.status.in_trial
    assert bench.status.components["kubelet"].version == "v1.36.1"
    bench.crash("kubelet")  # of the start that was recorded before the version was known
    bench.run(10)
    assert bench.words[1] == f"using last-known-good (UID: {good.uid})"
    assert source.uid in bench.store.read_bad_configs("kubelet", "v1.36.1")
    assert bench.store.read_bad_configs("kubelet", "v1.35.0") == {}


# The init config, opting out


@pytest.mark.contract("init.warnings-once")
def test_findings_on_the_init_config_are_logged_once(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def strict(
        component: str, text: str, version: str, *, as_bundle: bool, host_only: bool = False, inputs: object = None
    ) -> list[dict[str, Any]]:
        return [{"path": "maxPod", "message": "is an unknown field", "level": "strict"}]

    monkeypatch.setattr(bench, "validate", strict)
    bench.restart_agent()
    for _again in range(5):
        bench.run(20)
        bench.crash("kubelet")
    bench.run(20)
    assert bench.processes["kubelet"].refused == 0
    entries = [entry for entry in bench.log if "the init config: is an unknown field" in entry[1]]
    assert [entry[0] for entry in entries] == ["warning"]


def test_what_was_not_judged_is_a_warning_for_each_cause_and_stops_nothing(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cause has several places. Neither rounds of the loop nor the same assignment again are news."""

    def doubtful(_component: str, text: str, version: str, **_options: Any) -> list[dict[str, Any]]:
        causes = ["gates of Kubernetes 1.38: x", "flags of Kubernetes 1.38: y"]
        return [{"path": "a", "message": cause, "level": "not-judged"} for cause in (*causes, *causes)]

    def warnings() -> list[str]:
        return [text for level, text, *_more in bench.log if level == "warning" and "not judged" in text]

    bench.restart_agent()
    monkeypatch.setattr(bench, "validate", doubtful)
    bench.restart_agent()
    bench.run(20)
    causes = ["not judged: gates of Kubernetes 1.38: x", "not judged: flags of Kubernetes 1.38: y"]
    assert warnings() == [f"the init config: {cause}" for cause in causes]
    for number, document in enumerate(("maxPods: 130\n", "maxPods: 140\n"), 1):
        source = bench.publish(documents={"kubelet": document})
        for _again in range(2):
            bench.assign(source)
            bench.run(60)
            assert bench.condition["status"] == "True"
        assert warnings()[2:] == causes * number


@pytest.mark.contract("optout.not-dynamic")
@pytest.mark.parametrize("turned_on", [True, False])
def test_no_bundle_turns_it_on_or_off(tmp_path: Path, turned_on: bool) -> None:
    bench = Bench(tmp_path, dynamic_config=turned_on)
    own = f"kind: AgentConfiguration\ndynamicConfig: {str(not turned_on).lower()}\n"
    bench.assign(bench.publish(documents={"kubelet": "maxPods: 130\n", "configok-agent": own}))
    bench.run(20)
    bench.restart_agent()
    bench.run(20)
    assert bench.reads() == ("maxPods: 130\n" if turned_on else "maxPods: 110\n")
    assert bench.words[0] == ("True" if turned_on else "Unknown")


@pytest.mark.contract("trial.goes-on")
def test_a_config_that_is_assigned_again_during_its_trial_continues_it(bench: Bench) -> None:
    source = bench.publish("maxPods: 120\n", trial=Trial(300.0, 3))
    for _again in range(6):
        bench.assign(source)
        bench.run(40)
        assert bench.status.in_trial
    bench.run(80)
    assert not bench.status.in_trial
    assert (bench.status.last_known_good, bench.status.assignment) == (source, 6)


@pytest.mark.contract("crashloop.forgotten", "crashloop.bad-stays-bad")
def test_one_that_is_forgotten_leaves_the_others_bad(bench: Bench) -> None:
    bench.good_node()
    sources = [bench.publish(f"mood: deadly\nmaxPods: {number}\n", trial=Trial(60.0, 0)) for number in (1, 2)]
    for source in sources:
        bench.assign(source)
        bench.run(20)
    assert forget_bad(bench.configuration, sources[0].uid) == [sources[0].uid]
    starts = bench.starts()
    bench.assign(sources[1])
    bench.run(20)
    assert (bench.status.cause, bench.starts()) == ("KnownBad", starts)
    bench.assign(sources[0])
    bench.run(20)
    assert bench.status.cause == "CrashLoop"
