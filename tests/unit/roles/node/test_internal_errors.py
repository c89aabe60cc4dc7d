# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that an error in the engine is not reported as the user's."""

from __future__ import annotations

import json
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._ansible.config_files import fail_on_file_errors
from ansible_collections.configok.node.plugins.module_utils._componentconfig import ConfigError

Entry = Callable[[str], ModuleType]


def broken(*_arguments: Any, **_options: Any) -> Any:
    """Raise an error that the engine must never raise."""
    raise ValueError("not enough values to unpack")


@pytest.mark.parametrize(
    ("module", "function", "command"),
    [
        ("_validate", "check", ["validate", "/dev/null"]),
        ("_diff", "load_file", ["diff", "/dev/null", "/dev/null"]),
        ("_same", "decode", ["same", "/dev/null", "/dev/null"]),
        ("_explain", "explain", ["explain", "maxPods"]),
        ("_convert", "convert", ["convert", "--to-version", "v1", "/dev/null"]),
        ("_migrate", "read_started", ["migrate", "kubelet", "--", "--v=2"]),
    ],
)
def test_the_agents_commands_ask_for_a_report(
    entry: Entry,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    module: str,
    function: str,
    command: list[str],
) -> None:
    main = entry("__main__").main
    monkeypatch.setattr(entry(module), function, broken)
    assert main(command) == 1
    message = capsys.readouterr().err
    assert f"{command[0]} failed, please report it: ValueError: not enough values to unpack" in message


def test_an_error_in_the_users_input_is_still_reported_in_a_message(
    entry: Entry, capsys: pytest.CaptureFixture[str]
) -> None:
    assert entry("__main__").main(["validate", "--kubernetes-version", "nonsense", "/dev/null"]) == 2
    assert "not a Kubernetes version: 'nonsense'" in capsys.readouterr().err


def test_modules_do_not_blame_the_user_for_internal_errors_either() -> None:
    class Module:
        def fail_json(self, **answer: Any) -> None:
            raise SystemExit(json.dumps(answer))

    with pytest.raises(ValueError, match="unpack"), fail_on_file_errors(Module()):
        broken()
    with pytest.raises(SystemExit, match="is wrong"), fail_on_file_errors(Module()):
        raise ConfigError("it is wrong")
