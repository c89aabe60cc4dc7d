# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the agent's log lines go: stderr, as journald or as people like them."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Any, TextIO

__all__ = ["StreamJournal", "complain", "journal_for"]

_LEVELS = {"critical": 2, "error": 3, "warning": 4, "notice": 5, "info": 6, "debug": 7}


class StreamJournal:
    """The Journal protocol on a stream: one line each, fields as key=value behind the message."""

    def __init__(self, stream: TextIO, *, prefixed: bool) -> None:
        """prefixed: begin lines with the level as journald reads it (sd-daemon(3)), and not with the level's name."""
        self._stream = stream
        self._prefixed = prefixed

    def __call__(self, level: str, message: str, **fields: Any) -> None:
        """Write one line; a stream that is gone is no fault of the node's."""
        start = f"<{_LEVELS.get(level, 6)}>" if self._prefixed else f"{level}: "
        parts = [" ".join(message.split()), *(f"{key}={_value(value)}" for key, value in fields.items())]
        try:
            self._stream.write(start + " ".join(parts) + "\n")
            self._stream.flush()
        except (OSError, ValueError):
            pass


def _value(value: Any) -> str:
    text = " ".join(str(value).split())
    if text and not any(sign in text for sign in ' "='):
        return text
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def journal_for(stream: TextIO, environ: Mapping[str, str]) -> StreamJournal:
    """Return the journal for a stream; $JOURNAL_STREAM tells whether journald reads it (systemd.exec(5))."""
    return StreamJournal(stream, prefixed=_is_journal(stream, environ.get("JOURNAL_STREAM", "")))


def _is_journal(stream: TextIO, named: str) -> bool:
    if not named:
        return False
    try:
        found = os.fstat(stream.fileno())
    except (OSError, ValueError):
        return False
    return named == f"{found.st_dev}:{found.st_ino}"


def complain(sentence: str) -> None:
    """Tell whoever called why it did not work."""
    print(f"configok-agent: {sentence}", file=sys.stderr)
