# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare absolute paths by their parts, without following links."""

from __future__ import annotations

import posixpath


def is_below(path: str, directory: str) -> bool:
    """Return whether a path is a directory, or below it. Both are absolute."""
    path, directory = posixpath.normpath(path), posixpath.normpath(directory)
    return path == directory or path.startswith(directory.rstrip("/") + "/")
