# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The state of Machines as text and as data. Pure. Private to configok.node."""

from __future__ import annotations

from ._phases import MachineStatus, statuses_of, summarize, to_dict
from ._rendering import config_text, diff_of, render_machine_plan, render_notes, render_table

__all__ = [
    "MachineStatus",
    "config_text",
    "diff_of",
    "render_machine_plan",
    "render_notes",
    "render_table",
    "statuses_of",
    "summarize",
    "to_dict",
]
