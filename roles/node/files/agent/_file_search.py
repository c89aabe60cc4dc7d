# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find and read the files to validate: paths, directories and standard input."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from ._componentconfig import ConfigError
from ._componentconfig._codec._document import Document
from ._componentconfig._codec._plain_values import head_values
from ._componentconfig._file_documents import decode_file
from ._componentconfig._schema._kinds import find_kind, is_of_known_group, kinds
from ._files import STANDARD_INPUT, read_file

__all__ = ["InputFile", "InputFiles", "holds_component_config", "read_files"]

_SUFFIXES = (".yaml", ".yml", ".json", ".conf")
_KEY = r"(?m)(?:^|[{{,])\s*[\"']?{}[\"']?\s*:\s*[\"']?"
_GROUP = re.compile(_KEY.format("apiVersion") + r"([\w.-]+/)", re.IGNORECASE)
_KIND = re.compile(_KEY.format("kind") + r"(?:Config|ConfigMap|\w+Config|\w+Configuration)\b", re.IGNORECASE)


class InputFile(NamedTuple):
    """A file by its name as the user gave it, and its content."""

    name: str
    content: bytes


class InputFiles(NamedTuple):
    """The files to validate, and the names of those that were skipped because they hold no component config."""

    files: tuple[InputFile, ...]
    skipped: tuple[str, ...]


def read_files(names: Sequence[str], *, skip_unknown: bool = False) -> InputFiles:
    """Read files, and the component configs below directories, each once.

    names: paths, "-" for standard input. skip_unknown: whether named files are skipped too if they hold no component
    config, as files below a directory are. Raises OSError.
    """
    files: dict[str, InputFile] = {}
    skipped: dict[str, None] = {}
    for name in names:
        is_directory = name != STANDARD_INPUT and os.path.isdir(name)
        for path in _files_below(name) if is_directory else (name,):
            key = os.path.normpath(path)
            if key in files or (is_directory and key in skipped):
                continue
            content = read_file(path)
            if (is_directory or skip_unknown) and not holds_component_config(content):
                skipped[key] = None
            else:
                files[key] = InputFile(path, content)
                skipped.pop(key, None)
    return InputFiles(tuple(files.values()), tuple(skipped))


def _files_below(directory: str) -> Iterator[str]:
    """Yield the paths of the files below a directory that could hold a config, in order. Raises OSError.

    Leaves out hidden files and directories, and everything that is not a regular file.
    """

    def refuse(error: OSError) -> None:
        raise error

    for parent, directories, names in os.walk(directory, onerror=refuse):
        directories[:] = sorted(name for name in directories if not name.startswith("."))
        for name in sorted(names):
            path = os.path.normpath(os.path.join(parent, name))
            if name.endswith(_SUFFIXES) and not name.startswith(".") and _is_regular(path):
                yield path


def _is_regular(path: str) -> bool:
    """Return whether a path leads to a regular file; a link to a missing one counts, so that reading it fails."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except FileNotFoundError:
        return True


def holds_component_config(content: bytes) -> bool:
    """Return whether a text is meant as a component config: of a known kind, or of an API group that has such kinds.

    A text that cannot be decoded counts if it names such a group, and a kind without an apiVersion if its name is
    distinctive.
    """
    text = content.decode("utf-8", "replace")
    names_group = any(map(is_of_known_group, _GROUP.findall(text)))
    if not names_group and _KIND.search(text) is None:
        return False
    try:
        documents = decode_file(content)
    except ConfigError:
        return names_group
    return any(map(_is_component_config, documents))


def _is_component_config(document: Document) -> bool:
    if not isinstance(document.data, dict):
        return False
    head = head_values(document.data, is_json=document.is_json)
    api_version, kind = head["apiVersion"], head["kind"]
    if not isinstance(api_version, str) or not api_version:
        return kind in _distinctive_kinds()
    return is_of_known_group(api_version) or find_kind(api_version, kind) is not None


@lru_cache(maxsize=1)
def _distinctive_kinds() -> frozenset[str]:
    """Return the names of known kinds that say without an apiVersion what a file is, unlike Config or Policy."""
    names = {kind.kind for kind in kinds()} - {"Config", "Configuration"}
    return frozenset(name for name in names if name.endswith(("Config", "Configuration")))
