# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Judging by a child, and remembering what it said."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._ports import CommandResult
from ansible_collections.configok.node.plugins.module_utils._agent._store import Store, digest
from ansible_collections.configok.node.plugins.module_utils._agent._verdicts import (
    CommandJudge,
    JudgeFailed,
    errors_of,
    first_error,
    is_fatal,
    judged,
)

FATAL = {"path": "maxPods", "message": "must be >= 0", "level": "component"}
POLICY = {"path": "staticPodPath", "message": "is denied", "level": "policy"}
WARNING = {"path": "x", "message": "is unknown", "level": "warning"}


class Runner:
    """Answers with one result and notes how it was called."""

    def __init__(self, code: int, out: str, err: str = "") -> None:
        self.result = CommandResult(code, out, err)
        self.argv: list[str] = []
        self.stdin = ""

    def __call__(
        self, argv: Sequence[str], *, timeout: float, env: Mapping[str, str] | None = None, stdin: str = ""
    ) -> CommandResult:
        self.argv, self.stdin = list(argv), stdin
        return self.result


def test_the_child_is_asked_for_one_document() -> None:
    runner = Runner(1, json.dumps([FATAL]))
    judge = CommandJudge(runner, ["configok-agent", "validate"])
    assert judge("kubelet", "maxPods: -1", "v1.35.0", bundle=True) == [FATAL]
    assert runner.stdin == "maxPods: -1"
    assert runner.argv == [
        "configok-agent",
        "validate",
        "--json",
        "--component",
        "kubelet",
        "--bundle",
        "--kubernetes-version",
        "v1.35.0",
        "-",
    ]
    judge("kubelet", "", "", bundle=False)
    assert runner.argv == ["configok-agent", "validate", "--json", "--component", "kubelet", "-"]


@pytest.mark.parametrize("out", ["", "Traceback", "{}", "[1]", "null"])
def test_no_answer_is_no_verdict(out: str) -> None:
    with pytest.raises(JudgeFailed, match=r"could not be validated \(exit 124\)"):
        CommandJudge(Runner(124, out, "killed"), ["x"])("kubelet", "", "", bundle=True)


@pytest.mark.contract("validate.only-once")
def test_nothing_is_judged_twice_but_what_changes_the_verdict(tmp_path: Path) -> None:
    store = Store(str(tmp_path), now=lambda: "t")
    calls: list[bool] = []

    def judge(component: str, text: str, version: str, *, bundle: bool) -> list[dict[str, Any]]:
        calls.append(bundle)
        return [FATAL]

    def ask(text: bytes, engine: str = "1", denied: Sequence[str] | None = ()) -> None:
        judged(store, judge, "kubelet", text, version="v1", tracked="v1", engine=engine, denied=denied)

    ask(b"a")
    ask(b"a")
    assert calls == [True]
    ask(b"b")
    ask(b"a", engine="2")
    ask(b"a", denied=["x"])
    ask(b"a", denied=None)
    assert calls == [True, True, True, True, False]


@pytest.mark.contract("init.refused-if-deadly")
def test_only_what_the_component_dies_of_is_fatal_and_only_outside_a_bundle(tmp_path: Path) -> None:
    name = digest(b"a")
    assert is_fatal({f"{name}:1": [WARNING, FATAL]}, name)
    assert not is_fatal({f"{name}:1": [WARNING, POLICY]}, name)
    assert not is_fatal({f"{name}:1:bundle:0": [FATAL]}, name)
    assert not is_fatal({f"{digest(b'b')}:1": [FATAL]}, name)
    assert not is_fatal({":1": [FATAL]}, "")


def test_the_first_error_in_words() -> None:
    assert errors_of([WARNING, FATAL, POLICY]) == [FATAL, POLICY]
    assert first_error("kubelet", [WARNING, FATAL]) == "kubelet: maxPods: must be >= 0"
    assert first_error("kubelet", [FATAL, POLICY]) == "kubelet: maxPods: must be >= 0 (and 1 more)"
