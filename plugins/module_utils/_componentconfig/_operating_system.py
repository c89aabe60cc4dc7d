# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the fields of a config that its component reads on another operating system only."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from typing import Any

from . import ConfigError
from ._scalars.duration import nanoseconds
from ._scalars.field_path import Path
from ._schema.kinds import OperatingSystem
from .findings import Finding, Level

_RULE = "operating-system"


def other_system_findings(
    data: Mapping[str, Any],
    fields: Mapping[str, Any],
    system: OperatingSystem,
    component: str,
    refused: Container[Path] = (),
    parents: Path = (),
) -> Iterator[Finding]:
    """Yield the fields that a document sets although the component reads them on another operating system only.

    A zero value is left out, since tools that write all fields write it. refused: the paths that the component refuses.
    """
    for name, value in data.items():
        entry, path = fields.get(name, {}), (*parents, name)
        reader = entry.get("os", system)
        if reader != system:
            if path not in refused and not _is_zero(value):
                message = f"has no effect on {system.capitalize()}: {component} reads it on {reader.capitalize()} only"
                yield Finding(path, message, _RULE, Level.WARNING)
        elif isinstance(value, dict) and str(entry.get("type")) == "object":
            yield from other_system_findings(value, entry.get("fields", {}), system, component, refused, path)


def _is_zero(value: Any) -> bool:
    """Return whether a value is the one of a field that is not set: 0, "", false, an empty list, or only such."""
    if isinstance(value, dict):
        return all(_is_zero(item) for item in value.values())
    if not value:
        return True
    try:
        return isinstance(value, str) and nanoseconds(value) == 0
    except ConfigError:
        return False
