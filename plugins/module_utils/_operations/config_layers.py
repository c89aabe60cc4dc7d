# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the layers of a config that a module is given."""

from __future__ import annotations

from collections.abc import Sequence


def read_layers(files: Sequence[str] | None, content: str | None, name: str = "content") -> list[tuple[str, bytes]]:
    """Return the layers of a config as file names and bytes; empty if neither files nor content are set.

    name: of the content in messages. Raises OSError.
    """
    if content is not None:
        return [(name, content.encode("utf-8", "surrogateescape"))]
    layers = []
    for path in files or ():
        with open(path, "rb") as file:
            layers.append((path, file.read()))
    return layers
