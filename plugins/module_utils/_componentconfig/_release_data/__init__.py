# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Derive, write, read and compare the data of a release that the collection does not cover.

Pure: a caller runs the programs and reads the files.
"""

from __future__ import annotations
