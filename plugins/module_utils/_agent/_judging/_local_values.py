# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The values that this node has of its own: its init config and its instance config, decoded. Private to configok.node.

Imports no engine, since the daemon reads them too.
"""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from .._basis._configuration import ComponentConfiguration
from ._render import NotRendered, decode, resolved

__all__ = ["LocalValues", "local_text", "local_values"]


class LocalValues(NamedTuple):
    """A component's own configs on this node; None for one that is absent or cannot be decoded."""

    init: Any = None
    instance: Any = None


def local_text(path: str) -> str | None:
    """Return the text of one of this node's own configs, None where there is none that can be read."""
    if not path:
        return None
    try:
        with open(path, "rb") as file:
            return file.read().decode("utf-8", "replace")
    except OSError:
        return None


def local_values(component: ComponentConfiguration) -> LocalValues:
    """Read a component's own configs; relative paths of the init config mean its directory."""
    init = _decoded(component.init_config)
    directory = os.path.dirname(os.path.abspath(component.init_config))
    return LocalValues(resolved(component.name, init, directory), _decoded(component.instance_config))


def _decoded(path: str) -> Any:
    text = local_text(path)
    try:
        return None if text is None else decode(text, path)
    except (NotRendered, ImportError):
        return None
