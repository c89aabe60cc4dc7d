# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Two files compared by a child process, which receives the inputs that the agent has read."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._interfaces import CommandResult
from ansible_collections.configok.node.plugins.module_utils._agent._state._node_state import NodeInputs
from ansible_collections.configok.node.plugins.module_utils._agent._validation._validator import SameConfigCommand

INPUTS = NodeInputs(drop_ins=(("/d/10.conf", "maxPods: 4\n"),))


@pytest.mark.parametrize(("code", "same"), [(0, True), (1, False), (2, False), (124, False), (-9, False)])
def test_the_child_has_the_drop_ins_and_only_its_yes_counts(code: int, same: bool) -> None:
    calls: list[tuple[list[str], str]] = []

    def run(
        argv: Sequence[str], *, timeout: float, env: Mapping[str, str] | None = None, stdin: str = ""
    ) -> CommandResult:
        calls.append((list(argv), stdin))
        return CommandResult(code, "", "")

    assert SameConfigCommand(run, ["configok-agent", "same"])("/a", "/b", "v1.35.0", INPUTS) is same
    [(argv, stdin)] = calls
    assert argv == ["configok-agent", "same", "--kubernetes-version", "v1.35.0", "--with-inputs", "/a", "/b"]
    assert NodeInputs.from_dict(json.loads(stdin)) == INPUTS
