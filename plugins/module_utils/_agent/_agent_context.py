# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AgentContext: configuration, store, clock and adapters for all parts of the agent."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, Protocol

from ._agent_configuration import AgentConfiguration, ComponentConfiguration
from ._counters import Counters
from ._interfaces import Clock, CommandRunner, HostProber, LastMessageReader, Prober, ServiceManager, TaskFactory
from ._store._store import Store
from ._validation._shadowed_fields import read_command_line
from ._validation._validator import BundleDocumentValidator, DocumentValidator, ProbedValues


class ApiClient(Protocol):
    """The requests that the agent makes. Its timeouts are short and its retries few: the agent has its own backoff."""

    def get(self, path: str, **query: Any) -> dict[str, Any]: ...

    def patch(self, path: str, body: dict[str, Any], *, kind: Literal["strategic"]) -> Any: ...

    def create(self, path: str, body: dict[str, Any]) -> Any: ...


ComponentCheck = Callable[[ComponentConfiguration, str], Sequence[Mapping[str, Any]]]
"""The component's own check of a file: returns findings as the validator does. Raises ValidationUnavailable."""


class ComponentCommands(NamedTuple):
    """The functions that run a child process or read another process.

    validate: an init config. validate_document: a bundle's document. check: the component's own check of a file.
    probed_values: where a kubelet listens, by its file. version: component -> "v1.35.2", or "" if the component gives
    no version; None: use the configured version. command_line: pid -> the command line of that process. last_message:
    None if there is no journal. run: runs any other command.
    """

    validate: DocumentValidator
    validate_document: BundleDocumentValidator
    check: ComponentCheck
    probed_values: ProbedValues
    version: Callable[[str], str] | None = None
    command_line: Callable[[int], tuple[str, ...]] = read_command_line
    last_message: LastMessageReader | None = None
    run: CommandRunner | None = None


class AgentContext(NamedTuple):
    """Configuration, store, clock and adapters, built once. new_task: creates a task for work that may hang."""

    configuration: AgentConfiguration
    store: Store
    clock: Clock
    counters: Counters
    api: ApiClient
    services: ServiceManager
    prober: Prober
    host_prober: HostProber
    commands: ComponentCommands
    new_task: TaskFactory
    agent_version: str
