# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The host that a component runs on: its facts, for checks that are pure. Private to configok.node.

For the agent, and for modules that run on a node.
"""

from __future__ import annotations
