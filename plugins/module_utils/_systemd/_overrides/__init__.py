# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a unit starts its component, and the override that makes it read another config file.

Only for the modules that provision units: an agent is packed without it.
"""

from __future__ import annotations

from ._exec_start import (
    CONFIG_FLAG,
    UnitStart,
    UnsupportedUnit,
    config_flag,
    find_override,
    flag_value,
    last_flag,
    path_of,
    read_unit_start,
)
from ._override_checks import Verification, override_faults, why_not_verified
from ._specifiers import HostNames, unit_specifiers
from ._unit_checks import (
    EMBEDDING_UNITS,
    MERGED_PROPERTIES,
    merged_faults,
    refuse_flags_only,
    refuse_start,
    refuse_unit,
)

__all__ = [
    "CONFIG_FLAG",
    "EMBEDDING_UNITS",
    "MERGED_PROPERTIES",
    "HostNames",
    "UnitStart",
    "UnsupportedUnit",
    "Verification",
    "config_flag",
    "find_override",
    "flag_value",
    "last_flag",
    "merged_faults",
    "override_faults",
    "path_of",
    "read_unit_start",
    "refuse_flags_only",
    "refuse_start",
    "refuse_unit",
    "unit_specifiers",
    "why_not_verified",
]
