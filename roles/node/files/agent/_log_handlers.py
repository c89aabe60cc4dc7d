# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write the agent's log lines: to journald with their fields, or to stderr in human-readable form.

A line's fields are its ``extra``. This file is imported with the first line, since it imports ``logging``.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping
from typing import Any, TextIO

from ._text import sanitize

__all__ = ["JournaldHandler", "LineHandler", "configure"]

IDENTIFIER = "configok-agent"
_LONGEST = 8 * 1024  # characters of one line, or of one field: journald cuts a line of 48 kB in two
_PRIORITIES = {"CRITICAL": 2, "ERROR": 3, "WARNING": 4, "INFO": 6, "DEBUG": 7}
_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


class LineHandler(logging.Handler):
    """Writes each record to a stream: one line, fields as key=value behind the message."""

    def __init__(self, stream: TextIO, *, prefixed: bool) -> None:
        """prefixed: begin lines with the level as journald reads it (sd-daemon(3)), and not with the level's name."""
        super().__init__()
        self._stream = stream
        self._prefixed = prefixed

    def emit(self, record: logging.LogRecord) -> None:
        """Write one line; ignore a stream that was closed."""
        start = f"<{_priority(record)}>" if self._prefixed else f"{record.levelname.lower()}: "
        try:
            self._stream.write(f"{start}{_line(record)}\n")
            self._stream.flush()
        except (OSError, ValueError):
            pass


class JournaldHandler(logging.Handler):
    """Sends each record to journald: the same line as its MESSAGE, and each field as CONFIGOK_FIELD."""

    def __init__(self, send: Callable[[Mapping[str, str]], bool], fallback: LineHandler) -> None:
        """send: hands an entry to journald and says whether it has it. fallback: where the line goes if not."""
        super().__init__()
        self._send = send
        self._fallback = fallback

    def emit(self, record: logging.LogRecord) -> None:
        """Send one entry."""
        entry = {"MESSAGE": _line(record), "PRIORITY": str(_priority(record)), "SYSLOG_IDENTIFIER": IDENTIFIER}
        for name, value in _fields(record).items():
            entry["MESSAGE_ID" if name == "message_id" else f"CONFIGOK_{name.upper()}"] = sanitize(value, _LONGEST)
        if not self._send(entry):
            self._fallback.emit(record)


def _fields(record: logging.LogRecord) -> dict[str, Any]:
    """Return what the caller gave as ``extra``, in the caller's order."""
    return {name: value for name, value in vars(record).items() if name not in _STANDARD}


def _priority(record: logging.LogRecord) -> int:
    return _PRIORITIES.get(record.levelname, 6)


def _line(record: logging.LogRecord) -> str:
    shown = (f"{name}={_value(value)}" for name, value in _fields(record).items() if name != "message_id")
    return " ".join((_one_line(record.getMessage()), *shown))[:_LONGEST]


def _value(value: Any) -> str:
    text = _one_line(value)
    if text and not any(sign in text for sign in ' "='):
        return text
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _one_line(text: object) -> str:
    return " ".join(sanitize(text).split())


def configure(logger: logging.Logger, stream: TextIO, environ: Mapping[str, str]) -> None:
    """Have lines written to a stream; to journald where $JOURNAL_STREAM names that stream (systemd.exec(5))."""
    handler: logging.Handler = LineHandler(stream, prefixed=False)
    if _is_journal(stream, environ.get("JOURNAL_STREAM", "")):
        from ._journald import Journald

        handler = JournaldHandler(Journald().send, LineHandler(stream, prefixed=True))
    logger.propagate = False  # the root logger is not the agent's
    logger.setLevel(logging.INFO)
    logger.handlers = [handler]


def _is_journal(stream: TextIO, named: str) -> bool:
    if not named:
        return False
    try:
        file_status = os.fstat(stream.fileno())
    except (OSError, ValueError):
        return False
    return named == f"{file_status.st_dev}:{file_status.st_ino}"
