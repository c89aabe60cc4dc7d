# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds a component's last message before a crash, and adds it to the verdict."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial

from ..._foreign import load_json
from ..._nodeconfig import config_ok as verdicts
from ..._nodeconfig.config_ok import ConfigOk
from ..._nodeconfig.config_status import Cause
from ..._text import sanitize
from ..._text.redact import beginning, redact_text
from .._agent_configuration import ComponentConfiguration
from .._agent_context import AgentContext
from .._interfaces import CommandRunner
from .._manifest_note import read_manifest_note
from .._state.node_state import NodeState
from .._state.start_history import Start, has_last_words, is_crash, starts_of_newest_config
from .._store._store import Store

_LINES = 200  # of an invocation's end, searched if no message has a telltale form
_MAX_MESSAGE = 200  # characters
_TIMEOUT = 5.0  # seconds
_INVOCATION = re.compile("[0-9a-f]{32}")
# Of other messages in the component's unit: the hooks', which run there, and systemd's.
_OTHER_IDENTIFIERS = ("configok-agent", "systemd")
_HEADER = re.compile(r"[IWEF]\d{4} \d\d:\d\d:\d\d\.\d+\s+\d+ \S+\] ", re.ASCII)  # klog's
_TRACE = re.compile(r"goroutine [0-9]+ \[|created by |\s|\S+\.go:[0-9]+|\(?[\w./*-]+\(.*\)$")
# The most informative first: the last words of a Go program, then klog's errors. Traces of goroutines may follow them.
_TELLTALE_PATTERNS = (r"^(F[0-9]{4} |panic: |fatal error: )", r"^(E[0-9]{4} |[Ee]rror: )")


class ComponentLog:
    """Reads the journal with journalctl, which may take seconds: call it in the background."""

    def __init__(self, run: CommandRunner) -> None:
        self._run = run

    def __call__(self, invocation: str) -> str:
        """Return the component's last message in an invocation, "" if there is no journal or no message."""
        if not _INVOCATION.fullmatch(invocation):
            return ""
        for pattern in _TELLTALE_PATTERNS:
            entries = self._entries(invocation, "--lines=1", "--case-sensitive=yes", f"--grep={pattern}")
            message = last_message(entries)
            if message:
                return message
        return last_message(self._entries(invocation, f"--lines={_LINES}"))

    def _entries(self, invocation: str, *options: str) -> str:
        """Return entries as JSON lines, "" if there are none or if this journalctl cannot search."""
        fields = "--output-fields=MESSAGE,SYSLOG_IDENTIFIER"
        command = ["journalctl", "--no-pager", "--quiet", "--output=json", fields, *options]
        result = self._run([*command, f"_SYSTEMD_INVOCATION_ID={invocation}"], timeout=_TIMEOUT)
        return result.out if result.code == 0 else ""


class LastMessages:
    """Returns last messages: of a unit from the journal, of a static Pod from the note on its manifest."""

    def __init__(self, components: Mapping[str, ComponentConfiguration], store: Store, run: CommandRunner) -> None:
        """Read of these components. run: runs journalctl."""
        self._pods = [name for name, component in components.items() if component.manifest]
        self._store = store
        self._journal = ComponentLog(run)

    def __call__(self, invocation: str) -> str:
        """Return the last message in an invocation, "" if it is not known."""
        try:
            notes = [read_manifest_note(self._store, name) for name in self._pods]
        except OSError:
            return ""
        known = next((note for note in notes if note.crashed == invocation), None)
        return self._journal(invocation) if known is None else known.crash_reason


def last_message(entries: str) -> str:
    """Return the most informative message in journalctl's JSON lines: one line, bounded, without secrets."""
    messages = list(_messages(entries))
    for pattern in _TELLTALE_PATTERNS:
        telltales = [message for message in messages if re.match(pattern, message)]
        if telltales:
            messages = telltales
            break
    else:
        messages = [message for message in messages if not _TRACE.match(message)]
    if not messages:
        return ""
    return readable(messages[-1])


def readable(message: str) -> str:
    """Return a message of a component as one line, bounded, without its header and without secrets."""
    text = _HEADER.sub("", beginning(message), count=1)
    return sanitize(" ".join(redact_text(text).split()), _MAX_MESSAGE)


def _messages(entries: str) -> Iterator[str]:
    for line in entries.splitlines():
        try:
            entry = load_json(line)
        except ValueError:
            continue
        message = entry.get("MESSAGE") if isinstance(entry, dict) else None  # a list of bytes if it is not text
        if isinstance(message, str) and message.strip() and entry.get("SYSLOG_IDENTIFIER") not in _OTHER_IDENTIFIERS:
            yield message


_CRASH_CAUSES = (Cause.CRASH_LOOP, Cause.NOT_HEALTHY, Cause.SUSPECT, Cause.FAILING)
_WINDOW = 600.0  # seconds; an older crash has nothing to do with the failure


def last_crash(state: NodeState, boot_id: str, *, since: float, until: float) -> tuple[str, Start] | None:
    """Return the component that crashed last, and its start; None if none has crashed, or if it was killed.

    Only starts since ``since`` count that crashed up to ``until`` (seconds since the boot with this id).
    """
    crashes = [
        (start.end.since_boot, name, start)
        for name, starts in state.startups.items()
        for start in starts
        if start.boot_id == boot_id and start.since_boot >= since
        if start.end is not None and is_crash(start.end) and start.end.since_boot <= until
    ]
    if not crashes:
        return None
    _when, name, start = max(crashes, key=lambda crash: crash[:2])
    return (name, start) if start.end is not None and has_last_words(start.end) else None


class CrashMessages:
    """Adds last messages to verdicts. A message is kept for as long as its verdict: one transition, one write."""

    def __init__(self, context: AgentContext) -> None:
        self._read_message = context.commands.last_message  # may hang
        self._clock = context.clock
        self._task = context.new_task()
        self._asked: tuple[ConfigOk, str] | None = None  # the verdict in question, and the component
        self._explained: tuple[ConfigOk, ConfigOk] | None = None  # the verdict without and with the message

    def add_to(self, verdict: ConfigOk, state: NodeState) -> ConfigOk | None:
        """Return the verdict with its last message if there is one; None while the journal is read."""
        if self._read_message is None:
            return verdict
        if self._explained is not None and self._explained[0] == verdict:
            return self._explained[1]
        if self._asked is None or self._asked[0] != verdict:
            self._task.abandon()
            self._asked = None
            crash = self._crash(verdict, state)
            if crash is None:
                return verdict
            self._asked = verdict, crash[0]
            self._task.start(partial(self._read_message, crash[1].invocation))
        if not self._task.done:
            return None
        message, component = self._task.result(), self._asked[1]
        self._asked = None
        explained = verdicts.with_last_message(verdict, component, message) if message else verdict
        self._explained = verdict, explained
        return explained

    def _crash(self, verdict: ConfigOk, state: NodeState) -> tuple[str, Start] | None:
        if verdict.cause not in _CRASH_CAUSES:
            return None
        boot_id, until = self._clock.boot_id(), self._clock.since_boot()
        since = state.active_record.adopted_in(boot_id)
        failure = state.records.answered.failure
        if verdict.cause == Cause.FAILING:  # of what runs: the adoption of the local config is not recorded
            newest = {name: starts_of_newest_config(starts) for name, starts in state.startups.items()}
            state = state._replace(startups=newest)
        elif failure is not None:
            since = failure.adopted_since_boot if failure.boot_id == boot_id else 0.0
        if verdict.cause in (Cause.CRASH_LOOP, Cause.NOT_HEALTHY) and failure is not None:
            if failure.boot_id != boot_id:
                return None
            until = failure.since_boot  # crashes of last-known-good after the rollback do not count
        crash = last_crash(state, boot_id, since=since, until=until)
        if crash is None or crash[1].end is None or crash[1].end.since_boot < until - _WINDOW:
            return None
        return crash
