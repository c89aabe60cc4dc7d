# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the HTML report of a pool shows, as data: plugins/plugin_utils/_report_page renders them. Pure.

Import any name from the file that defines it. Private to configok.node.
"""
