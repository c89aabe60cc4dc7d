# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads where a running component listens: by its file, its drop-ins and its flags.

The flags are those of the probed process. Another process merges, because the engine would cost the daemon too much
memory; it is run only where a flag or a drop-in may decide.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._componentconfig._flags.kubelet_flags import fields_set_by_flags
from ._agent_context import AgentContext
from ._instance_addresses import HEALTH_URL, instance_url
from ._log import log
from ._state.health import Unit
from ._state.node_state import NodeInputs
from ._store._rendered_files import config_fields
from ._validation._node_inputs import read_drop_ins
from ._validation._shadowed_fields import PROBED_FIELDS, recorded_command_line
from ._validation._validator import ValidationUnavailable


class ProbedConfigs:
    """The config that each component runs with, as far as a probe needs it. Keeps nothing on disk."""

    def __init__(self, context: AgentContext) -> None:
        self._configuration = context.configuration
        self._store = context.store
        self._command_line = context.commands.command_line
        self._merge = context.commands.probed_values
        self._known: dict[str, tuple[object, Mapping[str, Any]]] = {}

    def read(self, component: str, unit: Unit) -> Mapping[str, Any]:
        """Return the values with which a unit's process runs. It may hang as the process does."""
        data = self._store.read_config(component) or b""
        argv = self._command_line(unit.pid) if unit.pid is not None else ()
        argv = argv or recorded_command_line(self._store, component).argv
        inputs = NodeInputs(arguments=argv, drop_ins=_drop_ins(argv))
        if self._configuration.components[component].manifest:
            return {HEALTH_URL: instance_url(component, argv)}
        known = self._known.get(component)
        if known is not None and known[0] == (data, inputs):
            return known[1]
        values = config_fields(data)
        if component == "kubelet" and (inputs.drop_ins or fields_set_by_flags(argv, PROBED_FIELDS)):
            version = self._store.known_version(component, self._configuration.components[component].version)
            try:
                values = {**values, **self._merge(self._store.config_path(component), version, inputs)}
            except ValidationUnavailable as error:
                log.warning("%s", error, extra={"component": component})
                return values
        self._known[component] = ((data, inputs), values)
        return values


def _drop_ins(argv: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    try:
        return read_drop_ins(argv)
    except OSError:
        return ()  # the component itself reports the error
