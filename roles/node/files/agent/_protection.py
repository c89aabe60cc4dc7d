# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks who can write to a directory. These are also the archive's first lines, so nothing of it is imported."""

from __future__ import annotations

import os
import stat

__all__ = ["is_protected"]


def is_protected(directory: str) -> bool:
    """Return whether a directory exists to which only root, and the user of this process, can have written."""
    try:
        status = os.lstat(directory)
    except OSError:
        return False
    is_own = stat.S_ISDIR(status.st_mode) and status.st_uid in (0, os.geteuid())
    return is_own and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH) and os.access(directory, os.R_OK | os.X_OK)
