# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Provides the root file system of a distribution from the cache, and builds it if it is missing."""

from __future__ import annotations

import subprocess
from pathlib import Path

from support.api.binaries import Unavailable

__all__ = ["tree"]

_BUILD = Path(__file__).resolve().parents[1] / "bin/build-node-tree"


def tree(distribution: str, variant: str = "node") -> Path:
    """Return the directory, which must not be changed. Raises Unavailable if it is missing and cannot be built.

    variant: node, or bare for a server that has nothing of a node.
    """
    built = subprocess.run([_BUILD, distribution, variant], capture_output=True, text=True, check=False)
    if built.returncode != 0:
        raise Unavailable(built.stderr.strip().splitlines()[-1] if built.stderr.strip() else f"{_BUILD} failed")
    return Path(built.stdout.strip())
