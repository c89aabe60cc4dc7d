# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests configok-agent status on a terminal."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._reporting.status_writer import (
    RunReport,
    write_report,
)
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.config_ok import ConfigOk
from support.configs.agent import configured
from support.fuzz.hostile import FORGED, unsafe_texts


@pytest.mark.contract("shown.sanitized")
def test_text_of_others_cannot_draw_on_the_terminal(
    entry: Callable[[str], ModuleType], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    configuration = configured(tmp_path)
    condition = ConfigOk("False", f"using current {FORGED}", f"cause {FORGED}", "Failing")
    write_report(str(tmp_path / "run"), RunReport("0.1.0", 7, condition=condition, api_error=f"GET nodes/n1: {FORGED}"))
    assert entry("__main__").main([f"--config={configuration}", "status"]) == 0
    shown = capsys.readouterr()
    assert "wave 1 passed" in shown.out
    assert unsafe_texts([shown.out, shown.err]) == []
    assert not any(line.startswith("wave") for line in shown.out.splitlines())


def test_what_a_component_said_last_is_read_from_the_journal(
    entry: Callable[[str], ModuleType], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    readers: list[object] = []

    def describe(_configuration: object, messages: object = None) -> dict[str, str]:
        readers.append(messages)
        return {}

    monkeypatch.setattr(entry("_agent._cli"), "describe_node", describe)
    configuration = configured(tmp_path)
    assert entry("__main__").main([f"--config={configuration}", "status", "--json"]) == 0
    log = entry("_agent._reporting._crash_messages").LastMessages
    assert [isinstance(reader, log) for reader in readers] == [True]
