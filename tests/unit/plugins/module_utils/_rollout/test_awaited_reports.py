# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Waiting for ConfigOK ends with the node's own sentence, and early when it stays False."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import pytest

from ansible_collections.configok.node.plugins.module_utils._rollout import RolloutError
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.awaited_reports import await_reports
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_view import NodeView
from support.rollouts.views import a_view
from support.rollouts.virtual_clock import VirtualClock

GOOD = a_view("n3")
FAILING = a_view(
    "n3", config_ok="False", message="using current (init), which is failing", reason="kubelet: no certificate"
)
UNKNOWN = a_view("n3", config_ok="Unknown")
SENTENCE = "n3: ConfigOK is False: using current (init), which is failing: kubelet: no certificate"


def _with(view: NodeView, **changes: Any) -> NodeView:
    """Return the view with another answer of its agent."""
    return replace(view, answer=view.answer._replace(**changes))


def wait(
    *reports: tuple[float, NodeView], expected: Literal["True", "Unknown"] = "True", timeout: float = 120.0
) -> tuple[str, float]:
    """Wait for a node whose reports begin at these seconds. Return the error, and how long it took."""
    clock = VirtualClock(begins=0.0)

    def read() -> list[NodeView]:
        return [[view for begins, view in reports if begins <= clock.monotonic()][-1]]

    try:
        await_reports(read, expected, timeout, clock)
    except RolloutError as error:
        return str(error), clock.monotonic()
    finally:
        clock.end()
    return "", clock.monotonic()


def test_a_node_that_reports_as_expected_ends_the_wait() -> None:
    assert wait((0.0, GOOD)) == ("", 0.0)
    error, seconds = wait((0.0, UNKNOWN), (7.0, GOOD))
    assert (error, 7.0 <= seconds <= 9.0) == ("", True)
    assert wait((0.0, UNKNOWN), expected="Unknown") == ("", 0.0)


def test_a_node_that_stays_false_is_not_waited_for_and_its_own_sentence_is_the_error() -> None:
    error, seconds = wait((0.0, UNKNOWN), (10.0, FAILING))
    assert error == SENTENCE
    assert seconds == pytest.approx(40.0, abs=2.0)


def test_a_false_that_the_agent_replaces_in_time_is_waited_for() -> None:
    assert wait((0.0, FAILING), (25.0, _with(FAILING, reason="kubelet: starting")), (50.0, GOOD))[0] == ""


def test_a_node_without_a_verdict_is_named_with_what_it_says_when_the_time_is_over() -> None:
    error, seconds = wait((0.0, _with(FAILING, config_ok="Unknown")), timeout=20.0)
    assert (error, seconds) == (SENTENCE.replace("False", "Unknown") + " (after 20s)", 20.0)
    assert wait((0.0, a_view("n3", agent=False)), timeout=2.0)[0] == "n3: no ConfigOK condition (after 2s)"
