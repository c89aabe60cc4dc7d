# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Text that others wrote, read within bounds of size, depth and time. Private to configok.node.

All other packages read JSON, and evaluate the patterns and expressions of users, with this one. Whatever the text is,
the result is a value or an InvalidText.
"""

from __future__ import annotations

from ._json import InvalidText, load_json

__all__ = ["InvalidText", "load_json"]
