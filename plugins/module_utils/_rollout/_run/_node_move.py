# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The move of one node: what its steps share, and the requests that several of them make."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ..._kube.api_client import Client
from ..._text import sanitize
from .._drain._drainer import Drainer
from .._drain.rebooter import Rebooter
from .._nodes._node_watcher import NodeWatcher
from .._nodes.node_access import NodeAssignment
from .._nodes.node_list import find_node
from .._nodes.node_view import NodeView
from ..goals import Goal, HostAction, MachineGoal
from ._node_facts import NodeFacts
from ._session import RunSession
from .host_change import ChangeNotBegun, HostOptions, MachineRequest

_POLL = 2.0  # seconds between two looks at a Node
_MAX_REASON = 600  # characters
_VERBS: Mapping[HostAction, str] = {
    "create": "creating",
    "update": "updating",
    "rollback": "taking back",
    "delete": "deleting",
}


@dataclass
class MoveTools:
    """What all moves of a wave use; safe for many threads, each with a node of its own.

    confirm_after: the seconds after which agents are to confirm their assignment. is_stopping: ends drains, and waits
    for reboots and Nodes, that are under way. left_cordoned: nodes whose hosts are in no state that is known.
    """

    session: RunSession
    watcher: NodeWatcher
    drainer: Drainer
    rebooter: Rebooter
    facts: NodeFacts
    host: HostOptions
    confirm_after: float
    is_stopping: bool = False
    left_cordoned: set[str] = field(default_factory=set)

    def should_stop(self) -> bool:
        """Return whether the wave ends."""
        return self.is_stopping


@dataclass
class NodeMove:
    """One node, while a thread carries out its steps.

    view: its Node before the first step, None without a Node. is_drained: a step has made the node unavailable.
    assignment: what a step has assigned.
    """

    tools: MoveTools
    name: str
    view: NodeView | None
    goal: Goal
    is_drained: bool = False
    assignment: NodeAssignment | None = None

    @property
    def client(self) -> Client:
        """Return the client for writes to the Node.

        The write that makes a node unavailable is not repeated after an outage, since other nodes may be down then.
        """
        session = self.tools.session
        is_unavailable = self.is_drained or self.goal.makes_or_deletes_node
        return session.client if is_unavailable else session.single_attempt_client

    def change_host(self, action: HostAction, goal: MachineGoal, *, may_stop: bool = True) -> str:
        """Have the provider change the host. Return why that failed, "" for success. Raises ChangeNotBegun.

        may_stop: False for a change that begins although the wave ends.
        """
        tools = self.tools
        if may_stop and tools.should_stop():
            raise ChangeNotBegun
        tools.session.keep_lock()  # another runner must not change the same host
        tools.session.say(f"{_VERBS[action]} {self.name}")
        request = MachineRequest(
            self.name,
            action,
            goal,
            tools.host.timeout,
            tools.session.client,
            tools.should_stop if may_stop else (lambda: False),
            tools.host.rollout,
        )
        return sanitize(tools.host.change(request), _MAX_REASON).rstrip(".")

    def await_node(self, holds: Callable[[NodeView | None], bool]) -> bool:
        """Wait until a condition holds for the Node, for the time that a node has. Return whether it holds."""
        tools, clock = self.tools, self.tools.session.node_clock
        deadline = clock.monotonic() + tools.host.node_timeout
        while True:
            if holds(find_node(tools.session.client, self.name)):
                return True
            if tools.should_stop() or clock.monotonic() >= deadline:
                return False
            clock.sleep(_POLL)
