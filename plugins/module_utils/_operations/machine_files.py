# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read the files of Machines: files and directories, on the control machine."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from .._machines import InvalidMachines
from .._machines._objects.documents import MAX_FILE_BYTES
from .._machines._objects.read import read_catalog
from .._machines._objects.types import MachineCatalog

_SUFFIXES = (".yaml", ".yml", ".json")
_MAX_FILES = 2000


def machine_catalog(paths: Sequence[str | Path]) -> MachineCatalog:
    """Return the objects of files and directories; see `read_machine_files` and `read_catalog`.

    Raises InvalidMachines with all errors.
    """
    return read_catalog(read_machine_files(paths))


def read_machine_files(paths: Sequence[str | Path]) -> dict[str, str]:
    """Return the texts of files by path. Of a directory, all *.yaml, *.yml and *.json files directly in it, sorted.

    Links are followed; hidden files of a directory are left out. Raises InvalidMachines; it has one sentence for
    each path that cannot be read.
    """
    texts: dict[str, str] = {}
    errors: list[str] = []
    seen: set[str] = set()
    for path in paths:
        for file in _files_of(Path(path).expanduser(), errors):
            real = os.path.realpath(file)
            if real in seen:
                continue  # a file of a directory that is also named itself
            seen.add(real)
            try:
                texts[str(file)] = _text_of(file)
            except (OSError, ValueError) as error:
                errors.append(f"{file}: {_reason(error)}")
    if len(texts) > _MAX_FILES:
        errors.append(f"{len(texts)} files, at most {_MAX_FILES} are read: name fewer files or directories")
    if not paths:
        errors.append("no files are named: name files or directories with Machines")
    if errors:
        raise InvalidMachines(errors)
    return texts


def _files_of(path: Path, errors: list[str]) -> Iterator[Path]:
    """Yield the files of a directory, or the file itself."""
    try:
        if not path.is_dir():
            yield path
            return
        names = sorted(entry for entry in os.listdir(path) if entry.endswith(_SUFFIXES) and not entry.startswith("."))
    except OSError as error:
        errors.append(f"{path}: {_reason(error)}")
        return
    files = [path / name for name in names if not (path / name).is_dir()]
    if not files:
        errors.append(f"{path}: the directory has no files that end in {', '.join(_SUFFIXES)}")
    yield from files


def _text_of(path: Path) -> str:
    """Return the text of a file. Raises OSError, or ValueError for one that is too large, no plain file or no UTF-8."""
    if path.exists() and not path.is_file():
        raise ValueError("is neither a file nor a directory")
    with path.open("rb") as file:
        content = file.read(MAX_FILE_BYTES + 1)
    if len(content) > MAX_FILE_BYTES:
        raise ValueError(f"the file is too large: at most {MAX_FILE_BYTES // 1024**2} MiB are read")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ValueError(f"line {line} is not valid UTF-8 text: write the file in UTF-8") from error


def _reason(error: Exception) -> str:
    if isinstance(error, OSError):
        return f"cannot be read: {error.strerror or error}"
    return str(error)
