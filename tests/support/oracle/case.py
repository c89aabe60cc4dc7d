# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A config for the oracle, and its answer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from support.configs.kubelet import KUBELET_KIND

__all__ = ["STAGES", "Answer", "Case", "config", "document"]

# As on every test node: see docs/development/testing.md.
_BASE: Mapping[str, Any] = {"cgroupsPerQOS": False, "enforceNodeAllocatable": []}

STAGES = ("load", "validation", "start", "running")
"""Where a kubelet ends with a config: refused at load, at validation, at start; or running."""


@dataclass(frozen=True)
class Case:
    """A config file as text. name: unique, and the same in every run.

    files: texts by absolute path that the kubelet finds on its host in this case; facts: the facts of the host that
    differ for it (fields of `_rules._host_rules.Host`).
    """

    name: str
    text: str
    files: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def group(self) -> str:
        """The way it was made: the first word of its name."""
        return self.name.split()[0]


@dataclass(frozen=True)
class Answer:
    """Where a kubelet ended, of STAGES, and its last message."""

    stage: str
    message: str = ""

    @property
    def refused(self) -> bool:
        """Whether it does not run."""
        return self.stage != "running"


def document(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return a config with these fields over those of every test node; a key may be a path with dots."""
    result: dict[str, Any] = {**KUBELET_KIND, **_BASE}
    for path, value in fields.items():
        *parents, last = path.split(".")
        place = result
        for parent in parents:
            place = place.setdefault(parent, {})
        place[last] = value
    return result


def config(name: str, fields: Mapping[str, Any], **more: Any) -> Case:
    """Return a case of such a config, as YAML with a field on each line. more: other arguments of Case."""
    lines = [f"{key}: {json.dumps(value)}\n" for key, value in document(fields).items()]
    return Case(name, "".join(lines), **more)
