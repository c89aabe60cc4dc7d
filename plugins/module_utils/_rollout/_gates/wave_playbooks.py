# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbooks that users run before and after a wave: the section playbooks of a policy."""

from __future__ import annotations

from dataclasses import dataclass

from .._pool_values import setting
from ._gate_values import positive_duration, required_text


@dataclass(frozen=True)
class WavePlaybooks:
    """The user's own playbooks before and after each wave, "" for none. timeout: seconds for each run."""

    before_wave: str = setting(required_text, "")
    after_wave: str = setting(required_text, "")
    timeout: float = setting(positive_duration, 1800.0)
