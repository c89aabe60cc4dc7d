# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the agent's log lines go: to journald with their fields, or to stderr for people."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TextIO

from ._nodeconfig._untrusted import sanitize, sanitize_lines

if TYPE_CHECKING:
    from ._agent._interfaces import Journal

__all__ = ["NativeJournal", "StreamJournal", "complain", "journal_for", "show"]

IDENTIFIER = "configok-agent"
_LONGEST = 8 * 1024  # characters of one line, or of one field: journald cuts a line of 48 kB in two
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
        try:
            self._stream.write(start + _line(message, fields) + "\n")
            self._stream.flush()
        except (OSError, ValueError):
            pass


class NativeJournal:
    """The Journal protocol on journald: the same line as its MESSAGE, and each field as CONFIGOK_FIELD."""

    def __init__(self, send: Callable[[Mapping[str, str]], bool], otherwise: StreamJournal) -> None:
        """send: hands an entry to journald and says whether it has it. otherwise: where it goes if not."""
        self._send = send
        self._otherwise = otherwise

    def __call__(self, level: str, message: str, **fields: Any) -> None:
        """Write one entry."""
        entry = {
            "MESSAGE": _line(message, fields),
            "PRIORITY": str(_LEVELS.get(level, 6)),
            "SYSLOG_IDENTIFIER": IDENTIFIER,
        }
        for name, value in fields.items():
            entry["MESSAGE_ID" if name == "message_id" else f"CONFIGOK_{name.upper()}"] = sanitize(value, _LONGEST)
        if not self._send(entry):
            self._otherwise(level, message, **fields)


def _line(message: str, fields: Mapping[str, Any]) -> str:
    shown = (f"{name}={_value(value)}" for name, value in fields.items() if name != "message_id")
    return " ".join((_one_line(message), *shown))[:_LONGEST]


def _value(value: Any) -> str:
    text = _one_line(value)
    if text and not any(sign in text for sign in ' "='):
        return text
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _one_line(text: object) -> str:
    return " ".join(sanitize(text).split())


def journal_for(stream: TextIO, environ: Mapping[str, str]) -> Journal:
    """Return the journal for a stream; $JOURNAL_STREAM tells whether journald reads it (systemd.exec(5))."""
    if not _is_journal(stream, environ.get("JOURNAL_STREAM", "")):
        return StreamJournal(stream, prefixed=False)
    from ._journald import Journald

    return NativeJournal(Journald().send, StreamJournal(stream, prefixed=True))


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
    print(f"configok-agent: {sanitize(sentence)}", file=sys.stderr)


def show(text: str) -> None:
    """Print an answer for people, line by line."""
    print(sanitize_lines(text))
