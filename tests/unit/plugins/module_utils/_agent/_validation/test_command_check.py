# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A component's own check: its output becomes a finding, bounded, without secrets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._agent_configuration import ComponentConfiguration
from ansible_collections.configok.node.plugins.module_utils._agent._interfaces import CommandResult
from ansible_collections.configok.node.plugins.module_utils._agent._validation._validator import (
    CommandCheck,
    ValidationUnavailable,
)

COMPONENT = ComponentConfiguration(name="kubelet", unit="kubelet.service", check_command=("check",))


def own_check(code: int, output: str) -> CommandCheck:
    def run(
        argv: Sequence[str], *, timeout: float, env: Mapping[str, str] | None = None, stdin: str = ""
    ) -> CommandResult:
        assert list(argv) == ["check", "/config"]
        return CommandResult(code, "", output)

    return CommandCheck(run)


def test_what_it_accepts_has_no_finding() -> None:
    assert own_check(0, "fine")(COMPONENT, "/config") == []


@pytest.mark.contract("manners.no-secret")
def test_the_output_of_the_command_is_reported_without_secrets() -> None:
    (finding,) = own_check(1, "reading\nbad token: hunter2 in the file\n")(COMPONENT, "/config")
    assert finding["message"] == "refused by its own check: bad token: *** in the file"
    with pytest.raises(ValidationUnavailable) as failed:
        own_check(127, "bad token: hunter2")(COMPONENT, "/config")
    assert "hunter2" not in str(failed.value)


def test_what_it_says_is_bounded() -> None:
    (finding,) = own_check(1, "x" * 10_000)(COMPONENT, "/config")
    assert len(finding["message"]) < 400
