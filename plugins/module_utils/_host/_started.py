# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a component reads when it is started: the files that its command line names.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from .._componentconfig._flags._names import flags_of
from ._drop_in_files import MOST, drop_ins, read_drop_in

__all__ = ["Started", "read_process", "read_started"]

File = tuple[str, bytes]


class Started(NamedTuple):
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


def read_started(argv: Sequence[str], directory: str, root: str = "") -> Started:
    """Read the files that a command line names. root: a directory to look in instead of the machine's own. Raises
    OSError."""
    flags = dict(flags_of(argv))
    config = None
    if flags.get("config"):
        path = os.path.normpath(os.path.join(directory, flags["config"]))
        config = (path, read_drop_in(root + path))
    found = [(path, read_drop_in(root + path)) for path in drop_ins(argv, directory, root)]
    return Started(tuple(argv), directory, config, tuple(found))
