# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which waves need an approval before they begin. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..._nodeconfig.strict_mapping import StrictFields
from ..._text import sanitize
from .._pool_values import texts
from .._record._control import ALL, WAVES, Control, is_wave, normalize_wave


@dataclass(frozen=True)
class Approval:
    """The waves that need an approval before they begin. before: their names, or "all"."""

    before: tuple[str, ...] = ()

    @property
    def waves(self) -> tuple[str, ...]:
        """Return the waves that are named; none for "all"."""
        return tuple(name for name in self.before if name != ALL)

    def is_needed(self, wave: str) -> bool:
        """Return whether the wave of this name needs an approval."""
        return wave in self.before or ALL in self.before


def parse_approval(fields: StrictFields, key: str) -> Approval:
    """Return policy.approval; errors are collected in the fields. key: of the section."""
    section = fields.section(key)
    names = section.get("before", _names, ())
    section.reject_unknown()
    for name in names:
        if not is_wave(name) and name != ALL:
            section.error("before", None, f"{sanitize(name, 60)!r} is not a wave: write all, or a list of {WAVES}")
    return Approval(names)


def _names(value: Any) -> tuple[str, ...]:
    return (ALL,) if value == ALL else tuple(map(normalize_wave, texts(value)))


def missing_approval(approval: Approval, control: Control, pool: str, wave: str) -> str:
    """Return the sentence about the approval that a wave waits for, "" if it may begin."""
    if not approval.is_needed(wave) or control.approves(wave):
        return ""
    return (
        f"{wave} waits for an approval: approve it with ansible-playbook configok.node.approve -e pool={pool} "
        f"-e waves={wave.replace(' ', '-')}, or abort the rollout"
    )
