# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a component config file is: decode, default, convert, layer, validate, compare, explain.

Private to configok.node: no compatibility is promised.

Import from the file that defines a name; this file stays empty so that importing one of them costs only that one.
"""

from __future__ import annotations

__all__: list[str] = []
