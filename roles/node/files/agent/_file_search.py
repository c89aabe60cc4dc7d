# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find and read the files to validate: paths, directories and standard input."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ._componentconfig import ConfigError
from ._componentconfig._codec.document import Document, decode
from ._componentconfig._documents.read_file import find_configs
from ._componentconfig._documents.recognition import names_component_config
from ._componentconfig._schema.kinds import KUBELET_CONFIGURATION
from ._componentconfig.drop_in_check import DropInDirectory, kubelet_kind
from ._componentconfig.findings import Finding
from ._files import STANDARD_INPUT, read_file
from ._host.component_process import find_drop_ins_below

__all__ = ["InputFile", "InputFiles", "holds_component_config", "read_drop_in_directory", "read_files"]

_SUFFIXES = (".yaml", ".yml", ".json", ".conf")
_DROP_IN_SUFFIX = ".conf"
_DROP_IN_DIRECTORY = ".conf.d"
_KUBELET_DIRECTORY = "kubelet.conf.d"
_NUMBERED = re.compile(r"[0-9]+[-_.]")


class InputFile(NamedTuple):
    """A file by its name as the user gave it, and its content."""

    name: str
    content: bytes


class InputFiles(NamedTuple):
    """The files to validate, and the names of those that were skipped because they hold no component config.

    drop_ins: the drop-in directories of a kubelet. doubts: by name, what is not understood in files without a config.
    has_configs: whether there is anything to validate.
    """

    files: tuple[InputFile, ...]
    skipped: tuple[str, ...]
    drop_ins: tuple[DropInDirectory, ...] = ()
    doubts: tuple[tuple[str, tuple[Finding, ...]], ...] = ()
    has_configs: bool = False


class _Search:
    """The files that were found so far."""

    def __init__(self) -> None:
        self.files: dict[str, InputFile] = {}
        self.skipped: dict[str, None] = {}
        self.doubts: dict[str, tuple[str, tuple[Finding, ...]]] = {}
        self.drop_ins: dict[str, DropInDirectory] = {}
        self.has_configs = False

    def add(self, path: str, *, may_hold_none: bool) -> None:
        """Read a file, unless it was read before. may_hold_none: whether it is skipped without a config."""
        key = os.path.normpath(path)
        if key in self.files or (may_hold_none and (key in self.skipped or key in self.doubts)):
            return
        content = read_file(path)
        try:
            documents = find_configs(content, file=path)
        except ConfigError:
            self.has_configs = True  # a config that cannot be decoded
        else:
            has_configs = any(document.is_validated or document.flags for document in documents)
            self.has_configs |= has_configs
            if may_hold_none and not has_configs:
                findings = _doubts(documents, path, content)
                if findings:
                    self.doubts[key] = path, findings
                else:
                    self.skipped[key] = None
                return
        self.files[key] = InputFile(path, content)
        self.skipped.pop(key, None)
        self.doubts.pop(key, None)


def _doubts(documents: Sequence[Document], path: str, content: bytes) -> tuple[Finding, ...]:
    """Return what is not understood in a file without a config; nothing of another format, such as nginx.conf."""
    if path.endswith(_DROP_IN_SUFFIX) and not names_component_config(content.decode("utf-8", "replace")):
        return ()
    return tuple(finding for document in documents for finding in document.findings)


def read_files(names: Sequence[str], *, skip_unknown: bool = False, for_kubelet: bool = True) -> InputFiles:
    """Read files, and the component configs below directories, each once.

    names: paths, "-" for standard input. skip_unknown: whether named files are skipped too if they hold no component
    config, as files below a directory are. for_kubelet: whether a kubelet's drop-in directories are read as the kubelet
    reads them. Raises OSError.
    """
    search = _Search()
    for name in names:
        if name == STANDARD_INPUT or not os.path.isdir(name):
            search.add(name, may_hold_none=skip_unknown)
            continue
        for path, is_drop_in_directory in _paths_below(name, for_kubelet=for_kubelet):
            if is_drop_in_directory:
                search.drop_ins.setdefault(os.path.normpath(path), read_drop_in_directory(path))
            else:
                search.add(path, may_hold_none=True)
    return InputFiles(
        tuple(search.files.values()),
        tuple(search.skipped),
        tuple(search.drop_ins.values()),
        tuple(search.doubts.values()),
        search.has_configs or bool(search.drop_ins),
    )


def read_drop_in_directory(directory: str, base: str = "") -> DropInDirectory:
    """Read a kubelet's drop-in directory, and the file below it, if there is one. Raises OSError."""
    if not os.path.isdir(directory):
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), directory)
    drop_ins, ignored = find_drop_ins_below(directory)
    files = [(path, read_file(path)) for path in drop_ins if _is_regular(path)]
    return DropInDirectory(directory, files, ignored, (base, read_file(base)) if base else None)


def _paths_below(directory: str, *, for_kubelet: bool) -> Iterator[tuple[str, bool]]:
    """Yield the paths below a directory that could hold a config, in order, and whether each is a drop-in directory.

    Leaves out hidden files and directories, and everything that is not a regular file. Raises OSError.
    """

    def refuse(error: OSError) -> None:
        raise error

    for parent, directories, names in os.walk(directory, onerror=refuse):
        if for_kubelet and _is_drop_in_directory(parent):
            directories.clear()
            yield os.path.normpath(parent), True
            continue
        directories[:] = sorted(name for name in directories if not name.startswith("."))
        for name in sorted(names):
            path = os.path.normpath(os.path.join(parent, name))
            if name.endswith(_SUFFIXES) and not name.startswith(".") and _is_regular(path):
                yield path, False


def _is_drop_in_directory(directory: str) -> bool:
    """Return whether a directory is meant for a kubelet's --config-dir.

    It is named so, or ends in .conf.d and holds a kubelet's config; or it holds several *.conf or nothing else, all of
    them numbered, among them a kubelet's config.
    """
    name = os.path.basename(os.path.abspath(directory))
    if name.endswith(_DROP_IN_DIRECTORY):
        paths = list(filter(_is_regular, find_drop_ins_below(directory)[0]))
        return bool(paths) and (name == _KUBELET_DIRECTORY or any(map(_is_of_kubelet, paths)))
    entries = [entry for entry in os.listdir(directory) if not entry.startswith(".")]
    names = [entry for entry in entries if entry.endswith(_DROP_IN_SUFFIX)]
    if (len(names) < 2 and names != entries) or not all(map(_NUMBERED.match, names)):
        return False
    paths = [os.path.join(directory, entry) for entry in names]
    return all(map(_is_regular, paths)) and any(map(_is_of_kubelet, paths))


def _is_of_kubelet(path: str) -> bool:
    """Return whether a file is a kubelet's config, or has such fields without saying what they are. Raises OSError."""
    try:
        document = decode(read_file(path), file=path)
    except ConfigError:
        return False
    head = document.head
    if any(head.values()):
        return bool(head["kind"] == KUBELET_CONFIGURATION)
    fields = document.data if isinstance(document.data, dict) else {}
    return bool(fields) and all(kubelet_kind().has_field_path((key,)) for key in fields)


def _is_regular(path: str) -> bool:
    """Return whether a path leads to a regular file; a link to a missing one counts, so that reading it fails."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except FileNotFoundError:
        return True


def holds_component_config(content: bytes) -> bool:
    """Return whether a text holds a component config or flags of a component, or is meant to and cannot be decoded."""
    try:
        documents = find_configs(content)
    except ConfigError:
        return True
    return any(document.is_validated or document.flags for document in documents)
