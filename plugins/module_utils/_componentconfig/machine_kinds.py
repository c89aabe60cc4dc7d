# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ship and look up the kinds of Machines. Only what imports this file ships them."""

from __future__ import annotations

from typing import Any

from ._data import _machines as _shipped
from ._schema.kinds import Kind, find_kind, machine_kinds

__all__ = ["machine_kind", "machine_kinds"]

_SHIPPED = _shipped  # the import is what ships it


def machine_kind(api_version: Any, kind: Any) -> Kind | None:
    """Return a Machine's kind or one of those around it, None for any other."""
    known = find_kind(api_version, kind)
    return known if known is not None and known.is_of_machines else None
