# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Look up the facts about rules: since when they hold, for which fields, and the tables of values that they need.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any, cast

__all__ = ["rule_facts", "value_facts", "value_table"]


@cache
def _facts_of(component: str) -> dict[str, Any]:
    from .._data import _validation_rules

    return cast("dict[str, Any]", json.loads(getattr(_validation_rules, component.upper())))


def rule_facts(component: str, section: str) -> dict[str, Any]:
    """Return the rules of a section by id: `fields`, `since`, `last`, `gate`, `os`, `level`.

    The sections of `kubelet` are `kubelet`, `kubeletStart` and its other kinds, that of `kube_proxy` is `kubeProxy`;
    those of the others are kinds.
    """
    return cast("dict[str, Any]", _facts_of(component)[section])


def value_facts(name: str, minor: int, component: str = "kubelet") -> Any:
    """Return the row of a table of values that holds at a minor, None where none does."""
    rows = _facts_of(component)["values"][name]
    return rows.get(max((key for key in rows if int(key) <= minor), key=int, default=""))


def value_table(name: str, component: str = "kubelet") -> Any:
    """Return a table of values that is the same at every minor."""
    return _facts_of(component)["values"][name]
