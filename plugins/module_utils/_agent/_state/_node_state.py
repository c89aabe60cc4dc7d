# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""TODO."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ._active_config import ActiveConfig
from ._records import AnsweredAssignment, ConfigRecord
from ._startups import BadConfig, Start

__all__ = ["NodeInputs", "NodeState", "Records"]


class NodeInputs(NamedTuple):
    """The texts of a component's own configs on this node (None: there is none), the command line it runs with, and
    the path and text of each drop-in that this one names, lowest first; bytes that are no UTF-8 are surrogates."""

    init: str | None = None
    instance: str | None = None
    arguments: tuple[str, ...] = ()
    drop_ins: tuple[tuple[str, str], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return them as JSON-able data."""
        return {
            "init": self.init,
            "instance": self.instance,
            "arguments": list(self.arguments),
            "dropIns": [list(one) for one in self.drop_ins],
        }

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> NodeInputs:
        """Read what to_dict() has written. Raises KeyError, TypeError, ValueError."""
        drop_ins = tuple((path, text) for path, text in value["dropIns"])
        return cls(value["init"], value["instance"], tuple(value["arguments"]), drop_ins)


class NodeState(NamedTuple):
    """The records, what is tracked of each component, and what the node is to use because of that."""

    snapshot: Records
    choice: ActiveConfig
    versions: Mapping[str, str]
    startups: Mapping[str, Sequence[Start]]
    bad: Mapping[str, BadConfig]
    crashes: Mapping[str, int]  # since the later of boot and adoption (or roll-back)

    @property
    def current(self) -> ConfigRecord:
        """The record in use, LOCAL for the init config."""
        return self.choice.record

    def worst(self) -> str:
        """Return the component of current with most crashes."""
        current = self.snapshot.current
        names = sorted(name for name in self.crashes if current is None or current.involves(name))
        return max(names, key=lambda name: self.crashes[name], default="")

    def last_start(self, component: str) -> Start | None:
        """Return the last start that was written down."""
        starts = self.startups.get(component) or ()
        return starts[-1] if starts else None


class Records(NamedTuple):
    """What the store says at one moment. current, last_known_good: None where the record is missing or was damaged."""

    current: ConfigRecord | None
    last_known_good: ConfigRecord | None
    answered: AnsweredAssignment
    fresh: bool  # neither record was ever written: a node that has only its local config
