# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The one error of this package."""

from __future__ import annotations


class InvalidText(ValueError):
    """A text that someone else wrote and that cannot be used; the message says why in one sentence."""
