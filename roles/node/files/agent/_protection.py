# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who can have written what lies in a directory. Also the first lines of the archive, so it imports nothing of it."""

from __future__ import annotations

import os
import stat

__all__ = ["is_protected"]


def is_protected(directory: str) -> bool:
    """Return whether a directory exists into which only root, and who runs this, can have put anything."""
    try:
        found = os.lstat(directory)
    except OSError:
        return False
    ours = stat.S_ISDIR(found.st_mode) and found.st_uid in (0, os.geteuid())
    return ours and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH) and os.access(directory, os.R_OK | os.X_OK)
