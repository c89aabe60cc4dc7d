# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Define the one error of this package, in a file of its own: a module that only catches it ships nothing else."""

from __future__ import annotations

__all__ = ["ConfigError"]


class ConfigError(Exception):
    """Raised for input that cannot be used; the text is a sentence for the user.

    Any other exception that leaves this package is a bug, except ImportError if PyYAML is missing.
    """
