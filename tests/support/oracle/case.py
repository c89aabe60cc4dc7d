# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A config to ask the oracle about, and how it answers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from support.configs.kubelet import KUBELET_KIND

__all__ = ["MINOR", "STAGES", "Answer", "Case", "config", "document"]

MINOR = 20
# What is as in every test node: see docs/development/testing.md.
_BASE: Mapping[str, Any] = {"cgroupsPerQOS": False, "enforceNodeAllocatable": []}

STAGES = ("load", "validation", "start", "running")
"""Where a kubelet ends that is given a config: refused at load, at validation, at start; or running."""


@dataclass(frozen=True)
class Case:
    """A config file as text. name is unique, and the same in every run.

    files: texts by absolute path that the kubelet finds on its host in this case; facts: what of the host's facts is
    another one for it (fields of `_rules._host.Host`).
    """

    name: str
    text: str
    files: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def group(self) -> str:
        """How it was made: the first word of its name."""
        return self.name.split()[0]


@dataclass(frozen=True)
class Answer:
    """Where a kubelet ended, of STAGES, and what it said last."""

    stage: str
    said: str = ""

    @property
    def refused(self) -> bool:
        """Whether it does not run."""
        return self.stage != "running"


def document(fields: Mapping[str, Any]) -> dict[str, Any]:
    """A config with these fields over those of every test node; a key may be a path with dots."""
    result: dict[str, Any] = {**KUBELET_KIND, **_BASE}
    for path, value in fields.items():
        *parents, last = path.split(".")
        place = result
        for parent in parents:
            place = place.setdefault(parent, {})
        place[last] = value
    return result


def config(name: str, fields: Mapping[str, Any], **more: Any) -> Case:
    """A case of such a config, written as YAML with a field to each line. more: what else Case takes."""
    lines = [f"{key}: {json.dumps(value)}\n" for key, value in document(fields).items()]
    return Case(name, "".join(lines), **more)
