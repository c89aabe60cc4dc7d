# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a package above the engine needs to declare kinds of its own: their facts, and the parts of their rules."""

from __future__ import annotations

from ._rules._rule import (
    EffectiveConfig,
    Rule,
    Violations,
    all_of,
    duplicates,
    in_range,
    objects_must,
    required,
    unique,
    values_at,
    values_must,
)
from ._scalars._syntax import (
    is_dns_name,
    is_ip,
    is_label_key,
    is_label_value,
    is_port,
    network,
    split_host_port,
    split_url,
)
from ._schema._declared import DECLARED, DeclaredKinds
from ._schema._defaults import apply_defaults
from ._schema._type_check import check_types
from ._schema.kinds import Kind, declared_kinds, find_kind

__all__ = [
    "DECLARED",
    "DeclaredKinds",
    "EffectiveConfig",
    "Kind",
    "Rule",
    "Violations",
    "all_of",
    "apply_defaults",
    "check_types",
    "declared_kinds",
    "duplicates",
    "find_kind",
    "in_range",
    "is_dns_name",
    "is_ip",
    "is_label_key",
    "is_label_value",
    "is_port",
    "network",
    "objects_must",
    "required",
    "split_host_port",
    "split_url",
    "unique",
    "values_at",
    "values_must",
]
