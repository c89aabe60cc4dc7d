# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Validation in a child process, and the record of its verdicts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._interfaces import CommandResult
from ansible_collections.configok.node.plugins.module_utils._agent._state.node_state import NodeInputs
from ansible_collections.configok.node.plugins.module_utils._agent._store._store import Store, digest
from ansible_collections.configok.node.plugins.module_utils._agent._validation._validator import (
    BundleFindings,
    DocumentValidation,
    ValidateCommand,
    ValidateDocumentCommand,
    ValidationUnavailable,
    first_error_text,
    is_known_fatal,
    refusing_findings,
    validate_bundle_document,
    validate_init_config,
)

FATAL = {"path": "maxPods", "message": "must be >= 0", "level": "component"}
POLICY = {"path": "staticPodPath", "message": "is denied", "level": "policy"}
SWAP = {"path": "failSwapOn", "message": "must be false", "level": "component", "rule": "host:swap-on"}
WARNING = {"path": "x", "message": "is unknown", "level": "warning"}


class Runner:
    """A command runner that returns one result and records its last call."""

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
    validate = ValidateCommand(runner, ["configok-agent", "validate"])
    assert validate("kubelet", "maxPods: -1", "v1.35.0") == [FATAL]
    assert runner.stdin == "maxPods: -1"
    options = ["--json", "--component", "kubelet"]
    assert runner.argv == ["configok-agent", "validate", *options, "--kubernetes-version", "v1.35.0", "-"]
    validate("kubelet", "", "")
    assert runner.argv == ["configok-agent", "validate", *options, "-"]


INPUTS = NodeInputs(
    init="maxPods: 2\n",
    instance="maxPods: 1\n",
    arguments=("/usr/bin/kubelet", "--v=2"),
    drop_ins=(("/d/10.conf", "maxPods: 4\n"), ("/d/20.conf", "\udcff")),
)


def _ask(
    runner: Runner, version: str = "", *, present: str | None = None, host_only: bool = False
) -> DocumentValidation:
    validate = ValidateDocumentCommand(runner, ["configok-agent", "validate-document"])
    return validate("kubelet", "maxPods: 3\n", version, inputs=INPUTS, present=present, host_only=host_only)


def test_the_child_has_the_document_the_file_in_use_and_what_the_node_adds() -> None:
    runner = Runner(0, json.dumps({"findings": [FATAL], "isSame": False}))
    assert _ask(runner, "v1.35.0", present="\udcff: 1\n") == DocumentValidation([FATAL], is_same=False)
    assert runner.argv == ["configok-agent", "validate-document", "--kubernetes-version", "v1.35.0", "kubelet"]
    request = json.loads(runner.stdin)
    assert (request["document"], request["present"], NodeInputs.from_dict(request)) == (
        "maxPods: 3\n",
        "\udcff: 1\n",
        INPUTS,
    )
    _ask(runner, host_only=True)
    assert runner.argv == ["configok-agent", "validate-document", "--only-host", "kubelet"]
    assert json.loads(runner.stdin)["present"] is None


@pytest.mark.parametrize(
    ("answer", "is_same"), [("true", True), ("false", False), ("null", False), ('"yes"', False), ("1", False)]
)
def test_only_a_yes_of_the_child_counts_as_the_same(answer: str, is_same: bool) -> None:
    assert _ask(Runner(0, f'{{"findings": [], "isSame": {answer}}}')).is_same is is_same


def test_the_child_tells_the_files_of_the_node_apart() -> None:
    assert _ask(Runner(0, '{"findings": [], "nodeFiles": "abc"}')).node_files == "abc"
    assert _ask(Runner(0, '{"findings": []}')).node_files == ""


def test_a_child_that_compares_nothing_does_not_answer_the_same() -> None:
    assert _ask(Runner(0, '{"findings": []}')).is_same is False


@pytest.mark.parametrize("out", ["", "Traceback", "{}", "[1]", "null"])
def test_validation_is_unavailable_without_a_usable_answer(out: str) -> None:
    with pytest.raises(ValidationUnavailable, match=r"could not be validated \(exit 124\)"):
        ValidateCommand(Runner(124, out, "killed"), ["x"])("kubelet", "", "")
    with pytest.raises(ValidationUnavailable, match=r"could not be validated \(exit 0\)"):
        _ask(Runner(0, out))


@pytest.mark.parametrize("code", [2, 124, 137, -9, -24])
def test_a_child_that_did_not_finish_gives_no_verdict_whatever_it_has_printed(code: int) -> None:
    with pytest.raises(ValidationUnavailable, match="could not be validated"):
        ValidateCommand(Runner(code, "[]"), ["x"])("kubelet", "", "")
    with pytest.raises(ValidationUnavailable, match="could not be validated"):
        _ask(Runner(code, '{"findings": [], "isSame": true}'))


class BundleValidator:
    """A validator that returns findings on the document and on the host, and records for what it was asked."""

    def __init__(self, *findings: Mapping[str, Any], host: Sequence[Mapping[str, Any]] = ()) -> None:
        self.findings = findings
        self.host = list(host)
        self.calls: list[tuple[str, bool]] = []

    def __call__(
        self, component: str, text: str, version: str, *, inputs: NodeInputs, present: str | None, host_only: bool
    ) -> DocumentValidation:
        self.calls.append((version, host_only))
        return DocumentValidation([*([] if host_only else self.findings), *self.host], is_same=present == text)


class Validator:
    """A validator that returns findings, and records the versions that it was asked for."""

    def __init__(self, *findings: Mapping[str, Any]) -> None:
        self.findings = findings
        self.versions: list[str] = []

    def __call__(self, component: str, text: str, version: str) -> Sequence[Mapping[str, Any]]:
        self.versions.append(version)
        return self.findings


def _validate_bundle(store: Store, validator: BundleValidator, text: bytes = b"a", **options: Any) -> BundleFindings:
    settings: dict[str, Any] = {
        "version": "v1",
        "tracking_version": "v1",
        "engine_version": "1",
        "deny_policy": None,
        "inputs": NodeInputs(),
        "present": None,
        **options,
    }
    return validate_bundle_document(store, validator, "kubelet", text, **settings)


@pytest.mark.contract("validate.only-once")
def test_a_config_is_validated_again_only_after_a_change_that_affects_the_verdict(tmp_path: Path) -> None:
    store, in_bundle, validate = Store(str(tmp_path), now=lambda: "t"), BundleValidator(WARNING), Validator(WARNING)
    versions = {"version": "v1", "tracking_version": "v1", "engine_version": "1"}
    _validate_bundle(store, in_bundle, b"a")
    _validate_bundle(store, in_bundle, b"b")
    _validate_bundle(store, in_bundle, b"a", engine_version="2")
    _validate_bundle(store, in_bundle, b"a", deny_policy=["x"])
    _validate_bundle(store, in_bundle, b"a", inputs=NodeInputs(instance="maxPods: 1"))
    validate_init_config(store, validate, "kubelet", b"a", **versions)
    assert (in_bundle.calls, validate.versions) == ([("v1", False)] * 5, ["v1"])
    _validate_bundle(store, in_bundle, b"a")
    validate_init_config(store, validate, "kubelet", b"a", **versions)
    assert in_bundle.calls[5:] == [("v1", True)], "only the host is checked again"
    assert validate.versions == ["v1"]


def test_what_is_read_now_is_compared_each_time(tmp_path: Path) -> None:
    store, in_bundle = Store(str(tmp_path), now=lambda: "t"), BundleValidator()
    compared = [
        _validate_bundle(store, in_bundle, b"a", present=present).is_same for present in (b"a", b"b", None, b"a")
    ]
    assert compared == [True, False, False, True]


@pytest.mark.contract("validate.host-checks")
def test_findings_on_the_host_are_current_and_never_stored(tmp_path: Path) -> None:
    store, in_bundle = Store(str(tmp_path), now=lambda: "t"), BundleValidator(WARNING, host=[SWAP])

    def ask() -> tuple[list[str], list[str]]:
        findings = _validate_bundle(store, in_bundle)
        return [finding["path"] for finding in findings.document], [finding["path"] for finding in findings.host]

    assert ask() == (["x"], ["failSwapOn"])
    assert ask() == (["x"], ["failSwapOn"])
    in_bundle.host.clear()
    assert ask() == (["x"], [])
    assert "failSwapOn" not in (tmp_path / "kubelet-v1/verdicts").read_text()
    assert not is_known_fatal(store.read_findings("kubelet", "v1"), digest(b"a"), "v1")


def test_a_config_that_was_refused_is_refused_again_without_a_host_check(tmp_path: Path) -> None:
    store, in_bundle = Store(str(tmp_path), now=lambda: "t"), BundleValidator(FATAL)
    for _time in range(2):
        findings = _validate_bundle(store, in_bundle)
        assert ([finding["path"] for finding in findings.document], findings.host) == (["maxPods"], [])
    assert in_bundle.calls == [("v1", False)]


@pytest.mark.contract("init.refused-if-deadly")
def test_only_findings_that_crash_the_component_are_fatal_and_only_outside_a_bundle(tmp_path: Path) -> None:
    name = digest(b"a")
    assert is_known_fatal({f"{name}:1:v1": [WARNING, FATAL]}, name, "v1")
    assert not is_known_fatal({f"{name}:1:v1": [WARNING, POLICY]}, name, "v1")
    assert not is_known_fatal({f"{name}:1:v1:bundle:0": [FATAL]}, name, "v1")
    assert not is_known_fatal({f"{digest(b'b')}:1:v1": [FATAL]}, name, "v1")
    assert not is_known_fatal({":1:v1": [FATAL]}, "", "v1")


def test_a_verdict_for_another_version_or_for_none_is_not_used(tmp_path: Path) -> None:
    """Both may be recorded under one tracking version, which is read before the component is asked again."""
    name = digest(b"a")
    assert not is_known_fatal({f"{name}:1:v2": [FATAL], f"{name}:1:": [FATAL], f"{name}:1": [FATAL]}, name, "v1")
    assert is_known_fatal({f"{name}:1:": [FATAL]}, name, "")
    store = Store(str(tmp_path), now=lambda: "t")
    in_bundle, validate = BundleValidator(), Validator()
    for version in ("", "v1", "v2", "v1"):
        options: dict[str, Any] = {"version": version, "tracking_version": "v1", "engine_version": "1"}
        validate_init_config(store, validate, "kubelet", b"a", **options)
        _validate_bundle(store, in_bundle, version=version)
    assert validate.versions == ["", "v1", "v2"]
    assert in_bundle.calls == [("", False), ("v1", False), ("v2", False), ("v1", True)]


def test_the_first_error_is_put_in_words() -> None:
    assert refusing_findings([WARNING, FATAL, POLICY]) == [FATAL, POLICY]
    assert first_error_text("kubelet", [WARNING, FATAL]) == "kubelet: maxPods: must be >= 0"
    assert first_error_text("kubelet", [FATAL, POLICY]) == "kubelet: maxPods: must be >= 0 (and 1 more)"


def test_what_is_recorded_can_be_read_back_however_much_was_found(tmp_path: Path) -> None:
    store = Store(str(tmp_path), now=lambda: "t")
    many = [{"path": "p" * 5000, "message": "m" * 100_000, "level": "policy"}] * 20_000
    validate = Validator(*many)
    for number in range(60):
        findings = validate_init_config(
            store, validate, "kubelet", b"%d" % number, version="", tracking_version="v1", engine_version="1"
        )
        assert len(findings) == 101
        assert first_error_text("kubelet", findings).endswith("m (and over 99 more)")
    verdicts = store.read_findings("kubelet", "v1")
    assert store.damaged == []
    assert f"{digest(b'59')}:1:" in verdicts
    assert 10 < len(verdicts) <= 32


def test_the_oldest_verdicts_go_where_all_could_not_be_read_back(tmp_path: Path) -> None:
    store = Store(str(tmp_path), now=lambda: "t")
    verdicts = {str(number): [{"message": "m" * 1_000_000}] for number in range(10)}
    store.write_findings("kubelet", "v1", verdicts)
    assert list(store.read_findings("kubelet", "v1")) == [str(number) for number in range(2, 10)]
    assert store.damaged == []


def test_a_file_that_could_not_be_read_back_is_not_written(tmp_path: Path) -> None:
    store = Store(str(tmp_path), now=lambda: "t")
    store.write_note("kubelet", "command-line", {"argv": ["a"]})
    with pytest.raises(OSError, match="larger than"):
        store.write_note("kubelet", "command-line", {"argv": ["a" * 9_000_000]})
    assert store.read_note("kubelet", "command-line") == {"argv": ["a"]}
    assert store.damaged == []
