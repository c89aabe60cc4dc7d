# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which drop-ins a kubelet's ``--config-dir`` has, in the order in which it reads them. Private to configok.node."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from ..._componentconfig._flags._names import CONFIG_DIRECTORY, flags_of

__all__ = ["drop_ins", "read_drop_in"]

_SUFFIX = ".conf"
_MOST = 1024 * 1024  # bytes


def drop_ins(argv: Sequence[str]) -> Iterator[str]:
    """Yield the paths of the drop-ins, lowest first; none where the command line names no directory."""
    directory = dict(flags_of(argv)).get(CONFIG_DIRECTORY, "")
    if not directory.startswith("/"):
        return
    found = []
    for parent, _directories, names in os.walk(directory):
        found += [os.path.join(parent, name) for name in names if name.endswith(_SUFFIX)]
    yield from sorted(found)


def read_drop_in(path: str) -> bytes:
    """Return a drop-in's content, at most as much as a bundle may have. Raises OSError."""
    with open(path, "rb") as file:
        return file.read(_MOST)
