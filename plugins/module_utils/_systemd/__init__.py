# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How systemd starts a component: unit texts, environments, command lines, and how to override its config file.

Pure. Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations
