# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How long logind lets a shutdown be delayed, from its files in the order in which it reads them."""

from __future__ import annotations

import os

from .._componentconfig._rules.host_model import InhibitDelay
from .._systemd.time_span import parse_time_span
from .._systemd.unit_file import values_of
from ._files import names_in, read_text, rooted

_DIRECTORIES = ("etc/systemd", "run/systemd", "usr/local/lib/systemd", "usr/lib/systemd", "lib/systemd")
"""Those of its files, the one that wins for a name first."""

_FILE = "logind.conf"
_SUFFIX = ".conf"
_MOST_FILES = 1000


def inhibit_delays(root: str) -> tuple[InhibitDelay, ...]:
    """Return the values of InhibitDelayMaxSec=, those of later files last: the last one takes effect."""
    delays = []
    for path in _files(root):
        for text in reversed(values_of([read_text(root, path)], "Login", "InhibitDelayMaxSec")):
            seconds = parse_time_span(text)
            if seconds is not None:  # logind ignores an invalid one
                delays.append(InhibitDelay(f"/{path}", seconds, text))
                break
    return tuple(delays)


def _files(root: str) -> list[str]:
    """Return the paths of the files: the main one, then the drop-ins by name, whatever their directories.

    A file hides those of the same name in later directories, be it empty or a link to /dev/null.
    """
    mains = [f"{directory}/{_FILE}" for directory in _DIRECTORIES]
    drop_ins: dict[str, str] = {}
    for directory in _DIRECTORIES:
        for name in names_in(root, f"{directory}/{_FILE}.d"):
            if name.endswith(_SUFFIX):
                drop_ins.setdefault(name, f"{directory}/{_FILE}.d/{name}")
    main = next(([path] for path in mains if os.path.lexists(rooted(root, path))), [])
    return [*main, *(drop_ins[name] for name in sorted(drop_ins)[-_MOST_FILES:])]
