# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The filter quantity."""

from __future__ import annotations

DOCUMENTATION = r"""
name: quantity
short_description: Turn a Kubernetes quantity into a number, or write it in a unit
version_added: 0.1.0
author:
  - The configok.node authors (@configok)
description:
  - Reads quantities as component configs have them, such as V(500m), V(2), V(100Mi), V(1.5Gi) or V(10e3), exactly as
    Kubernetes does.
  - Without O(to) returns a number, which is whole if the quantity is; with O(to) returns text in that unit.
positional: to
options:
  _input:
    description: A quantity, as text or as a number.
    type: raw
    required: true
  to:
    description:
      - The unit to write it in, one of V(Ki), V(Mi), V(Gi), V(Ti), V(Pi), V(Ei), V(k), V(M), V(G), V(T), V(P), V(E),
        V(m), V(u) and V(n).
      - It is an error if that needs more than three decimals.
    type: str
"""

EXAMPLES = r"""
- name: Reserve a tenth of the memory, and show it in two ways
  ansible.builtin.debug:
    msg:
      - "{{ '1.5Gi' | configok.node.quantity }}"
      - "{{ '1.5Gi' | configok.node.quantity(to='Mi') }}"
      - "{{ ('10Gi' | configok.node.quantity // 10) | configok.node.quantity('Mi') }}"
  # => [1610612736, "1536Mi", "1024Mi"]
"""

RETURN = r"""
_value:
  description: A number, or text if O(to) is set.
  type: raw
"""

from fractions import Fraction
from typing import Any

from ansible.errors import AnsibleFilterError

from ansible_collections.configok.node.plugins.module_utils._componentconfig import ConfigError
from ansible_collections.configok.node.plugins.module_utils._componentconfig._scalars.numbers import (
    format_quantity,
    parse_quantity,
)


def quantity(value: Any, to: str | None = None) -> int | float | str:
    """Return a quantity as a number, or as text in a unit; raise AnsibleFilterError if it is not a quantity."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise AnsibleFilterError(f"quantity needs text or a number, not {type(value).__name__}")
    try:
        amount = Fraction(value) if isinstance(value, int) else parse_quantity(value)
        if to is not None:
            return format_quantity(amount, str(to))
    except ConfigError as error:
        raise AnsibleFilterError(f"quantity: {error}") from error
    return amount.numerator if amount.denominator == 1 else float(amount)


class FilterModule:
    """The plugin that Ansible loads."""

    def filters(self) -> dict[str, Any]:
        """Return the filters by name."""
        return {"quantity": quantity}
