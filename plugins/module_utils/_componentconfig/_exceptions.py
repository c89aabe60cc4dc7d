# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The error of this engine. Private to configok.node: no compatibility is promised."""

from __future__ import annotations

__all__ = ["ConfigError"]


class ConfigError(ValueError):
    """What was asked or given cannot be used; the text is a sentence for the user.

    Whoever shows errors to users catches this one: any other ValueError is a fault of the engine itself.
    """
