# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The service manager in the background: nothing waits for it, and no answer is treated as that to another query."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._components import UnitQuery
from ansible_collections.configok.node.plugins.module_utils._agent._interfaces import ServiceManagerError
from ansible_collections.configok.node.plugins.module_utils._agent._state.health import Unit, UnitState
from support.agents.background import Hangs, InlineTask
from support.agents.bench import Bench
from support.agents.log_lines import LogLine, record_log

pytestmark = pytest.mark.usefixtures("no_fsync")


class Services:
    """A service manager that hangs or refuses on demand. queries: how often it was queried."""

    def __init__(self) -> None:
        self.hangs = False
        self.refuses = False
        self.queries = 0
        self.state: UnitState = "active"

    def unit(self, component: str) -> Unit:
        if self.hangs:
            raise Hangs
        self.queries += 1
        if self.refuses:
            raise ServiceManagerError("refused")
        return Unit(f"{component}.service", self.state)

    def restart(self, component: str) -> bool:
        raise NotImplementedError


@pytest.fixture
def services() -> Services:
    return Services()


@pytest.fixture
def query(services: Services) -> UnitQuery:
    return UnitQuery("kubelet", services, InlineTask())


@pytest.fixture
def log() -> list[LogLine]:
    return record_log([])


def test_a_unit_is_asked_for_once_until_it_may_have_changed(services: Services, query: UnitQuery) -> None:
    for now in (1.0, 2.0):
        unit = query.poll(now)
        assert unit is not None
        assert unit.state == "active"
    assert services.queries == 1
    query.refresh()
    query.poll(3.0)
    assert services.queries == 2
    assert (query.is_older_than(3.0), query.is_older_than(3.1)) == (False, True)


def test_a_refusal_is_logged_and_leaves_the_unit_unknown(
    services: Services, query: UnitQuery, log: list[LogLine]
) -> None:
    services.refuses = True
    assert [query.poll(1.0), query.poll(2.0)] == [None, None]
    assert log == [("warning", "refused", {"component": "kubelet"})]


def test_an_answer_is_expected_for_a_second_and_taken_whenever_it_comes(
    services: Services, query: UnitQuery, log: list[LogLine]
) -> None:
    services.hangs = True
    assert query.poll(10.0) is None
    assert (query.answer_due(10.5), log) == (11.0, [])
    assert [query.poll(11.0), query.poll(12.0)] == [None, None]
    assert query.answer_due(11.0) == float("inf")
    assert [message for _level, message, _fields in log] == [
        "the service manager has not answered about kubelet yet"
    ], "once for each question"
    services.hangs = False
    assert query.poll(20.0) is not None


def test_an_answer_that_is_older_than_a_notification_is_asked_for_again(services: Services, query: UnitQuery) -> None:
    services.hangs = True
    query.poll(1.0)
    query.refresh()
    query.poll(1.5)
    services.hangs, services.state = False, "failed"
    unit = query.poll(2.0)
    assert unit is not None
    assert (unit.state, services.queries) == ("failed", 2)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def restart_late(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> tuple[list[str], Callable[[], None]]:
    """Let requests for a restart hang; return the attempts, and a function that lets them succeed."""
    restart, attempts, hanging = bench.restart, list[str](), ["kubelet"]

    def late(component: str) -> bool:
        attempts.append(component)
        if component in hanging:
            raise Hangs
        return restart(component)

    monkeypatch.setattr(bench, "restart", late)
    return attempts, hanging.clear


def test_the_end_of_a_late_restart_is_counted_once(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.good_node()
    before = bench.counters.restarts["kubelet"]
    _attempts, end = restart_late(bench, monkeypatch)
    bench.assign(bench.publish("maxPods: 130\n"))
    bench.run(40)  # longer than the time until an outstanding restart is requested again
    assert (bench.restarts[1:], bench.counters.restarts["kubelet"]) == ([], before)
    end()
    bench.run(20)
    assert (len(bench.restarts[1:]), bench.counters.restarts["kubelet"]) == (1, before + 1)
    assert bench.words[0] == "True"
