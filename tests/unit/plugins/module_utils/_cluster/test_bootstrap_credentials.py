# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""When a kubelet has joined."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._cluster.bootstrap_credentials import _has_joined


def node(uid: str = "a", **conditions: tuple[str, str]) -> dict[str, Any]:
    """Return a Node with conditions, each with its status and its heartbeat."""
    items = [{"type": kind, "status": status, "lastHeartbeatTime": beat} for kind, (status, beat) in conditions.items()]
    return {"metadata": {"uid": uid}, "status": {"conditions": items}}


@pytest.mark.parametrize(
    ("before", "current", "needs_certificate", "waited", "expected"),
    [
        (None, None, False, 100.0, False),
        (None, node(), False, 0.0, True),
        (node("a"), node("b"), False, 0.0, True),
        (node("a"), None, False, 100.0, False),
        (node(Ready=("True", "1")), node(Ready=("True", "1")), False, 5.0, False),
        (node(Ready=("True", "1")), node(Ready=("True", "2")), False, 0.0, True),
        (node(Ready=("True", "1")), node(Ready=("True", "1")), False, 10.0, True),
        (node(Ready=("False", "1")), node(Ready=("False", "1")), False, 100.0, False),
        (node(Ready=("True", "1")), node(Ready=("True", "2")), True, 100.0, False),
        # The cluster writes Unknown on a lost Node, and the agent writes ConfigOK.
        (node(Ready=("Unknown", "1")), node(Ready=("Unknown", "2")), False, 100.0, False),
        (node(ConfigOK=("True", "1")), node(ConfigOK=("True", "2")), False, 100.0, False),
        (node(Ready=("Unknown", "1")), node(Ready=("False", "2")), False, 0.0, True),
    ],
)
def test_a_node_has_joined(
    before: dict[str, Any] | None,
    current: dict[str, Any] | None,
    needs_certificate: bool,
    waited: float,
    expected: bool,
) -> None:
    assert _has_joined(before, current, needs_certificate=needs_certificate, waited=waited) is expected
