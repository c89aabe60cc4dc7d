# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An attempt is recorded with both sides, and fails if a layer does not do what the catalogue says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.attacks.recorder import Recorder, summary

STOPPED = "tampered statement"
NOT_STOPPED = "removal of the assignment"


@pytest.fixture
def recorder(tmp_path: Path) -> Recorder:
    recorder = Recorder(tmp_path / "build/attacks.jsonl")
    recorder.apiserver = "1.20.2"
    return recorder


def attempt(recorder: Recorder, name: str, off: int, on: int) -> None:
    """Record an attempt against two nodes."""
    with recorder.attempt(name, "signatures") as made:
        made.off(off, 2, "nodes", "-")
        made.on(on, 2, "nodes", "-")


def test_each_attempt_has_two_rows(recorder: Recorder) -> None:
    with recorder.attempt(STOPPED, "signatures") as made:
        made.off(2, 2, "nodes", "2 of 2 nodes run it")
        made.on(0, 2, "nodes", "refused by 2 of 2")
    written = [json.loads(line) for line in recorder.path.read_text().splitlines()]
    assert [(row["name"], row["value"], row["unit"], row["ok"]) for row in written] == [
        ("tampered statement: signatures off", 2, "nodes", True),
        ("tampered statement: signatures on", 0, "nodes", True),
    ]
    assert summary(recorder.rows) == "attacks: 1 attempts of 1 attacks, 0 failed"


def test_an_attack_that_fails_without_the_layer_shows_nothing(recorder: Recorder) -> None:
    with pytest.raises(AssertionError, match="without signatures it succeeds against 1 of 2"):
        attempt(recorder, STOPPED, off=1, on=0)
    assert [row["ok"] for row in recorder.rows] == [False, True]


def test_an_attack_that_succeeds_with_the_layer_fails(recorder: Recorder) -> None:
    with pytest.raises(AssertionError, match="with signatures it succeeds against 1 of 2"):
        attempt(recorder, STOPPED, off=2, on=1)
    assert [row["ok"] for row in recorder.rows] == [True, False]


def test_a_layer_that_does_not_stop_an_attack_is_held_to_that(recorder: Recorder) -> None:
    attempt(recorder, NOT_STOPPED, off=2, on=2)
    with pytest.raises(AssertionError, match="with signatures it succeeds against 0 of 2"):
        attempt(recorder, NOT_STOPPED, off=2, on=0)


def test_an_attempt_that_breaks_off_is_a_failure(recorder: Recorder) -> None:
    with pytest.raises(RuntimeError), recorder.attempt(STOPPED, "signatures"):
        raise RuntimeError("no node")
    assert [row["ok"] for row in recorder.rows] == [False]


def test_what_the_catalogue_does_not_have_is_refused(recorder: Recorder) -> None:
    with pytest.raises(KeyError), recorder.attempt("another", "signatures"):
        pass
    with pytest.raises(KeyError, match="does not have the layer"), recorder.attempt(STOPPED, "admission"):
        pass


def test_the_summary_says_what_was_only_evaluated(recorder: Recorder) -> None:
    with recorder.attempt(NOT_STOPPED, "admission") as made:
        made.off(1, 1, "requests", "admitted")
        made.on(0, 1, "requests", "refused by the API server", evaluated=True)
    closing = summary(recorder.rows)
    assert "NOT RUN with admission policies: 1 attacks, because Kubernetes 1.20.2 has none" in closing
