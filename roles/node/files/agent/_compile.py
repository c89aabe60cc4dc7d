# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""compile: unpack the archive beside itself, with bytecode, so that its commands start sooner and stay smaller."""

from __future__ import annotations

import compileall
import os
import py_compile
import shutil
import zipfile
from pathlib import Path

from ._build import BUILD  # type: ignore[import-not-found,unused-ignore]  # written by _pack.py

__all__ = ["compile_archive"]

_KEPT = 2  # this one, and the one that a running daemon may still import from


def compile_archive() -> bool:
    """Unpack and compile the archive that this runs from; return whether there was anything to do. Raises OSError.

    The first lines of the archive use the directory only when it has its final name, so an interrupted call leaves
    everything as it was.
    """
    archive = Path(__file__).resolve().parents[1]
    if not archive.is_file():
        return False  # runs from where it was unpacked to
    home = Path(f"{archive}.d")
    unfinished = home / f".{BUILD}-{os.getpid()}"
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    try:
        with zipfile.ZipFile(archive) as packed:
            packed.extractall(unfinished)
        # Unchecked: the directory is replaced as a whole, never edited.
        compileall.compile_dir(
            str(unfinished),
            quiet=2,
            stripdir=str(unfinished),
            prependdir=str(home / BUILD),
            invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
        )
        os.sync()
        os.rename(unfinished, home / BUILD)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    builds = sorted(home.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
    for old in builds[_KEPT:]:
        shutil.rmtree(old, ignore_errors=True)
    return True
