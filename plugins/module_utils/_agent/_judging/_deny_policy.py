# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Denied fields of the AgentConfiguration held against the fields that there are. Private to configok.node.

Apart from parsing, since prestart parses at every start of a component and has no time for the engine.
"""

from __future__ import annotations

from ..._componentconfig._denials import unknown_fields
from ..._componentconfig._schema._kinds import MAIN_KINDS
from .._basis._configuration import AgentConfiguration, InvalidConfiguration

__all__ = ["deprecations", "refuse_unknown_fields"]


def refuse_unknown_fields(configuration: AgentConfiguration) -> None:
    """Raise InvalidConfiguration for denied or allowed fields that the component's kind does not have.

    A component whose kind cannot be told by its name may name fields of any kind.
    """
    errors = []
    for name, component in configuration.components.items():
        kind = MAIN_KINDS.get(name, "")
        lists = {
            "deniedFields": component.deny.instead or (),
            "additionalDeniedFields": component.deny.additional,
            "allowedFields": component.deny.allowed,
        }
        for option, patterns in lists.items():
            for pattern in unknown_fields(patterns, kind):
                what = f"a field of a {kind}" if kind else "a field of any kind that is known"
                errors.append(f"components.{name}.{option}: {pattern!r} must be {what}")
    if errors:
        raise InvalidConfiguration(errors)


def deprecations(configuration: AgentConfiguration) -> list[str]:
    """Return a sentence for each option of a deny policy that still works and should be replaced."""
    return [
        f"components.{name}.deniedFields is deprecated: it misses the fields that later versions deny; use "
        "additionalDeniedFields and allowedFields"
        for name, component in configuration.components.items()
        if component.deny.instead is not None
    ]
