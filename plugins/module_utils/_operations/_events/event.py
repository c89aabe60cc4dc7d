# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An event, and the kinds of events. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any, NamedTuple

_HARMLESS = str.maketrans({"{": "(", "}": ")", "\\": "/", "'": "\u2019", '"': "\u2019"})


class Kind(str, Enum):
    """What has happened."""

    NODES_JOINED = "nodes_joined"
    CONFIG_FAILED = "config_failed"
    CONFIG_UNKNOWN = "config_unknown"
    CONFIG_RECOVERED = "config_recovered"
    DRIFTED = "drifted"
    AGENT_SILENT = "agent_silent"
    ROLLOUT_PAUSED = "rollout_paused"
    ROLLOUT_HALTED = "rollout_halted"
    ROLLOUT_COMPLETED = "rollout_completed"


class Event(NamedTuple):
    """Something that has happened, once.

    key: the same for the same news of this kind, also after a restart of the source. fields: plain data, by name.
    """

    kind: Kind
    key: str
    fields: Mapping[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Return the event as rulebooks see it.

        Nodes write some of its texts, and rulebooks put them into playbooks. There, braces and the header #jinja2 make
        a template, and ansible-rulebook evaluates a text that is a Python literal. Neither is left.
        """
        return {"kind": self.kind.value, **_harmless({"key": self.key, **self.fields})}


def _harmless(value: Any) -> Any:
    if isinstance(value, str):
        return value.translate(_HARMLESS).replace("#jinja2", "# jinja2")
    if isinstance(value, Mapping):
        return {name: _harmless(item) for name, item in value.items()}
    return [_harmless(item) for item in value] if isinstance(value, list) else value
