# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A process of an older Pod that keeps its component's port is ended, and no process that the kubelet still ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._left_over_pods import LeftOverPods, signal_sender
from ansible_collections.configok.node.plugins.module_utils._agent._pod_files import PodFiles, PodProcess, PodRun
from support.session.patience import LONGEST_WAIT

COMPONENT = "kube-apiserver"
OLD = PodRun("old", 0, 100.0, PodProcess(11, 50.0))
IN_USE = "failed to listen on 0.0.0.0:6443: bind: address already in use"
GRACE = 30.0
REPLACED_AT = 58.0  # the manifest, in seconds since boot


class Node:
    """A node whose newer Pod ends again and again. sent: the signals to each process."""

    def __init__(self, reason: str = IN_USE) -> None:
        self.sent: list[tuple[int, int]] = []
        self.reason = reason
        self.now = 1000.0
        self.replaced_at = REPLACED_AT
        self.left_overs = LeftOverPods(lambda process, number: self.sent.append((process.pid, number)))

    def check(self, attempt: int, *, after: float, process: PodProcess | None = None, old: PodRun | None = OLD) -> str:
        """Return why the newer Pod is not judged. after: seconds since the check before."""
        self.now += after
        run = PodRun("new", attempt, 200.0, process)
        runs = [run] if old is None else [old, run]
        return self.left_overs.end(
            COMPONENT,
            run,
            runs,
            replaced_at=self.replaced_at,
            grace=GRACE,
            now=self.now,
            ending_reason=lambda _start: self.reason,
        )


def test_it_is_asked_to_end_and_killed_if_it_does_not() -> None:
    node = Node()
    node.check(0, after=0)
    node.check(1, after=59)
    assert node.sent == [], "the kubelet may be ending it"
    node.check(1, after=1)
    assert node.sent == [(11, signal.SIGTERM)]
    node.check(2, after=29)
    assert len(node.sent) == 1
    node.check(2, after=1)
    assert node.sent[1:] == [(11, signal.SIGKILL)]


def test_the_new_pod_is_not_judged_once_the_old_one_should_have_ended() -> None:
    node = Node()
    assert [node.check(attempt, after=after) for attempt, after in ((0, 0), (1, 29))] == ["", ""]
    assert node.check(1, after=0.5, process=PodProcess(12, 60.0)) == "", "it runs"
    reason = "kube-apiserver of an older Pod (pid 11) keeps its port, and the kubelet does not end it"
    assert node.check(2, after=0.5) == reason
    assert node.check(3, after=60) == node.check(3, after=1) == reason, "it was asked to end, and has not ended"
    assert node.check(4, after=1, old=None) == ""


def test_a_pod_that_the_kubelet_does_not_start_again_has_no_claim() -> None:
    """Its directory may look newer than it is: the kubelet removes old logs there."""
    node = Node()
    node.check(3, after=0)
    node.check(3, after=3600)
    assert node.sent == []


@pytest.mark.parametrize("reason", ["", "Error: unknown flag: --x"])
def test_a_pod_that_ends_for_another_reason_has_no_claim(reason: str) -> None:
    node = Node(reason)
    node.check(0, after=0)
    node.check(5, after=3600)
    assert node.sent == []


def test_a_pod_that_runs_has_its_port() -> None:
    node = Node()
    node.check(0, after=0)
    node.check(1, after=3600, process=PodProcess(12, 60.0))
    assert node.sent == []


def test_a_new_pod_that_is_seen_while_it_runs_for_a_moment_has_still_no_port() -> None:
    node = Node()
    node.check(0, after=0)
    node.check(1, after=30, process=PodProcess(12, 60.0))
    node.check(1, after=1)
    assert node.sent == []
    node.check(2, after=40)
    assert node.sent == [(11, signal.SIGTERM)]


def test_a_process_that_ends_in_its_time_gets_no_signal() -> None:
    node = Node()
    node.check(0, after=0)
    node.check(1, after=30, old=None)
    node.check(2, after=3600, old=None)
    assert node.sent == []


def test_another_process_has_a_time_of_its_own() -> None:
    node = Node()
    node.check(0, after=0)
    node.check(1, after=59, old=OLD._replace(process=PodProcess(13, 55.0)))
    node.check(2, after=1, old=OLD._replace(process=PodProcess(13, 55.0)))
    assert node.sent == []


def test_a_process_of_the_present_manifest_is_not_left_over() -> None:
    """A copy of the manifest in the same folder is another Pod of the same name, and ends again and again."""
    node = Node()
    node.replaced_at = 49.0
    assert [node.check(attempt, after=3600) for attempt in range(3)] == ["", "", ""]
    assert node.sent == []


def test_a_process_that_cannot_be_ended_is_named_and_asked_again_later() -> None:
    node = Node()

    def refuse(process: PodProcess, number: int) -> None:
        node.sent.append((process.pid, number))
        raise PermissionError(1, "Operation not permitted")

    node.left_overs = LeftOverPods(refuse)
    node.check(0, after=0)
    assert "keeps its port" in node.check(1, after=60)
    assert "keeps its port" in node.check(1, after=1)
    assert node.sent == [(11, signal.SIGTERM)]


def test_a_component_that_is_forgotten_is_observed_from_scratch() -> None:
    node = Node()
    node.check(0, after=0)
    node.left_overs.forget(COMPONENT)
    node.check(1, after=3600)
    assert node.sent == []


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    yield process
    process.kill()
    process.wait()


def started(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[19]) / os.sysconf("SC_CLK_TCK")


def test_the_signal_reaches_the_process_that_was_seen(sleeper: subprocess.Popen[bytes]) -> None:
    send = signal_sender(PodFiles().is_running)
    send(PodProcess(sleeper.pid, started(sleeper.pid) - 1), signal.SIGKILL)  # one before it, of the same number
    time.sleep(0.1)
    assert sleeper.poll() is None
    send(PodProcess(sleeper.pid, started(sleeper.pid)), signal.SIGTERM)
    assert sleeper.wait(LONGEST_WAIT) == -signal.SIGTERM
    send(PodProcess(sleeper.pid, 1.0), signal.SIGTERM)  # it has gone


def test_a_kernel_without_handles_of_processes_sends_the_signal_by_number(
    sleeper: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_pid: int) -> int:
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr(os, "pidfd_open", refuse)
    send = signal_sender(PodFiles().is_running)
    send(PodProcess(sleeper.pid, started(sleeper.pid) - 1), signal.SIGKILL)
    time.sleep(0.1)
    assert sleeper.poll() is None
    send(PodProcess(sleeper.pid, started(sleeper.pid)), signal.SIGTERM)
    assert sleeper.wait(LONGEST_WAIT) == -signal.SIGTERM
