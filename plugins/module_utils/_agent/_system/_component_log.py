# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a component has said last before it died, from systemd's journal. Private to configok.node."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from ..._nodeconfig._untrusted import sanitize
from .._basis._ports import Runner
from .._basis._redact import beginning, redact

__all__ = ["ComponentLog", "last_message"]

_LINES = 200  # the last ones are read where no message tells by its form
_LONGEST = 200  # characters of a message
_TIMEOUT = 5.0  # seconds
_INVOCATION = re.compile("[0-9a-f]{32}")
_OURS = ("configok-agent", "systemd")  # the hooks, which run in the component's unit, and what runs them
_HEADER = re.compile(r"[IWEF]\d{4} \d\d:\d\d:\d\d\.\d+\s+\d+ \S+\] ", re.ASCII)  # of klog
_TRACE = re.compile(r"goroutine [0-9]+ \[|created by |\s|\S+\.go:[0-9]+|\(?[\w./*-]+\(.*\)$")
# What tells most, first: what ends a Go program, then klog's errors. The traces of some hundred goroutines may follow.
_TELLING = (r"^(F[0-9]{4} |panic: |fatal error: )", r"^(E[0-9]{4} |[Ee]rror: )")


class ComponentLog:
    """Reads the journal with journalctl. It may take its time: not for the daemon's round."""

    def __init__(self, run: Runner) -> None:
        self._run = run

    def __call__(self, invocation: str) -> str:
        """Return what the component said last in an invocation, "" where there is no journal, or nothing in it."""
        if not _INVOCATION.fullmatch(invocation):
            return ""
        for pattern in _TELLING:
            found = last_message(self._entries(invocation, "--lines=1", "--case-sensitive=yes", f"--grep={pattern}"))
            if found:
                return found
        return last_message(self._entries(invocation, f"--lines={_LINES}"))

    def _entries(self, invocation: str, *options: str) -> str:
        """Return entries as JSON lines, "" where there are none; also where this journalctl cannot search."""
        fields = "--output-fields=MESSAGE,SYSLOG_IDENTIFIER"
        command = ["journalctl", "--no-pager", "--quiet", "--output=json", fields, *options]
        result = self._run([*command, f"_SYSTEMD_INVOCATION_ID={invocation}"], timeout=_TIMEOUT)
        return result.out if result.code == 0 else ""


def last_message(entries: str) -> str:
    """Return the message that tells most in journalctl's JSON lines: one line, bounded, without secrets."""
    messages = list(_messages(entries))
    for pattern in _TELLING:
        telling = [message for message in messages if re.match(pattern, message)]
        if telling:
            messages = telling
            break
    else:
        messages = [message for message in messages if not _TRACE.match(message)]
    if not messages:
        return ""
    message = _HEADER.sub("", beginning(messages[-1]), count=1)
    return sanitize(" ".join(redact(message).split()), _LONGEST)


def _messages(entries: str) -> Iterator[str]:
    for line in entries.splitlines():
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            continue
        message = entry.get("MESSAGE") if isinstance(entry, dict) else None  # a list of bytes where it is no text
        if isinstance(message, str) and message.strip() and entry.get("SYSLOG_IDENTIFIER") not in _OURS:
            yield message
