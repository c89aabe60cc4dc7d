# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find all configs that a text holds: in several documents, in ConfigMaps and Lists, in the files of other tools.

The door is `decode_file` in read_file.py.
"""

from __future__ import annotations

__all__: list[str] = []
