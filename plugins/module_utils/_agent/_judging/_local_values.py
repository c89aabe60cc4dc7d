# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What this node has of its own for a component: init config, instance config, command line and drop-ins. Private to
configok.node.

Read once for each preparation: what is judged, what is rendered and what a verdict is kept under cannot differ. Imports
nothing of the engine but its decoder, and that for YAML alone, since the daemon reads them too.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from ..._host._component_process import drop_ins, read_drop_in
from .._basis._configuration import ComponentConfiguration
from .._storage._store import Store
from ._command_line import command_line
from ._render import NotRendered, decode, resolved
from ._rendered import read_own

__all__ = ["Inputs", "LocalValues", "local_values", "read_drop_ins", "read_inputs", "read_own_configs"]


class Inputs(NamedTuple):
    """The texts of a component's own configs on this node (None: there is none), the command line it runs with, and
    the path and text of each drop-in that this one names, lowest first; bytes that are no UTF-8 are surrogates."""

    init: str | None = None
    instance: str | None = None
    arguments: tuple[str, ...] = ()
    drop_ins: tuple[tuple[str, str], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return them as JSON-able data."""
        return {
            "init": self.init,
            "instance": self.instance,
            "arguments": list(self.arguments),
            "dropIns": [list(one) for one in self.drop_ins],
        }

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Inputs:
        """Read what to_dict() has written. Raises KeyError, TypeError, ValueError."""
        drop_ins = tuple((path, text) for path, text in value["dropIns"])
        return cls(value["init"], value["instance"], tuple(value["arguments"]), drop_ins)


def read_inputs(component: ComponentConfiguration, store: Store) -> Inputs:
    """Read them. Raises OSError, but for an init config that cannot be read: it may be lost, and is not used then."""
    instance = read_own(component.instance_config)
    argv = command_line(store, component.name)
    return Inputs(_text(component.init_config), instance, argv, read_drop_ins(argv))


def read_drop_ins(argv: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Read the drop-ins that a command line names, as Inputs has them. Raises OSError."""
    return tuple((path, read_drop_in(path).decode("utf-8", "surrogateescape")) for path in drop_ins(argv))


def read_own_configs(component: ComponentConfiguration) -> Inputs:
    """Read a component's own configs alone, as far as they can be read."""
    return Inputs(_text(component.init_config), _text(component.instance_config))


class LocalValues(NamedTuple):
    """A component's own configs on this node; None for one that is absent or cannot be decoded."""

    init: Any = None
    instance: Any = None


def _text(path: str) -> str | None:
    try:
        return read_own(path)
    except OSError:
        return None


def local_values(component: ComponentConfiguration, inputs: Inputs) -> LocalValues:
    """Return a component's own configs, decoded; relative paths of the init config mean its directory."""
    init = _decoded(inputs.init, component.init_config)
    directory = os.path.dirname(os.path.abspath(component.init_config))
    instance = _decoded(inputs.instance, component.instance_config)
    return LocalValues(resolved(component.name, init, directory), instance)


def _decoded(text: str | None, path: str) -> Any:
    try:
        return None if text is None else decode(text, path)
    except (NotRendered, ImportError):
        return None
