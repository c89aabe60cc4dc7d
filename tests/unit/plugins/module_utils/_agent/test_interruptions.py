# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Interruptions of the agent's work.

A stop after a rollback, another assignment while a fetch waits, a disk that is full for a while, another Node object
during a write, a note of another shape.
"""

from __future__ import annotations

import errno
import json
import uuid
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import ServerError
from support.agents.bench import Bench


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


@pytest.mark.parametrize("again", [False, True])
def test_a_rollback_is_reported_once_even_if_the_unit_is_stopped_afterwards(bench: Bench, again: bool) -> None:
    bench.good_node()
    bench.assign(bench.publish("mood: deadly\n"))
    bench.run(60)
    bench.stop("kubelet")
    bench.run(1 if again else 7200)
    if again:
        bench.start("kubelet")
        bench.run(10)
    assert bench.api.event_reasons.count("ConfigRolledBack") == 1
    assert bench.counters.rollbacks == 1


def test_another_assignment_waits_no_longer_than_the_api_has_asked(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.run(5)

    def too_many(*_arguments: Any, **_options: Any) -> Any:
        raise ServerError("slow down", status=429, retry_after=30.0)

    with monkeypatch.context() as busy:
        busy.setattr(bench.api, "get", too_many)
        bench.assign(bench.publish("maxPods: 130\n"))
        bench.run(1)
    bench.assign(bench.publish("maxPods: 140\n"))
    began, get = bench.clock.since_boot(), bench.api.get
    fetched = []

    def timed(*arguments: Any, **options: Any) -> Any:
        fetched.append(bench.clock.since_boot() - began)
        return get(*arguments, **options)

    monkeypatch.setattr(bench.api, "get", timed)
    bench.run(1000)
    assert bench.reads() == "maxPods: 140\n"
    assert fetched[0] < 40


def test_a_full_disk_while_a_bundle_is_fetched_is_reported_and_retried_with_back_off(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.run(5)

    def full(*_arguments: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as short:
        short.setattr(bench.agent_store, "write_checkpoint", full)
        bench.assign(bench.publish("maxPods: 130\n"))
        before = len(bench.api.requests)
        bench.run(3600)
        fetched = [request for request in bench.api.requests[before:] if request.startswith("GET")]
        assert len(fetched) <= 400  # every 12 s at most, with jitter
        condition = bench.api.patches[-1]["status"]["conditions"][0]
        assert condition["status"] == "Unknown"
        assert "No space left on device" in condition["reason"]
    bench.run(400)
    assert bench.reads() == "maxPods: 130\n"


def test_a_write_to_the_previous_node_object_does_not_count_for_the_new_one(bench: Bench) -> None:
    bench.run(20)
    bench.api.hanging = True
    bench.daemon.publisher.status_writer._heartbeat = 0.0
    bench.run(2)
    bench.api.hanging = False
    # The write has reached the old object, and its answer was not read yet.
    assert bench.daemon.publisher.status_writer._task.done
    bench.api.node = {"metadata": {"name": "n1", "uid": str(uuid.uuid4()), "annotations": {}}}
    before = len(bench.api.patches)
    bench.run(5)
    assert len(bench.api.patches) > before


def test_a_version_that_could_not_be_noted_is_noted_later(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    component = bench.configuration.components["kubelet"]._replace(version="")
    bench.version_of = lambda _name: "v1.35.0"
    bench.configure(components={"kubelet": component})
    bench.run(5)
    assert bench.store.tracking_version("kubelet", "") == "v1.35.0"
    bench.version_of = lambda _name: "v1.36.0"
    written = bench.agent_store.write_note

    def full(component: str, name: str, note: Any) -> None:
        if name == "version":
            raise OSError(errno.ENOSPC, "No space left on device")
        written(component, name, note)

    with monkeypatch.context() as short:
        short.setattr(bench.agent_store, "write_note", full)
        bench.crash("kubelet")
        bench.run(20)
    bench.run(20)
    assert bench.store.tracking_version("kubelet", "") == "v1.36.0"


@pytest.mark.parametrize(
    "note",
    [
        {"argv": "x"},
        {"argv": ["x"], "dropIns": [1]},
        {"argv": ["x"], "dropIns": {"a": 1}},
        {"fields": 1},
        {"state": {"a": "b"}},
        {"state": []},
    ],
    ids=json.dumps,
)
def test_a_note_of_another_shape_is_damaged_and_nothing_else(bench: Bench, note: dict[str, Any]) -> None:
    bench.good_node()
    bench.assign(bench.publish("maxPods: 130\n"))
    bench.run(2)
    paths = list((bench.directory / "state/components/kubelet").glob("*.json"))
    assert paths
    for path in paths:
        path.write_text(json.dumps(note))
    restarts = len(bench.restarts)
    bench.crash("kubelet")
    bench.run(100)
    assert bench.reads() == "maxPods: 130\n"
    assert len(bench.restarts) == restarts
