# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Declare the kinds of Machines to the engine, and look them up. Only what imports this file ships them."""

from __future__ import annotations

from typing import Any

from .._componentconfig.declared_kinds import DECLARED, DeclaredKinds, Kind, declared_kinds, find_kind
from . import _data
from ._rules import MACHINE_RULES

__all__ = ["machine_kind", "machine_kinds"]

DECLARED["machines"] = DeclaredKinds(_data.INDEX, _data.KINDS, _data.RULES, MACHINE_RULES)


def machine_kind(api_version: Any, kind: Any) -> Kind | None:
    """Return a Machine's kind or one of those around it, None for any other."""
    known = find_kind(api_version, kind)
    return known if known is not None and known.is_declared else None


def machine_kinds() -> tuple[Kind, ...]:
    """Return Machine and the kinds around it."""
    return declared_kinds()
