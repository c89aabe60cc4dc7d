# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads from an API server's metrics which content of a file it uses.

An API server that refuses another content keeps using the one before, and stays ready: only its metrics show that, and
its next start, which then fails. Since 1.34 they have the hash of the content in use, and before that the times of the
last reload and of the last failure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import Enum
from typing import NamedTuple

_SERIES = re.compile(r"apiserver_([a-z]+)_config_controller_([a-z_]+)\{([^}]*)\} ([0-9.e+]+)\Z")
_LABEL = re.compile(r'([a-z_]+)="([^"]*)"')
_TIME, _CONTENT = "automatic_reload_last_timestamp_seconds", "last_config_info"
_HASH = "sha256:"


class ReloadMetrics(NamedTuple):
    """What an API server says of one of its files; times are in seconds since the epoch, 0 for never.

    succeeded, failed: when it was last read again, and when that last failed. in_use: SHA-256 of the content in use, ""
    before 1.34.
    """

    succeeded: float = 0.0
    failed: float = 0.0
    in_use: str = ""


class ReloadState(str, Enum):
    """Whether an API server uses another content of a file."""

    IN_USE = "in use"
    REFUSED = "refused"
    OPEN = "open"

    def __str__(self) -> str:
        return self.value


def read_reload_metrics(lines: Iterable[bytes], flags: Iterable[str]) -> dict[str, ReloadMetrics]:
    """Return what the lines of /metrics say of the file of each flag, such as authentication-config."""
    flags_by_controller = {flag.partition("-")[0]: flag for flag in flags}
    known = dict.fromkeys(flags_by_controller.values(), ReloadMetrics())
    for line in lines:
        match = _SERIES.match(line.decode("ascii", "replace").rstrip()) if line.startswith(b"apiserver_") else None
        if match is None or match[1] not in flags_by_controller:
            continue
        flag, labels = flags_by_controller[match[1]], dict(_LABEL.findall(match[3]))
        if match[2] == _TIME and labels.get("status") == "success":
            known[flag] = known[flag]._replace(succeeded=float(match[4]))
        elif match[2] == _TIME and labels.get("status") == "failure":
            known[flag] = known[flag]._replace(failed=float(match[4]))
        elif match[2] == _CONTENT and labels.get("hash", "").startswith(_HASH):
            known[flag] = known[flag]._replace(in_use=labels["hash"][len(_HASH) :])
    return known


def reload_state(metrics: ReloadMetrics, *, content: str, since: float, tried: float | None = None) -> ReloadState:
    """Return whether a content that was written is in use.

    content: its SHA-256. since: when it was written. tried: when the content was written that it takes back; while that
    was not taken, this one is still in use. None if it takes none back.
    """
    if metrics.in_use:
        if metrics.in_use == content:
            return ReloadState.IN_USE
    elif metrics.succeeded >= since or (tried is not None and metrics.succeeded < tried):
        return ReloadState.IN_USE
    return ReloadState.REFUSED if metrics.failed >= since else ReloadState.OPEN
