# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hard times for a node: annotations edited by hand, damaged files, outages in the middle of a change.

Nothing that runs is changed without an assignment, and the status is true.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._store._store import Store
from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import Unreachable
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle_trial import Trial
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.well_known import (
    ANNOTATION_ASSIGNMENT,
    ANNOTATION_CONFIG_SOURCE,
)
from support.agents.bench import Bench

pytestmark = pytest.mark.usefixtures("no_fsync")

ALL_WELL = "all checks passed"
AWAY = Unreachable("connection refused", where="PATCH nodes/n1")


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def damage(bench: Bench, *names: str) -> None:
    for name in names:
        path = bench.directory / "state" / name
        assert path.exists(), name
        path.write_bytes(b"{ torn")


# Annotations edited by hand


@pytest.mark.contract("source.absent-is-lost")
def test_a_source_taken_away_by_hand_after_an_invalid_one_unassigns_nothing(bench: Bench) -> None:
    good = bench.good_node()
    starts = bench.starts()
    bench.assign(good)
    annotations = bench.api.node["metadata"]["annotations"]
    annotations[ANNOTATION_CONFIG_SOURCE] = "{}"
    bench.run(5)
    del annotations[ANNOTATION_CONFIG_SOURCE]  # the assignment's id stays; it was answered already
    bench.run(5)
    assert bench.words == ("Unknown", f"using current (UID: {good.uid})", "assignment lost")
    assert bench.starts() == starts


def test_an_unassignment_that_was_cut_short_is_finished(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.good_node()
    for step in range(1, 4):
        good = bench.publish(f"maxPods: {130 + step}\n", trial=Trial(1.0, 3))
        bench.assign(good)
        bench.run(20)
        starts = bench.starts()
        writes = iter(range(step))
        files = bench.agent_store.files
        write = files.write

        def cut(path: str, data: bytes, *, _write: object = write, _writes: object = writes) -> None:
            if next(_writes, None) is None:  # type: ignore[call-overload]
                raise OSError(28, "No space left on device")
            _write(path, data)  # type: ignore[operator]

        monkeypatch.setattr(files, "write", cut)
        id = bench.assign(None)
        bench.run(0.1)
        monkeypatch.setattr(files, "write", write)
        bench.run(20)
        assert bench.words[1] == "using current (init)", step
        assert (bench.status.assignment, bench.status.last_known_good) == (id, None)
        assert bench.starts() == starts + 1


def test_unassigning_a_node_in_error_ends_the_error(bench: Bench) -> None:
    good = bench.good_node()
    bench.assign(bench.publish("mood: deadly\n", trial=Trial(60.0, 0)))
    bench.run(20)
    assert bench.words[1] == f"using last-known-good (UID: {good.uid})"
    id = bench.assign(None)
    bench.run(10)
    assert bench.words[:2] == ("True", "using current (init)")
    assert (bench.status.error, bench.status.assignment, bench.status.last_known_good) == ("", id, None)


def test_good_configs_are_adopted_again_after_a_crashing_one(bench: Bench) -> None:
    first = bench.good_node()
    bench.assign(bench.publish("mood: deadly\n", trial=Trial(60.0, 0)))
    bench.run(20)
    second = bench.publish("maxPods: 140\n", trial=Trial(5.0, 3))
    bench.assign(second)
    bench.run(20)
    assert bench.words == ("True", f"using current (UID: {second.uid})", ALL_WELL)
    assert bench.status.last_known_good == second
    starts = bench.starts()
    bench.assign(first)
    bench.run(20)
    assert bench.words == ("True", f"using current (UID: {first.uid})", ALL_WELL)
    assert bench.starts() == starts + 1


@pytest.mark.contract("source.absent-other-uid")
def test_a_node_registered_again_after_a_failure_speaks_of_what_it_uses_now(bench: Bench) -> None:
    bench.run(5)
    bench.assign(bench.publish("mood: invalid\n"))
    bench.run(5)
    bench.api.node["metadata"] = {"name": "n1", "uid": "another", "annotations": {}}
    bench.run(5)
    assert bench.words[:2] == ("True", "using current (init)")
    assert bench.status.cause == "Init"
    assert bench.status.assigned is None


def test_a_node_registered_again_gets_its_report_at_once_whatever_went_wrong_before(bench: Bench) -> None:
    bench.run(5)
    bench.api.down = AWAY
    bench.assign(bench.publish("maxPods: 121\n"))
    bench.run(900)
    bench.api.down = None
    bench.api.node["metadata"] = {"name": "n1", "uid": "another", "annotations": {}}
    before = len(bench.api.patches)
    bench.run(1)
    assert len(bench.api.patches) > before


def test_a_new_node_object_does_not_get_the_report_of_the_previous_one(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.assign(None)
    bench.run(5)
    assert bench.status.assignment == 1
    bench.api.node["metadata"] = {"name": "n1", "uid": "another", "annotations": {}}
    bench.stop("kubelet")
    bench.start("kubelet")
    before = len(bench.api.patches)
    bench.run(0.1)  # the health of the component is not known yet
    assert bench.api.patches[before:] == []
    bench.run(5)
    assert bench.status.assignment == 0


# Outages


@pytest.mark.parametrize("text", ["mood: deadly\n", "mood: sick\n"])
def test_a_failure_while_the_api_is_away_is_reported_when_it_is_back(bench: Bench, text: str) -> None:
    good = bench.good_node()
    bad = bench.publish(text)
    bench.assign(bad)
    bench.run(0.2)
    bench.api.down = AWAY
    bench.run(200)
    assert bench.reads() == "maxPods: 120\n"
    bench.api.down = None
    bench.run(100)
    assert bench.words[:2] == ("False", f"using last-known-good (UID: {good.uid})")
    assert bench.status.cause in ("CrashLoop", "NotHealthy")
    assert bench.status.assigned == bad


@pytest.mark.contract("rollback.without-daemon-and-api")
def test_a_crash_loop_with_daemon_and_api_away_is_reported_in_the_end(bench: Bench) -> None:
    good = bench.good_node()
    crashing = bench.publish("mood: deadly\n")
    bench.assign(crashing)
    bench.run(0.2)
    bench.api.down = AWAY
    bench.run(60, agent=False)
    bench.daemon = bench.new_daemon()
    bench.blind = True
    bench.run(30)
    bench.api.down = None
    bench.blind = False
    bench.run(10)
    assert bench.words == (
        "False",
        f"using last-known-good (UID: {good.uid})",
        f"current (UID: {crashing.uid}) crashed 4 times during its trial",
    )


@pytest.mark.contract("source.fetched-once")
def test_a_bundle_deleted_while_in_use_is_not_missed(bench: Bench) -> None:
    good = bench.good_node()
    bench.api.config_maps.clear()
    starts, requests = bench.starts(), len(bench.api.requests)
    bench.restart_agent()
    bench.run(30)
    bench.reboot()
    bench.run(30)
    assert bench.words == ("True", f"using current (UID: {good.uid})", ALL_WELL)
    assert bench.starts() == starts + 1
    assert not [request for request in bench.api.requests[requests:] if request.startswith("GET")]


# Damaged files


@pytest.mark.contract("trial.after-it", "store.damaged-is-set-aside")
def test_a_damaged_last_known_good_does_not_put_what_passed_its_trial_on_trial_again(bench: Bench) -> None:
    good = bench.good_node()
    bench.run(3600)
    damage(bench, "last-known-good")
    for _again in range(6):  # trouble after the trial is reported, and nothing is changed
        bench.crash("kubelet")
        bench.run(1.2, agent=False)
    assert bench.reads() == "maxPods: 120\n"
    bench.run(700)
    assert bench.reads() == "maxPods: 120\n"
    assert bench.status.active == bench.status.last_known_good == good


@pytest.mark.contract("store.damaged-is-set-aside", "source.at-start")
@pytest.mark.parametrize(
    "names",
    [
        ("current",),
        ("last-known-good",),
        ("assignment",),
        ("current", "last-known-good"),
        ("current", "last-known-good", "assignment"),
        ("kubelet-v1.35.0/startups",),
        ("components/kubelet/config.yaml",),
    ],
    ids="+".join,
)
@pytest.mark.parametrize("restart", [False, True], ids=["runs on", "component restarts"])
def test_damaged_files_end_on_what_is_assigned(bench: Bench, names: tuple[str, ...], restart: bool) -> None:
    good = bench.good_node()
    damage(bench, *names)
    if restart:
        bench.crash("kubelet")
        bench.run(5, agent=False)
    bench.run(900)
    status, message, reason = bench.words
    assert (status, message) == ("True", f"using current (UID: {good.uid})")
    assert bench.status.last_known_good == good
    assert bench.reads() == "maxPods: 120\n"
    assert ("was damaged and set aside" in reason) == (names[0] != "components/kubelet/config.yaml")


@pytest.mark.contract("store.damaged-is-set-aside")
def test_a_damaged_checkpoint_is_fetched_again(bench: Bench) -> None:
    good = bench.good_node()
    second = bench.publish("maxPods: 121\n", trial=Trial(5.0, 3))
    bench.assign(second)
    bench.run(20)
    damage(bench, f"checkpoints/{good.uid}")
    bench.assign(good)
    bench.run(20)
    assert bench.words[:2] == ("True", f"using current (UID: {good.uid})")


@pytest.mark.contract("crashloop.bad-stays-bad")
def test_damaged_bad_configs_do_not_bring_a_bad_config_back(bench: Bench) -> None:
    bench.good_node()
    bench.assign(bench.publish("mood: deadly\n", trial=Trial(60.0, 0)))
    bench.run(20)
    starts = bench.starts()
    damage(bench, "kubelet-v1.35.0/bad-configs")
    bench.restart_agent()
    bench.run(60)
    bench.reboot()
    bench.run(60)
    assert bench.starts() == starts + 1
    assert bench.status.cause == "CrashLoop"


def test_few_damaged_files_are_kept(bench: Bench) -> None:
    bench.good_node()
    for _again in range(10):
        damage(bench, "kubelet-v1.35.0/startups")
        bench.crash("kubelet")
        bench.run(30)
    assert len(list((bench.directory / "state" / "kubelet-v1.35.0").glob("startups.corrupt-*"))) == 3


def test_what_cannot_be_set_aside_is_remembered_once(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.good_node()
    damage(bench, "last-known-good")

    def read_only(*_names: str) -> None:
        raise OSError(30, "Read-only file system")

    store = bench.store
    monkeypatch.setattr(store.files, "rename", read_only)
    for _again in range(5):
        store.read_records()
    assert store.damaged == ["last-known-good"]


@pytest.mark.contract("adopt.only-what-changed")
def test_a_start_that_could_not_be_recorded_is_still_ended_by_a_change(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk kept from prestart what it would have written: what runs is known by the time of the switch."""
    bench.good_node()

    def full(*_arguments: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Store, "write_startups", full)
        bench.crash("kubelet")
        bench.run(5)
    starts = bench.starts()
    bench.restart_agent()
    bench.run(5)
    assert bench.starts() == starts  # the component reads the right config already
    bench.assign(None)
    bench.run(10)
    assert bench.starts() == starts + 1
    assert bench.words[:2] == ("True", "using current (init)")


# Opting out


@pytest.mark.contract("optout.uses-nothing")
def test_opting_out_brings_the_local_config_back(bench: Bench) -> None:
    good = bench.good_node()
    starts = bench.starts()
    bench.configure(dynamic_config=False)
    bench.run(10)
    assert bench.words[:2] == ("Unknown", "using the local config")
    assert bench.reads() == "maxPods: 110\n"  # as the status reports
    assert bench.starts() == starts + 1
    bench.configure(dynamic_config=True)
    bench.run(10)
    assert bench.words == ("True", f"using current (UID: {good.uid})", ALL_WELL)
    assert bench.reads() == "maxPods: 120\n"
    assert bench.starts() == starts + 2


def test_the_last_word_stands_when_an_id_is_given_twice(bench: Bench) -> None:
    good = bench.good_node()
    second = bench.publish("maxPods: 130\n")
    id = bench.status.assignment
    bench.assign(second, id=id)
    bench.run(5)
    assert bench.words == ("Unknown", f"using current (UID: {good.uid})", f"stale assignment {id}")
    assert bench.api.node["metadata"]["annotations"][ANNOTATION_ASSIGNMENT] == str(id)
