# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests the versions of components: configured, or asked once for each program file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from ansible_collections.configok.node.plugins.module_utils._agent._agent_configuration import (
    AgentConfiguration,
    ComponentConfiguration,
)
from ansible_collections.configok.node.plugins.module_utils._agent._interfaces import CommandResult
from support.agents.log_lines import record_log

Entry = Callable[[str], ModuleType]


def test_configured_asked_and_asked_again_when_the_program_changes(entry: Entry, tmp_path: Path) -> None:
    program = tmp_path / "kubelet"
    program.write_text("one")
    answers = ["Kubernetes v1.35.2\n", "Kubernetes v1.36.0-rc.1\n", "no idea\n"]
    log = record_log([])

    def runner(argv: Any, **_options: Any) -> CommandResult:
        return CommandResult(0, answers.pop(0), "")

    versions = entry("_version_command").ComponentVersions(
        AgentConfiguration(
            "n1",
            "/k",
            {
                "kubelet": ComponentConfiguration("kubelet", "k.service", version_command=(str(program), "--version")),
                "kube-proxy": ComponentConfiguration("kube-proxy", "p.service", version="v1.2.3"),
                "other": ComponentConfiguration("other", "o.service"),
            },
        ),
        runner,
    )
    assert (versions("kube-proxy"), versions("other")) == ("v1.2.3", "")
    assert (versions("kubelet"), versions("kubelet")) == ("v1.35.2", "v1.35.2")
    program.write_text("another")
    assert versions("kubelet") == "v1.36.0-rc.1"
    program.write_text("a third one")
    assert versions("kubelet") == ""
    assert [message for _level, message, _fields in log] == [f"{program} did not say its version"]
