# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check the rules of each component, one file for each component, and look up the generated facts about rules.

The facts are the minors and fields of each rule, and the tables of values that rules need.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any, cast

from .._schema._declared import DECLARED
from .._schema.kinds import KUBELET_CONFIGURATION, DataModule, Kind

__all__ = ["rule_facts", "sections_of", "value_facts", "value_table"]


_SECTIONS = {KUBELET_CONFIGURATION: ("kubelet", "kubeletStart"), "KubeProxyConfiguration": ("kubeProxy",)}
"""The sections of kinds that do not have the kind's name."""


@cache
def _facts_of(component: DataModule) -> dict[str, Any]:
    if component in DECLARED:
        return cast("dict[str, Any]", json.loads(DECLARED[component].rules))
    from .._data import _validation_rules

    return cast("dict[str, Any]", json.loads(getattr(_validation_rules, component.upper())))


def rule_facts(component: DataModule, section: str) -> dict[str, Any]:
    """Return the rules of a section (see `sections_of`) by id: `fields`, `since`, `last`, `gate`, `os`, `level`."""
    return cast("dict[str, Any]", _facts_of(component)[section])


def sections_of(kind: Kind) -> tuple[str, ...]:
    """Return the sections of rule facts for a kind, none for a kind without rules."""
    facts = _facts_of(kind.data_module)
    return tuple(name for name in _SECTIONS.get(kind.unique_name, (kind.unique_name,)) if name in facts)


def value_facts(name: str, minor: int, component: DataModule = "kubelet") -> Any:
    """Return the row of a table of values that holds at a minor, None for none."""
    rows = _facts_of(component)["values"][name]
    return rows.get(max((key for key in rows if int(key) <= minor), key=int, default=""))


def value_table(name: str, component: DataModule = "kubelet") -> Any:
    """Return a table of values that is the same at every minor."""
    return _facts_of(component)["values"][name]
