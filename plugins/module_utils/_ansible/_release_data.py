# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Release data that an option of a module names.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from .._componentconfig._release_data._overlay import overlay_of
from .._componentconfig._schema._overlays import register
from ._config_files import read_layers

__all__ = ["use_release_data"]


def use_release_data(path: str | None) -> None:
    """Use the release data of a file in this process, None for no file. Raises OSError, ConfigError."""
    for name, text in read_layers([path] if path else None, None):
        register(overlay_of(text, name))
