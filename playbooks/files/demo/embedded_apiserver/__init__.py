# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster that fits a demo and a test: an embedded API server, and the parts that play nodes.

Private to configok.node: no compatibility is promised.
"""
