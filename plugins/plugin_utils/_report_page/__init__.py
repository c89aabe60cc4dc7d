# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The report of a pool as one HTML page, rendered on the controller: data in, text out. Pure.

The page is made of page.html.j2, page.css and page.js. Private to configok.node.
"""

from __future__ import annotations

from ._page import render_page

__all__ = ["render_page"]
