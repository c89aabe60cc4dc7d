# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Unusable files of the agent are reported, and nothing that runs is changed."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent import _controller
from ansible_collections.configok.node.plugins.module_utils._agent._cli import describe_node, render_status
from ansible_collections.configok.node.plugins.module_utils._agent._store._durable_files import LockTimeout
from ansible_collections.configok.node.plugins.module_utils._agent._store._file_errors import directory_faults
from support.agents.bench import Bench

Refusal = dict[str, "OSError | None"]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


@pytest.fixture
def refusal(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Iterator[Refusal]:
    """The error of each open() in the state directory, as root without its capabilities gets it."""
    real, answer = os.open, Refusal(error=None)

    def refused(path: str, *arguments: int, **options: int) -> int:
        error = answer["error"]
        if error is not None and str(path).startswith(bench.configuration.state_directory):
            raise type(error)(error.errno, error.strerror, path)
        return real(path, *arguments, **options)

    monkeypatch.setattr(os, "open", refused)
    monkeypatch.setattr(os, "fsync", lambda _descriptor: None)
    yield answer
    answer["error"] = None


def close(refusal: Refusal, number: int = errno.EACCES) -> None:
    """Make the state directory unusable from now on."""
    refusal["error"] = OSError(number, os.strerror(number))


@pytest.mark.contract("condition.files-unusable")
@pytest.mark.parametrize("number", [errno.EACCES, errno.EROFS, errno.EIO], ids=["mode", "read-only", "broken"])
def test_unusable_files_are_reported_and_a_new_assignment_is_answered(
    bench: Bench, refusal: Refusal, number: int
) -> None:
    good = bench.good_node()
    close(refusal, number)
    source = bench.publish("maxPods: 130\n")
    id = bench.assign(source)
    bench.run(20)
    assert bench.words == (
        "Unknown",
        f"using current (UID: {good.uid})",
        f"cannot use this node's own files: {bench.store.lock}: {os.strerror(number)}",
    )
    status = bench.status
    assert (status.assignment, status.assigned, status.active, status.cause) == (id, source, good, "FilesUnusable")
    assert status.error == bench.words[2]
    messages = [message for _level, message, _fields in bench.log if message.startswith("the agent's own files")]
    assert len(messages) == 1, "one line for each kind of trouble, not one for each attempt"
    refusal["error"] = None
    bench.run(20)
    assert bench.words[:2] == ("True", f"using current (UID: {source.uid})")


@pytest.mark.contract("condition.files-unusable")
def test_an_agent_that_starts_without_its_files_says_so(bench: Bench, refusal: Refusal) -> None:
    good = bench.good_node()
    close(refusal)
    bench.daemon = bench.new_daemon()
    id = bench.assign(bench.publish("maxPods: 130\n"))
    bench.run(20)
    assert bench.words[:2] == ("Unknown", f"using current (UID: {good.uid})")  # as the Node itself knows it
    assert bench.status.assignment == id
    report = describe_without(refusal, bench)["daemon"]["report"]
    assert report["configOK"]["cause"] == "FilesUnusable"


def describe_without(refusal: Refusal, bench: Bench) -> dict[str, dict[str, dict[str, dict[str, str]]]]:
    """Return the output of `status`, which runs with all of root's capabilities."""
    before, refusal["error"] = refusal["error"], None
    try:
        return describe_node(bench.configuration)
    finally:
        refusal["error"] = before


def test_a_node_that_never_said_anything_says_that_nothing_is_known(bench: Bench, refusal: Refusal) -> None:
    close(refusal)
    bench.assign(bench.publish("maxPods: 130\n"))
    bench.run(20)
    assert bench.words[:2] == ("Unknown", "config in use unknown")


def test_a_momentary_failure_is_not_reported(bench: Bench, refusal: Refusal) -> None:
    bench.good_node()
    written = len(bench.api.patches)
    close(refusal, errno.ENOSPC)
    bench.daemon.components.probe_soon()
    bench.run(3)
    refusal["error"] = None
    bench.run(20)
    assert len(bench.api.patches) == written


@pytest.mark.contract("condition.files-unusable")
def test_a_held_lock_is_soon_tried_again_and_reported_when_that_lasts(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.good_node()
    waits: list[float] = []

    @contextlib.contextmanager
    def held(path: str, *, wait: float) -> Iterator[None]:
        waits.append(wait)
        if path:
            raise LockTimeout(f"{path} is held by another process")
        yield

    with monkeypatch.context() as patch:
        patch.setattr(_controller, "locked", held)
        bench.daemon.components.probe_soon()
        bench.run(4)
        assert len(waits) >= 8, "tried again every half second"
        assert set(waits) == {0.2}, "the loop does not wait for long"
        assert bench.words[0] == "True"
        assert not any(message.startswith("the agent's own files") for _level, message, _fields in bench.log)
        bench.run(4)
        assert bench.words[2] == f"cannot use this node's own files: {bench.store.lock} is held by another process"
    bench.run(20)
    assert bench.words[0] == "True"


@pytest.mark.contract("condition.files-unusable")
def test_status_reports_a_directory_that_the_agent_cannot_use(bench: Bench, tmp_path: Path) -> None:
    bench.good_node()
    assert describe_node(bench.configuration)["faults"] == []
    state = Path(bench.configuration.state_directory)
    state.chmod(0)
    try:
        if os.geteuid():
            return  # only root can inspect the directory
        description = describe_node(bench.configuration)
    finally:
        state.chmod(0o700)
    assert description["faults"] == [f"{state} has mode 0000, the agent needs 0700"]
    text = " ".join(render_status(description).split())
    assert "has mode 0000, the agent needs 0700" in text
    assert "nothing, until the agent can use its own files" in text
    assert "give the agent its files back" in text


def test_the_wrong_owner_below_the_directory_is_a_fault(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    state = Path(bench.configuration.state_directory)
    (state / "checkpoints").mkdir(exist_ok=True)
    own = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: own + 1)
    assert f"{state}/checkpoints belongs to uid {own}, not to uid {own + 1}" in directory_faults(str(state))


def test_a_directory_that_does_not_exist_yet_is_not_reported(tmp_path: Path) -> None:
    assert directory_faults(str(tmp_path / "nothing")) == []
