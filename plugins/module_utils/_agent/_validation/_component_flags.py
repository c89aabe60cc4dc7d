# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line of each component as it runs, whose flags win over the file. Private to configok.node.

Read from the process, since only that has what systemd made of its environment files, and written down: a component
that is down between two crashes still has the flags that it had.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence

from ..._componentconfig._flags._kubelet_flags import parse_flags, shadowed_by_flags
from ..._host._component_process import find_drop_ins, read_drop_in
from .._agent_configuration import AgentConfiguration
from .._interfaces import Unit
from .._store._durable_files import locked
from .._store._rendered_files import UndecodableConfig, decode_values, field_paths
from .._store._store import Store

__all__ = [
    "CommandLineTracker",
    "recorded_command_line",
    "drop_in_fields",
    "fields_set_elsewhere",
    "read_command_line",
    "overridden_fields",
]

_NOTE = "command-line"
_MOST = 128 * 1024  # bytes; what the kernel allows one argument
_WAIT = 5.0  # seconds that the daemon waits for the store
_ASSIGNED = "store/meta/assigned"  # below --dynamic-config-dir: what the kubelet has taken from spec.configSource


def read_command_line(pid: int, root: str = "/proc") -> tuple[str, ...]:
    """Return the command line of a process, () where it is gone or has none."""
    try:
        with open(f"{root}/{pid}/cmdline", "rb") as file:
            words = file.read(_MOST).rstrip(b"\0")
    except OSError:
        return ()
    return tuple(word.decode("utf-8", "replace") for word in words.split(b"\0")) if words else ()


def recorded_command_line(store: Store, component: str) -> tuple[str, ...]:
    """Return the command line that was written down last, () where none was. Raises OSError."""
    found = store.read_note(component, _NOTE).get("argv")
    return tuple(str(word) for word in found) if isinstance(found, list) else ()


def _why_not_read(store: Store, component: str) -> str:
    argv = recorded_command_line(store, component)
    flags = dict(parse_flags(argv))  # of several the last wins
    ours = store.config_path(component)
    if "config" in flags and not _is_same(flags["config"], ours):
        return f"{component} runs with --config={flags['config']}, not with {ours}"
    if argv and "config" not in flags and os.path.basename(argv[0]) == component:
        return f"{component} runs without --config, so it does not read {ours}"
    directory = flags.get("dynamic-config-dir", "")
    if directory and _is_assigned(os.path.join(directory, _ASSIGNED)):
        return f"{component} runs with --dynamic-config-dir={directory}: spec.configSource of the Node replaces {ours}"
    return ""


def _is_same(path: str, ours: str) -> bool:
    try:
        return os.path.samefile(path, ours)
    except OSError:
        return os.path.normpath(path) == ours


def _is_assigned(path: str) -> bool:
    """Return whether the kubelet (before 1.24) has a config source of its own, or may have one that cannot be seen."""
    try:
        return os.stat(path).st_size > 0
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True


def drop_in_fields(store: Store, component: str) -> dict[str, list[str]]:
    """Return the component's drop-ins as they were when it was last seen to run, each with the fields that it sets."""
    found = store.read_note(component, _NOTE).get("dropIns")
    return {str(path): [str(field) for field in fields] for path, fields in dict(found or {}).items()}


def _read_drop_ins(argv: tuple[str, ...]) -> dict[str, list[str]]:
    fields = {}
    for path in find_drop_ins(argv):
        try:
            fields[path] = field_paths(decode_values(read_drop_in(path).decode("utf-8", "replace"), path))
        except (OSError, UndecodableConfig):
            fields[path] = []  # the component says what it thinks of it
    return fields


class CommandLineTracker:
    """Writes down the command line of each component that was started anew, and its drop-ins."""

    def __init__(
        self,
        configuration: AgentConfiguration,
        store: Store,
        read: Callable[[int], tuple[str, ...]] = read_command_line,
    ) -> None:
        self._names = tuple(configuration.components)
        self._store = store
        self._read = read
        self._seen: dict[str, str] = {}

    def why_not_read(self, started: Iterable[str], invocations: Mapping[str, str]) -> str:
        """Return by which of its flags a component reads something else than the file that it is given, "" if by none.

        started: the components that were ever started through the agent: provisioning restarts nothing, so until then
        a component has the flags of before, which name the file of before. invocations: the running ones; only their
        flags tell. Raises OSError.
        """
        known = [name for name in started if name in self._seen and self._seen[name] == invocations.get(name)]
        return next(filter(None, (_why_not_read(self._store, name) for name in known)), "")

    def learn(self, well: Mapping[str, Unit]) -> None:
        """Look at invocations that were not looked at yet; each was seen well, so its process is no longer systemd's
        own that is about to become it. Raises OSError, Locked."""
        for name in self._names:
            unit = well.get(name)
            if unit is None or unit.pid is None or self._seen.get(name) == unit.invocation:
                continue
            found = self._read(unit.pid)
            if not found:
                continue
            self._seen[name] = unit.invocation
            note = {"argv": list(found), "dropIns": _read_drop_ins(found)}
            if note != self._store.read_note(name, _NOTE):
                with locked(self._store.lock, wait=_WAIT):
                    self._store.write_note(name, _NOTE, note)


_SAID = 20  # fields; the rest is counted


def fields_set_elsewhere(store: Store, component: str, fields: Sequence[str]) -> set[str]:
    """Return which of these fields a flag or a drop-in sets, whatever the file says. Raises OSError."""
    by_flag = {one.partition(" ")[0] for one in shadowed_by_flags(recorded_command_line(store, component), fields)}
    by_drop_in = {field for theirs in drop_in_fields(store, component).values() for field in theirs}
    # An empty map is one field, and a drop-in adds keys to it.
    return by_flag | {
        field for field in fields if any(one == field or one.startswith(f"{field}.") for one in by_drop_in)
    }


def overridden_fields(store: Store, component: str, config: str) -> tuple[str, ...]:
    """Return the shadowed fields of the file with this hash, each with what shadows it. Raises OSError."""
    if component != "kubelet" or not config:
        return ()  # kube-proxy and the others take no flags beside --config
    fields = [str(field) for field in store.read_note(component, config).get("fields") or ()]
    found = shadowed_by_flags(recorded_command_line(store, component), fields)
    by_flag = {one.partition(" ")[0] for one in found}
    for path, theirs in drop_in_fields(store, component).items():
        for field in theirs:
            if field in fields and field not in by_flag and not any(field.startswith(f"{one}.") for one in by_flag):
                found.append(f"{field} ({path})")
    more = len(found) - _SAID
    return (*found[:_SAID], f"and {more} more") if more > 0 else tuple(found)
