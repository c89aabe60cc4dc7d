# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which drop-ins a kubelet's ``--config-dir`` has, in the order in which it reads them.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from .._componentconfig._flags._kubelet_flags import CONFIG_DIRECTORY, parse_flags

__all__ = ["MOST", "StartedComponent", "find_drop_ins", "read_drop_in", "read_process", "read_started"]

MOST = 1024 * 1024
"""Bytes that a config may have; no more fit a bundle."""

_SUFFIX = ".conf"


def find_drop_ins(argv: Sequence[str], working_directory: str = "", root: str = "") -> list[str]:
    """Return the paths of the drop-ins, lowest first; none where the command line names no directory.

    A relative one is looked for in the working directory, where that is known. root: a directory to look in instead of
    the machine's own.
    """
    given = dict(parse_flags(argv)).get(CONFIG_DIRECTORY, "")
    directory = os.path.normpath(os.path.join(working_directory, given)) if given else ""
    if not directory.startswith("/"):
        return []
    found = []
    for parent, _directories, names in os.walk(root + directory):
        found += [os.path.join(parent, name)[len(root) :] for name in names if name.endswith(_SUFFIX)]
    # As filepath.WalkDir goes, name by name: what is in the directory a comes before a.conf beside it.
    return sorted(found, key=_names)


def _names(path: str) -> list[str]:
    return path.split("/")


def read_drop_in(path: str) -> bytes:
    """Return a drop-in's content; of one that is too large so much that it is refused for that. Raises OSError."""
    with open(path, "rb") as file:
        return file.read(MOST + 1)


File = tuple[str, bytes]


class StartedComponent(NamedTuple):
    """A command line, program first, the directory it runs in, its config file and its drop-ins, lowest first."""

    argv: tuple[str, ...]
    directory: str
    config: File | None
    drop_ins: tuple[File, ...]


def read_process(pid: int, root: str = "") -> tuple[tuple[str, ...], str]:
    """Return a process's command line and working directory; () where it is gone, "/" where it cannot be seen."""
    proc = f"{root}/proc/{pid}"
    try:
        with open(f"{proc}/cmdline", "rb") as file:
            words = file.read(MOST).rstrip(b"\0")
    except OSError:
        return (), "/"
    try:
        directory = os.readlink(f"{proc}/cwd")
    except OSError:
        directory = "/"
    return tuple(word.decode("utf-8", "replace") for word in words.split(b"\0")) if words else (), directory


def read_started(argv: Sequence[str], directory: str, root: str = "") -> StartedComponent:
    """Read the files that a command line names. root: a directory to look in instead of the machine's own. Raises
    OSError."""
    flags = dict(parse_flags(argv))
    config = None
    if flags.get("config"):
        path = os.path.normpath(os.path.join(directory, flags["config"]))
        config = (path, read_drop_in(root + path))
    found = [(path, read_drop_in(root + path)) for path in find_drop_ins(argv, directory, root)]
    return StartedComponent(tuple(argv), directory, config, tuple(found))
