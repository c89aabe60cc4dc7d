# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The agent's state as data, and what follows from it: the active config, a trial, the next actions, the verdict.

Pure: no file, no clock, no request.
"""

from __future__ import annotations
