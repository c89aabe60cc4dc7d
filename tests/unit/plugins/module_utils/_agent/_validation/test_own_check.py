# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The daemon asks a static Pod about options through a unit, and takes no answer to another question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._agent_configuration import ComponentConfiguration
from ansible_collections.configok.node.plugins.module_utils._agent._interfaces import CommandResult
from ansible_collections.configok.node.plugins.module_utils._agent._store._store import Store
from ansible_collections.configok.node.plugins.module_utils._agent._validation._own_check import OwnCheck, OwnCheckFiles
from ansible_collections.configok.node.plugins.module_utils._agent._validation._validator import recorded_findings
from ansible_collections.configok.node.plugins.module_utils._static_pods.own_answer import OwnAnswer, OwnVerdict

POD = ComponentConfiguration("kube-scheduler", "", manifest="/etc/kubernetes/manifests/kube-scheduler.yaml")
OPTIONS = "/var/lib/configok/components/kube-scheduler/rendered/a.yaml"


class Unit:
    """Answers as the unit does, and records what was run."""

    def __init__(self, run_directory: Path) -> None:
        self.files = OwnCheckFiles(str(run_directory), POD.name)
        self.answer: OwnAnswer | None = None
        self.path = OPTIONS
        self.argv: list[str] = []

    def __call__(
        self, argv: Sequence[str], *, timeout: float, env: Mapping[str, str] | None = None, stdin: str = ""
    ) -> CommandResult:
        self.argv = list(argv)
        assert self.files.request() == OPTIONS
        if self.answer is None:
            return CommandResult(1, "", "Unit configok-check@kube-scheduler.service not found.\n")
        self.files.answer(self.path, self.answer)
        return CommandResult(0, "", "")


@pytest.fixture
def unit(tmp_path: Path) -> Unit:
    return Unit(tmp_path)


def messages(unit: Unit, tmp_path: Path) -> list[tuple[object, object]]:
    findings = OwnCheck(unit, str(tmp_path))(POD, OPTIONS)
    return [(finding["level"], finding["message"]) for finding in findings]


def test_a_program_that_passes_leaves_no_finding(unit: Unit, tmp_path: Path) -> None:
    unit.answer = OwnAnswer(OwnVerdict.PASSED)
    assert messages(unit, tmp_path) == []
    assert unit.argv[-2:] == ["--", "configok-check@kube-scheduler.service"]


def test_a_program_that_fails_refuses_the_bundle_without_a_secret(unit: Unit, tmp_path: Path) -> None:
    unit.answer = OwnAnswer(OwnVerdict.FAILED, "Error: bad token: hunter2")
    ((level, message),) = messages(unit, tmp_path)
    assert level == "component"
    assert str(message).startswith("refused by its own check: Error: bad token:")
    assert "hunter2" not in str(message)


def test_what_is_not_judged_refuses_nothing(unit: Unit, tmp_path: Path) -> None:
    unit.answer = OwnAnswer(OwnVerdict.NOT_JUDGED, "it does not run")
    assert messages(unit, tmp_path) == [("not-judged", "kube-scheduler's own check: it does not run")]


def test_no_answer_and_an_answer_to_another_question_are_not_judged(unit: Unit, tmp_path: Path) -> None:
    (no_answer,) = messages(unit, tmp_path)
    unit.answer, unit.path = OwnAnswer(OwnVerdict.PASSED), "/another"
    (another,) = messages(unit, tmp_path)
    assert no_answer == (
        "not-judged",
        "kube-scheduler's own check: configok-check@kube-scheduler.service has left no answer: "
        "Unit configok-check@kube-scheduler.service not found.",
    )
    assert another == (
        "not-judged",
        "kube-scheduler's own check: configok-check@kube-scheduler.service has left no answer",
    )


def test_what_did_not_pass_is_asked_again_and_what_passed_is_not(tmp_path: Path) -> None:
    store = Store(str(tmp_path), now=lambda: "now")
    answers = [
        [{"message": "it does not run", "level": "not-judged"}],
        [{"message": "refused", "level": "component"}],
        [],
    ]

    def findings() -> list[dict[str, object]]:
        return recorded_findings(
            store, POD.name, "key", lambda: answers.pop(0), tracking_version="v1.20.2", keeps_none_alone=True
        )

    assert [finding["message"] for finding in findings()] == ["it does not run"]
    assert [finding["message"] for finding in findings()] == ["refused"]
    assert (findings(), findings(), answers) == ([], [], [])
