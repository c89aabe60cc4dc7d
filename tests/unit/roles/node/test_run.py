# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The daemon's API clients, and what its children do."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from io import BytesIO
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._agent_configuration import AgentConfiguration
from ansible_collections.configok.node.plugins.module_utils._agent._notify import Notifications
from ansible_collections.configok.node.plugins.module_utils._agent._state.node_state import NodeInputs
from ansible_collections.configok.node.plugins.module_utils._kube.transport import ClientSettings
from support.configs.agent import configured
from support.configs.kubelet import KUBELET_HEADER


@pytest.fixture
def notifications() -> Iterator[Notifications]:
    notifications = Notifications()
    yield notifications
    notifications.close()


@pytest.mark.contract("manners.small-answers")
def test_no_client_of_the_daemon_reads_more_than_4_mib(
    entry: Callable[[str], ModuleType], monkeypatch: pytest.MonkeyPatch, notifications: Notifications
) -> None:
    run = entry("_run")
    clients: list[ClientSettings] = []
    monkeypatch.setattr(run, "from_kubeconfig", lambda _path: None)
    monkeypatch.setattr(run, "Client", lambda _credentials, settings, *_timing: clients.append(settings))
    monkeypatch.setattr(run, "App", lambda *_arguments: SimpleNamespace(run=lambda *_events: False))
    monkeypatch.setattr(run.signal, "signal", lambda _number, _handler: None)
    run._run(AgentConfiguration("n1", "/k", {}), "/etc/agent.yaml", notifications)
    assert [settings.longest_answer for settings in clients] == [4 << 20, 4 << 20]


def test_every_child_that_decodes_a_config_is_limited(
    entry: Callable[[str], ModuleType], monkeypatch: pytest.MonkeyPatch, notifications: Notifications
) -> None:
    run = entry("_run")
    children: list[list[str]] = []
    for name in ("ValidateCommand", "ValidateDocumentCommand", "AddressesCommand"):
        monkeypatch.setattr(run, name, lambda _runner, argv: children.append(argv))
    monkeypatch.setattr(run, "from_kubeconfig", lambda _path: None)
    monkeypatch.setattr(run, "Client", lambda *_arguments: None)
    monkeypatch.setattr(run, "App", lambda *_arguments: SimpleNamespace(run=lambda *_events: False))
    monkeypatch.setattr(run.signal, "signal", lambda _number, _handler: None)
    run._run(AgentConfiguration("n1", "/k", {}), "/etc/agent.yaml", notifications)
    assert [argv[-2:] for argv in children] == [
        [name, "--limited"] for name in ("validate", "validate-document", "addresses")
    ]


@pytest.fixture
def validate_document(
    entry: Callable[[str], ModuleType],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> Callable[..., dict[str, Any]]:
    """Return a function that runs the command and returns what it prints. drop_in: None without one."""
    configuration = configured(tmp_path, kubelet={"hostChecks": False})

    def run(
        document: str, present: str | None, *options: str, drop_in: str | None = None, instance: str | None = None
    ) -> dict[str, Any]:
        drop_ins = () if drop_in is None else (("/d/10.conf", drop_in),)
        inputs = NodeInputs(instance=instance, drop_ins=drop_ins).to_dict()
        request = json.dumps({"document": document, "present": present, **inputs})
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=BytesIO(request.encode())))
        assert entry("__main__").main(["--config", str(configuration), "validate-document", *options, "kubelet"]) == 0
        answer: dict[str, Any] = json.loads(capsys.readouterr().out)
        return answer

    return run


def test_a_validation_limits_itself_where_it_is_told_to(
    entry: Callable[[str], ModuleType],
    monkeypatch: pytest.MonkeyPatch,
    validate_document: Callable[..., dict[str, Any]],
) -> None:
    limited: list[bool] = []
    monkeypatch.setattr(entry("_limits"), "limit_this_process", lambda: limited.append(True))
    validate_document(KUBELET_HEADER, None)
    assert limited == []
    validate_document(KUBELET_HEADER, None, "--limited")
    assert limited == [True]


@pytest.mark.parametrize(
    ("drop_in", "is_same"),
    [
        (None, True),
        ("maxPods: 20\n", True),
        ("nodeStatusUpdateFrequency: 20s\n", False),
        ("# empty\n", True),
        ("{", False),
    ],
)
def test_a_document_is_compared_with_the_drop_ins_that_were_read(
    validate_document: Callable[..., dict[str, Any]], drop_in: str | None, is_same: bool
) -> None:
    answer = validate_document(KUBELET_HEADER + "nodeStatusReportFrequency: 5m\n", KUBELET_HEADER, drop_in=drop_in)
    assert answer["isSame"] is is_same


def test_a_document_is_compared_as_the_component_would_read_it(
    validate_document: Callable[..., dict[str, Any]],
) -> None:
    document, rendered = KUBELET_HEADER + "podsPerCore: 2\n", KUBELET_HEADER + "podsPerCore: 2\nmaxPods: 7\n"
    assert validate_document(document, rendered, instance="maxPods: 7\n") == {
        "findings": [],
        "isSame": True,
        "nodeFiles": "",
    }
    assert validate_document(document, rendered, instance="maxPods: 8\n")["isSame"] is False
    assert validate_document(document, document, "--only-host")["isSame"] is True
    assert validate_document(document, "a: [\n")["isSame"] is False
    assert validate_document(document, None)["isSame"] is False


@pytest.mark.parametrize("wrong", ["maxPods: -1\n", "a: [\n"])
def test_a_document_that_is_refused_is_not_compared(
    validate_document: Callable[..., dict[str, Any]], wrong: str
) -> None:
    document = KUBELET_HEADER + wrong
    answer = validate_document(document, document)
    assert (len(answer["findings"]), answer["isSame"]) == (1, False)


def test_where_the_kubelet_listens_is_merged_from_what_was_read(
    entry: Callable[[str], ModuleType],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(KUBELET_HEADER + "healthzPort: 10300\nport: 10301\n")
    inputs = NodeInputs(arguments=("kubelet", "--port=7"), drop_ins=(("/d/10.conf", "healthzPort: 0\n"),)).to_dict()
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=BytesIO(json.dumps(inputs).encode())))
    assert entry("__main__").main(["addresses", "--kubernetes-version", "v1.36.3", str(file)]) == 0
    values = json.loads(capsys.readouterr().out)
    assert (values["healthzPort"], values["port"], values["healthzBindAddress"]) == (0, 7, "127.0.0.1")


def test_what_a_component_said_last_is_read_from_the_journal(
    entry: Callable[[str], ModuleType], monkeypatch: pytest.MonkeyPatch, notifications: Notifications
) -> None:
    run = entry("_run")
    contexts: list[Any] = []

    def app(context: Any, *_arguments: Any) -> SimpleNamespace:
        contexts.append(context)
        return SimpleNamespace(run=lambda *_events: False)

    monkeypatch.setattr(run, "from_kubeconfig", lambda _path: None)
    monkeypatch.setattr(run, "Client", lambda *_arguments: None)
    monkeypatch.setattr(run, "App", app)
    monkeypatch.setattr(run.signal, "signal", lambda _number, _handler: None)
    run._run(AgentConfiguration("n1", "/k", {}), "/etc/agent.yaml", notifications)
    assert [isinstance(context.commands.last_message, run.LastMessages) for context in contexts] == [True]


@pytest.mark.parametrize("words", [["run"], ["prestart", "kubelet"], ["poststop", "kube-proxy"]])
def test_the_words_of_the_units_are_read_as_by_the_parser(
    entry: Callable[[str], ModuleType], words: Sequence[str]
) -> None:
    program = entry("__main__")
    argv = ["--config=/etc/other.yaml", *words]
    assert vars(program._unit_arguments(argv)) == vars(program._parser().parse_args(argv))


@pytest.mark.parametrize(
    "argv",
    [
        [],
        ["run"],
        ["--config", "/x", "run"],
        ["--config=/x"],
        ["--config=/x", "run", "kubelet"],
        ["--config=/x", "run", "--help"],
        ["--config=/x", "prestart"],
        ["--config=/x", "prestart", "--help"],
        ["--config=/x", "prestart", "kubelet", "more"],
        ["--config=/x", "status"],
        ["--conf=/x", "run"],
    ],
)
def test_any_other_words_are_left_to_the_parser(entry: Callable[[str], ModuleType], argv: Sequence[str]) -> None:
    assert entry("__main__")._unit_arguments(argv) is None
