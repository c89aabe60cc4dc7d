# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A component's process: its command line, its config file and its drop-ins."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from .._componentconfig._flags.kubelet_flags import CONFIG_DIRECTORY, parse_flags

MAX_BYTES = 1024 * 1024
"""The size limit of a config; a bundle cannot hold more."""

_SUFFIX = ".conf"


def find_drop_ins(argv: Sequence[str], working_directory: str = "", root: str = "") -> list[str]:
    """Return the paths of the drop-ins of ``--config-dir`` in the order in which a kubelet reads them.

    A relative directory is relative to the working directory, if that is known. root: the root directory to use instead
    of the machine's own.
    """
    value = dict(parse_flags(argv)).get(CONFIG_DIRECTORY, "")
    directory = os.path.normpath(os.path.join(working_directory, value)) if value else ""
    if not directory.startswith("/"):
        return []
    return [path[len(root) :] for path in find_drop_ins_below(root + directory)[0]]


def find_drop_ins_below(directory: str) -> tuple[list[str], list[str]]:
    """Return the paths of the drop-ins below a directory, in a kubelet's order, and those of the files it ignores.

    Hidden files are not among the ignored ones.
    """
    paths = [os.path.join(parent, name) for parent, _directories, names in os.walk(directory) for name in names]
    # The order of filepath.WalkDir, name by name: the files of the directory a come before a.conf.
    paths.sort(key=lambda path: path.split("/"))
    drop_ins = [path for path in paths if path.endswith(_SUFFIX)]
    others = [path for path in paths if not path.endswith(_SUFFIX)]
    return drop_ins, [path for path in others if not os.path.basename(path).startswith(".")]


def read_drop_in(path: str) -> bytes:
    """Return a drop-in's content, or one byte more than the limit of a larger one. Raises OSError."""
    with open(path, "rb") as file:
        return file.read(MAX_BYTES + 1)


File = tuple[str, bytes]


class StartedComponent(NamedTuple):
    """A started component: its command line, working directory, config file, and drop-ins in the order of reading."""

    argv: tuple[str, ...]
    directory: str
    config: File | None
    drop_ins: tuple[File, ...]


def read_process(pid: int, root: str = "", *, errors: str = "replace") -> tuple[tuple[str, ...], str]:
    """Return a process's command line, () if it is gone, and its working directory, "/" if that is not readable.

    errors: how bytes that are not UTF-8 are decoded.
    """
    argv = read_argv(pid, root, errors=errors)
    try:
        return argv, os.readlink(f"{root}/proc/{pid}/cwd")
    except OSError:
        return argv, "/"


def read_argv(pid: int, root: str = "", *, errors: str = "replace", limit: int = MAX_BYTES) -> tuple[str, ...]:
    """Return a process's command line, () if it is gone or has none.

    errors: how bytes that are not UTF-8 are decoded. limit: how many bytes are read.
    """
    try:
        with open(f"{root}/proc/{pid}/cmdline", "rb") as file:
            words = file.read(limit).rstrip(b"\0")
    except OSError:
        return ()
    return tuple(word.decode("utf-8", errors) for word in words.split(b"\0")) if words else ()


def read_started(argv: Sequence[str], directory: str, root: str = "") -> StartedComponent:
    """Read the files that a command line names. Raises OSError.

    root: the root directory to use instead of the machine's own.
    """
    flags = dict(parse_flags(argv))
    config = None
    if flags.get("config"):
        path = os.path.normpath(os.path.join(directory, flags["config"]))
        config = (path, read_drop_in(root + path))
    drop_ins = [(path, read_drop_in(root + path)) for path in find_drop_ins(argv, directory, root)]
    return StartedComponent(tuple(argv), directory, config, tuple(drop_ins))
