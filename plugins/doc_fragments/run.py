# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the options of modules that move nodes: what one run of them needs."""

from __future__ import annotations


class ModuleDocFragment:
    # The argument spec is RUN_ARGUMENT_SPEC in plugins/plugin_utils/_rollout_action.py; the two must be equal.
    DOCUMENTATION = r"""
options:
  author:
    description:
      - The user who makes the change, for the history. By default the user of the controller's job, or C(USER).
    type: str
  lease_duration:
    description:
      - How many seconds the lock of the rollout holds after this run dies, 1 to 300. The next run waits that long.
    type: int
    default: 15
  wait_timeout:
    description:
      - How long the run waits for a resume, an approval or a maintenance window before it ends as Paused, for example
        V(30m) or V(24h). It ends at once if the next window opens later than that.
    type: str
    default: 1h
"""
