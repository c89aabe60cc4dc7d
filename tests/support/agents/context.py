# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An AgentContext for a test of one part that needs only the API and the time."""

from __future__ import annotations

from typing import Any, cast

from ansible_collections.configok.node.plugins.module_utils._agent._agent_configuration import AgentConfiguration
from ansible_collections.configok.node.plugins.module_utils._agent._agent_context import AgentContext
from ansible_collections.configok.node.plugins.module_utils._agent._counters import Counters
from support.agents.background import InlineTask
from support.agents.bench import NODE, FakeClock

__all__ = ["new_context"]


def new_context(api: Any, clock: FakeClock) -> AgentContext:
    """Return a context with this API and clock. Its store, services, prober and commands cannot be used."""
    unused = cast("Any", None)
    return AgentContext(
        configuration=AgentConfiguration(NODE, "/nowhere", {}),
        store=unused,
        clock=clock,
        counters=Counters(["kubelet"]),
        api=api,
        services=unused,
        prober=unused,
        host_prober=unused,
        commands=unused,
        new_task=InlineTask,
        agent_version="0.1.0",
    )
