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
from ansible_collections.configok.node.plugins.module_utils._agent._state._node_state import NodeInputs
from ansible_collections.configok.node.plugins.module_utils._agent._store._store import Store, digest
from ansible_collections.configok.node.plugins.module_utils._agent._validation._validator import (
    ValidateCommand,
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
    assert validate("kubelet", "maxPods: -1", "v1.35.0", as_bundle=True) == [FATAL]
    assert runner.stdin == "maxPods: -1"
    assert runner.argv == [
        "configok-agent",
        "validate",
        "--json",
        "--component",
        "kubelet",
        "--on-node",
        "--kubernetes-version",
        "v1.35.0",
        "-",
    ]
    validate("kubelet", "", "", as_bundle=True, host_only=True)
    assert runner.argv[-2:] == ["--only-host", "-"]
    inputs = NodeInputs(init="maxPods: 2\n", instance="maxPods: 1\n", arguments=("/usr/bin/kubelet", "--v=2"))
    inputs = inputs._replace(drop_ins=(("/d/10.conf", "maxPods: 4\n"), ("/d/20.conf", "\udcff")))
    validate("kubelet", "maxPods: 3\n", "", as_bundle=True, inputs=inputs)
    assert runner.argv[-3:] == ["--on-node", "--with-inputs", "-"]
    document = json.loads(runner.stdin)
    assert (document["document"], NodeInputs.from_dict(document)) == ("maxPods: 3\n", inputs)
    validate("kubelet", "", "", as_bundle=False)
    assert runner.argv == ["configok-agent", "validate", "--json", "--component", "kubelet", "-"]


@pytest.mark.parametrize("out", ["", "Traceback", "{}", "[1]", "null"])
def test_no_answer_is_no_verdict(out: str) -> None:
    with pytest.raises(ValidationUnavailable, match=r"could not be validated \(exit 124\)"):
        ValidateCommand(Runner(124, out, "killed"), ["x"])("kubelet", "", "", as_bundle=True)


@pytest.mark.parametrize("code", [2, 124, 137, -9, -24])
def test_a_child_that_did_not_come_to_its_end_gives_no_verdict_whatever_it_has_said(code: int) -> None:
    with pytest.raises(ValidationUnavailable, match="could not be validated"):
        ValidateCommand(Runner(code, "[]"), ["x"])("kubelet", "", "", as_bundle=True)


@pytest.mark.contract("validate.only-once")
def test_nothing_is_judged_twice_but_what_changes_the_verdict(tmp_path: Path) -> None:
    store = Store(str(tmp_path), now=lambda: "t")
    calls: list[tuple[bool, bool]] = []

    def validate(
        component: str,
        text: str,
        version: str,
        *,
        as_bundle: bool,
        host_only: bool = False,
        inputs: NodeInputs | None = None,
    ) -> list[dict[str, Any]]:
        calls.append((as_bundle, host_only))
        return [] if host_only else [WARNING]

    def ask(text: bytes, engine_version: str = "1", deny_policy: object = None, instance: str | None = None) -> None:
        inputs, tracked = NodeInputs(instance=instance), "v1"
        options: dict[str, Any] = {
            "version": "v1",
            "tracking_version": tracked,
            "engine_version": engine_version,
            "host": True,
        }
        validate_bundle_document(store, validate, "kubelet", text, deny_policy=deny_policy, inputs=inputs, **options)

    ask(b"a")
    ask(b"b")
    ask(b"a", engine_version="2")
    ask(b"a", deny_policy=["x"])
    ask(b"a", instance="maxPods: 1")
    validate_init_config(store, validate, "kubelet", b"a", version="v1", tracking_version="v1", engine_version="1")
    assert calls == [(True, False)] * 5 + [(False, False)]
    ask(b"a")
    validate_init_config(store, validate, "kubelet", b"a", version="v1", tracking_version="v1", engine_version="1")
    assert calls[6:] == [(True, True)], "the host is looked at anew, and nothing else"


@pytest.mark.contract("validate.host-checks")
def test_what_is_said_of_the_host_holds_for_the_moment_and_is_never_kept(tmp_path: Path) -> None:
    store = Store(str(tmp_path), now=lambda: "t")
    host = [SWAP]

    def validate(
        component: str,
        text: str,
        version: str,
        *,
        as_bundle: bool,
        host_only: bool = False,
        inputs: NodeInputs | None = None,
    ) -> list[dict[str, Any]]:
        return [*([] if host_only else [WARNING]), *host]

    def ask() -> tuple[list[str], list[str]]:
        findings, host_findings = validate_bundle_document(
            *(store, validate, "kubelet", b"a"),
            version="v1",
            tracking_version="v1",
            engine_version="1",
            deny_policy=None,
            inputs=NodeInputs(),
            host=True,
        )
        return [finding["path"] for finding in findings], [finding["path"] for finding in host_findings]

    assert ask() == (["x"], ["failSwapOn"])
    assert ask() == (["x"], ["failSwapOn"])
    host.clear()
    assert ask() == (["x"], [])
    assert "failSwapOn" not in (tmp_path / "kubelet-v1/verdicts").read_text()
    assert not is_known_fatal(store.read_findings("kubelet", "v1"), digest(b"a"), "v1")


def test_a_config_that_was_refused_is_refused_without_a_look_at_the_host(tmp_path: Path) -> None:
    store = Store(str(tmp_path), now=lambda: "t")
    calls: list[bool] = []

    def validate(
        component: str,
        text: str,
        version: str,
        *,
        as_bundle: bool,
        host_only: bool = False,
        inputs: NodeInputs | None = None,
    ) -> list[dict[str, Any]]:
        calls.append(host_only)
        return [FATAL]

    for _time in range(2):
        findings, host = validate_bundle_document(
            *(store, validate, "kubelet", b"a"),
            version="v1",
            tracking_version="v1",
            engine_version="1",
            deny_policy=None,
            inputs=NodeInputs(),
            host=True,
        )
        assert ([finding["path"] for finding in findings], host) == (["maxPods"], [])
    assert calls == [False]


@pytest.mark.contract("init.refused-if-deadly")
def test_only_what_the_component_dies_of_is_fatal_and_only_outside_a_bundle(tmp_path: Path) -> None:
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
    versions: list[str] = []

    def validate(
        component: str,
        text: str,
        version: str,
        *,
        as_bundle: bool,
        host_only: bool = False,
        inputs: NodeInputs | None = None,
    ) -> list[dict[str, Any]]:
        versions.append(version)
        return []

    for version in ("", "v1", "v2", "v1"):
        options: dict[str, Any] = {"version": version, "tracking_version": "v1", "engine_version": "1"}
        validate_init_config(store, validate, "kubelet", b"a", **options)
        validate_bundle_document(
            store, validate, "kubelet", b"a", deny_policy=None, inputs=NodeInputs(), host=False, **options
        )
    assert versions == ["", "", "v1", "v1", "v2", "v2"]


def test_the_first_error_in_words() -> None:
    assert refusing_findings([WARNING, FATAL, POLICY]) == [FATAL, POLICY]
    assert first_error_text("kubelet", [WARNING, FATAL]) == "kubelet: maxPods: must be >= 0"
    assert first_error_text("kubelet", [FATAL, POLICY]) == "kubelet: maxPods: must be >= 0 (and 1 more)"


def test_what_is_recorded_can_be_read_back_however_much_was_found(tmp_path: Path) -> None:
    store = Store(str(tmp_path), now=lambda: "t")
    many = [{"path": "p" * 5000, "message": "m" * 100_000, "level": "policy"}] * 20_000

    def validate(
        component: str,
        text: str,
        version: str,
        *,
        as_bundle: bool,
        host_only: bool = False,
        inputs: NodeInputs | None = None,
    ) -> list[dict[str, Any]]:
        return many

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
