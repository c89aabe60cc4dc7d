# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The report of a pool as one HTML page: data in, text out. Pure, private to configok.node.

Import any name from the file that defines it: _page renders a report, _pool_report is what it shows.
"""
