# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Blocking work runs in the background, and its end wakes the loop."""

from __future__ import annotations

import threading

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._background import BackgroundTask

LONG = 10.0


@pytest.fixture
def woken() -> threading.Event:
    return threading.Event()


@pytest.fixture
def task(woken: threading.Event) -> BackgroundTask:
    return BackgroundTask(woken.set)


def state(task: BackgroundTask) -> tuple[bool, bool]:
    return task.running, task.done


def test_the_end_of_the_work_wakes_and_its_result_can_be_taken_once(
    task: BackgroundTask, woken: threading.Event
) -> None:
    assert state(task) == (False, False)
    task.start(lambda: 7)
    assert woken.wait(LONG)
    assert state(task) == (True, True)
    assert task.result() == 7
    assert state(task) == (False, False)


def test_work_that_hangs_is_not_waited_for(task: BackgroundTask, woken: threading.Event) -> None:
    let_go = threading.Event()
    task.start(lambda: let_go.wait(LONG))
    assert state(task) == (True, False)
    let_go.set()
    assert woken.wait(LONG)
    assert task.done
    assert task.result() is True


def test_a_result_that_is_not_there_cannot_be_taken(task: BackgroundTask) -> None:
    with pytest.raises(RuntimeError, match="not done"):
        task.result()


def test_an_error_is_raised_where_the_result_is_taken(task: BackgroundTask, woken: threading.Event) -> None:
    task.start(lambda: 1 // 0)
    assert woken.wait(LONG)
    with pytest.raises(ZeroDivisionError):
        task.result()
    assert not task.running


def test_one_at_a_time_unless_it_is_abandoned(task: BackgroundTask, woken: threading.Event) -> None:
    let_go, second = threading.Event(), threading.Event()
    task.start(lambda: let_go.wait(LONG))
    with pytest.raises(RuntimeError, match="running"):
        task.start(lambda: 1)
    task.abandon()
    assert not task.running
    task.start(second.set)
    assert second.wait(LONG)
    assert woken.wait(LONG)
    assert task.done
    assert task.result() is None
    let_go.set()
