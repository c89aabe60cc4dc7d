# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Small words: counts, lists of names, and text of others on one line. Private to configok.node.

It imports nothing, and all other packages may import it.
"""

from __future__ import annotations

from ._untrusted import sanitize, sanitize_all, sanitize_lines
from ._wording import and_list, and_more, count_of, first_names

__all__ = ["and_list", "and_more", "count_of", "first_names", "sanitize", "sanitize_all", "sanitize_lines"]
