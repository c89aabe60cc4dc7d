# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""compile: unpack the archive next to itself, with bytecode, so that commands start faster and need less memory."""

from __future__ import annotations

import errno
import importlib.util
import os
import py_compile
import shutil
import zipfile
from pathlib import Path

from ._protection import is_protected

__all__ = ["compile_archive"]

_UMASK = 0o022  # readable for all, since it holds no secret; only its owner may write
_MAX_BUILDS = 2  # this one, and the one from which a running daemon may still import


def compile_archive() -> bool:
    """Unpack and compile the archive that this runs from; return whether there was anything to do.

    The first lines of the archive use the directory only under its final name, so an interrupted call changes nothing.
    Raises OSError, also if others can write to the directory: root would run what they put there.
    """
    archive = Path(__file__).resolve().parents[1]
    if not archive.is_file():
        return False  # it was unpacked already
    before = os.umask(_UMASK)
    try:
        _compile(archive, Path(f"{archive}.d"))
    finally:
        os.umask(before)
    return True


def _compile(archive: Path, home: Path) -> None:
    # Packing writes this file into the archive; a package of pip does not have it.
    from ._build import BUILD  # type: ignore[import-not-found,unused-ignore]  # mypy finds it in some trees only

    home.mkdir(exist_ok=True)
    if not is_protected(str(home)):
        raise OSError(errno.EEXIST, "is not ours, or others may write to it: remove it and try again", str(home))
    unfinished = home / f".{BUILD}-{os.getpid()}"
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir()
    try:
        with zipfile.ZipFile(archive) as packed:
            packed.extractall(unfinished)
        for source in unfinished.rglob("*.py"):
            py_compile.compile(
                str(source),
                # The name of a file that is not optimized: the daemon keeps no docstrings, whatever its options.
                cfile=importlib.util.cache_from_source(str(source), optimization=""),
                dfile=str(home / BUILD / source.relative_to(unfinished)),
                optimize=2,
                # The directory is replaced as a whole, never edited.
                invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
            )
        os.sync()
        shutil.rmtree(home / BUILD, ignore_errors=True)  # it exists, but is not used: others could write to it
        os.rename(unfinished, home / BUILD)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    builds = sorted(home.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
    for old in builds[_MAX_BUILDS:]:
        shutil.rmtree(old, ignore_errors=True)
