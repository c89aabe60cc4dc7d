# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbooks that users run before and after a wave: the section playbooks of a policy."""

from __future__ import annotations

from dataclasses import dataclass

from ..._nodeconfig.strict_mapping import StrictFields
from ._gate_values import positive_duration, required_text

_TIMEOUT = 1800.0


@dataclass(frozen=True)
class WavePlaybooks:
    """The user's own playbooks before and after each wave, "" for none. timeout: seconds for each run."""

    before_wave: str = ""
    after_wave: str = ""
    timeout: float = _TIMEOUT


def parse_wave_playbooks(fields: StrictFields) -> WavePlaybooks:
    """Return the playbooks in the fields of a policy; errors are collected in them."""
    playbooks = fields.section("playbooks")
    settings = WavePlaybooks(
        before_wave=playbooks.get("beforeWave", required_text, ""),
        after_wave=playbooks.get("afterWave", required_text, ""),
        timeout=playbooks.get("timeout", positive_duration, _TIMEOUT),
    )
    playbooks.reject_unknown()
    return settings
