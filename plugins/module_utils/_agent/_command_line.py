# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line of each component as it runs, whose flags win over the file. Private to configok.node.

Read from the process, since only that has what systemd made of its environment files, and written down: a component
that is down between two crashes still has the flags that it had.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ._configuration import AgentConfiguration
from ._lock import locked
from ._store import Store

__all__ = ["CommandLines", "command_line", "read_arguments"]

_NOTE = "command-line"
_MOST = 128 * 1024  # bytes; what the kernel allows one argument
_WAIT = 5.0  # seconds that the daemon waits for the store


def read_arguments(pid: int, root: str = "/proc") -> tuple[str, ...]:
    """Return the command line of a process, () where it is gone or has none."""
    try:
        with open(f"{root}/{pid}/cmdline", "rb") as file:
            words = file.read(_MOST).rstrip(b"\0")
    except OSError:
        return ()
    return tuple(word.decode("utf-8", "replace") for word in words.split(b"\0")) if words else ()


def command_line(store: Store, component: str) -> tuple[str, ...]:
    """Return the command line that was written down last, () where none was. Raises OSError."""
    found = store.read_note(component, _NOTE).get("argv")
    return tuple(str(word) for word in found) if isinstance(found, list) else ()


class CommandLines:
    """Writes down the command line of each component that was started anew."""

    def __init__(
        self,
        configuration: AgentConfiguration,
        store: Store,
        read: Callable[[int], tuple[str, ...]] = read_arguments,
    ) -> None:
        self._names = tuple(configuration.components)
        self._store = store
        self._read = read
        self._seen: dict[str, int] = {}

    def learn(self, pids: Mapping[str, int | None]) -> None:
        """Look at processes that were not looked at yet; each is known to be well, so it is no longer systemd's own
        that is about to become it. Raises OSError, Locked."""
        for name in self._names:
            pid = pids.get(name)
            if pid is None or self._seen.get(name) == pid:
                continue
            found = self._read(pid)
            if not found:
                continue
            self._seen[name] = pid
            if found != command_line(self._store, name):
                with locked(self._store.lock, wait=_WAIT):
                    self._store.write_note(name, _NOTE, {"argv": list(found)})
