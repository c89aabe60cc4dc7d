# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import NotFound
from ansible_collections.configok.node.plugins.module_utils._kube.parallel import run_parallel
from support.session.patience import LONGEST_WAIT


def test_every_item_has_its_result_or_error() -> None:
    def function(number: int) -> int:
        if number % 3 == 0:
            raise NotFound(f"no {number}", status=404)
        return number * number

    done: dict[int, Any] = dict(run_parallel(function, range(100), workers=7))
    assert set(done) == set(range(100))
    assert all(
        isinstance(result, NotFound) if number % 3 == 0 else result == number * number
        for number, result in done.items()
    )


def test_results_come_as_they_are_done() -> None:
    first_may_end = threading.Event()

    def function(name: str) -> str:
        if name == "slow":
            assert first_may_end.wait(LONGEST_WAIT)
        return name

    results = run_parallel(function, ["slow", "quick"], workers=2)
    assert next(results) == ("quick", "quick")
    first_may_end.set()
    assert list(results) == [("slow", "slow")]


def test_items_are_begun_in_their_order() -> None:
    begun: list[int] = []
    list(run_parallel(begun.append, range(20), workers=1))
    assert begun == list(range(20))


def test_nothing_to_do() -> None:
    assert list(run_parallel(str, [])) == []


def test_at_most_as_many_calls_run_at_once_as_there_are_workers() -> None:
    lock = threading.Lock()
    now = most = 0

    def function(_item: int) -> None:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        time.sleep(0.002)
        with lock:
            now -= 1

    list(run_parallel(function, range(40), workers=4))
    assert 2 <= most <= 4


def test_closing_starts_nothing_more_and_waits_for_nothing() -> None:
    hang = threading.Event()
    begun: list[int] = []

    def function(item: int) -> int:
        begun.append(item)
        if item > 0:
            hang.wait(30)
        return item

    results = run_parallel(function, range(1000), workers=4)
    assert next(results) == (0, 0)
    began = time.monotonic()
    results.close()  # type: ignore[attr-defined]
    assert time.monotonic() - began < 10
    hang.set()
    assert len(begun) <= 5


@pytest.mark.parametrize("fault", [ZeroDivisionError, KeyboardInterrupt])
def test_an_unexpected_error_ends_the_work_and_is_raised(fault: type[BaseException]) -> None:
    begun: list[int] = []

    def function(item: int) -> None:
        begun.append(item)
        raise fault

    with pytest.raises(fault):
        list(run_parallel(function, range(1000), workers=2))
    assert len(begun) <= 4
