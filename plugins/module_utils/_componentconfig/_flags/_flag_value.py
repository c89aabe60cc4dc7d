# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Define the values of a flag, as its rules see them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Callable, NamedTuple

from .._scalars._syntax import is_ip
from .._schema._feature_gates import FeatureGates


class FlagValue(NamedTuple):
    """The values of all uses of a flag, in their order, with what a rule needs around it.

    uses: the values of all flags of the command line. facts: the row of the rule. minor: of the component, while
    `gates` may be those of an older one that it emulates.
    """

    name: str
    values: Sequence[str]
    uses: Mapping[str, Sequence[str]]
    gates: FeatureGates
    facts: Mapping[str, Any]
    minor: int

    @property
    def last(self) -> str:
        """The value of the last use."""
        return self.values[-1]

    def value_of(self, flag: str) -> str:
        """Return the last value of another flag, "" without it."""
        return (self.uses.get(flag) or ("",))[-1]

    def items_of(self, flag: str) -> list[str]:
        """Return the items of a flag that is a list, of all its uses."""
        return [part.strip() for value in self.uses.get(flag, ()) for part in value.split(",") if part.strip()]

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The keys and values of a map, as they are written: a key without a value has an empty one."""
        parts = [part.partition("=") for value in self.values for part in value.split(",") if part]
        return [(key.strip(), value.strip()) for key, _equals, value in parts]

    @property
    def addresses(self) -> list[str]:
        """The IP addresses of a list; the kubelet leaves out anything else."""
        return [part.strip() for part in self.last.split(",") if is_ip(part.strip())]


FlagRule = Callable[[FlagValue], Iterator[str]]
"""Yields what is wrong with the values of a flag."""
