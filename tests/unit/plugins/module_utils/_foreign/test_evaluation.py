# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Patterns and expressions of others are evaluated within two seconds, and stop no other thread meanwhile."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from ansible_collections.configok.node.plugins.module_utils._foreign import InvalidText, evaluation
from ansible_collections.configok.node.plugins.module_utils._foreign.patterns import Pattern, parse_pattern

LONGEST = 20.0  # seconds of wall clock on a busy machine; the limit itself is two
GREEDY = Pattern('.*"status".*"green".*')
PAGE = '"status"' * 8000  # 64 kB; the search is cubic


@contextmanager
def a_ticking_thread() -> Iterator[list[float]]:
    """Run a thread that ticks; yield the longest pause between two ticks, as a list of one number."""
    longest, stop = [0.0], threading.Event()

    def tick() -> None:
        last = time.monotonic()
        while not stop.wait(0.02):
            now = time.monotonic()
            longest[0], last = max(longest[0], now - last), now

    thread = threading.Thread(target=tick)
    thread.start()
    try:
        yield longest
    finally:
        stop.set()
        thread.join()


def test_a_slow_search_ends_and_no_other_thread_waits_for_it() -> None:
    begun = time.monotonic()
    with a_ticking_thread() as longest, pytest.raises(InvalidText, match="it takes more than 2 s"):
        GREEDY.is_in(PAGE)
    assert time.monotonic() - begun < LONGEST
    assert longest[0] < 1.5


def test_the_next_search_is_not_affected() -> None:
    with pytest.raises(InvalidText):
        Pattern(r"(\w+\s?)+!").matching(["a" * 40])
    assert Pattern("o+k").is_in("look")
    assert not Pattern("o+k").is_in("no")


def test_a_pattern_matches_whole_names() -> None:
    assert Pattern("Kube.*|Node").matching(["KubeDown", "Node", "NodeDown", ""]) == {"KubeDown", "Node"}


@pytest.mark.parametrize("text", ["Kube(", "[", "*", "(?P<a>x)(?P<a>y)", "a{99999999999999}", "(" * 400])
def test_a_broken_pattern_is_refused(text: str) -> None:
    with pytest.raises(InvalidText):
        parse_pattern(text)


@pytest.mark.parametrize(
    "text",
    [
        "(?i)" + "[\0-\U0010ffff]" * 60,
        "(" * 90 + "a" + ")*" * 90,
        "(?:a?){200}" * 20,
        "(((a{1,99}){1,99}){1,99}){1,99}",
    ],
)
def test_a_pattern_does_not_take_long_to_compile(text: str) -> None:
    begun = time.monotonic()
    with a_ticking_thread() as longest:
        try:
            parse_pattern(text)
        except InvalidText:
            pass
    assert time.monotonic() - begun < LONGEST
    assert longest[0] < 1.5


def test_many_threads_search_at_the_same_time() -> None:
    with ThreadPoolExecutor(8) as threads:
        results = list(threads.map(lambda number: Pattern(f"n{number}\\b").is_in(f"n{number} n"), range(40)))
    assert results == [True] * 40


def test_a_child_that_was_killed_is_replaced() -> None:
    assert Pattern("a").is_in("a")
    for child in evaluation._idle:
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
    assert Pattern("a").is_in("a")


def test_without_an_interpreter_the_error_is_of_the_family(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluation, "_idle", [])
    monkeypatch.setattr(sys, "executable", "/missing/python")
    with pytest.raises(InvalidText, match="cannot be evaluated"):
        Pattern("a").is_in("a")


def test_a_process_that_was_forked_has_children_of_its_own() -> None:
    assert Pattern("a").is_in("a")
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writer, str(len(evaluation._idle)).encode())
        os._exit(0)
    os.close(writer)
    assert os.read(reader, 10) == b"0"
    os.close(reader)
    os.waitpid(child, 0)
