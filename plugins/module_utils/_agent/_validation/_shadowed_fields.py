# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the flags and drop-ins that a component runs with, which win over its file.

The flags are read from the process, since only it shows what systemd made of its environment files. They are recorded,
so that they are known while the component is down between two crashes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from ..._componentconfig._flags.kubelet_flags import CONFIG_DIRECTORY, fields_set_by_flags, parse_flags
from ..._host.component_process import find_drop_ins, read_argv, read_drop_in
from .._state.health import CommandLine
from .._store._rendered_files import UndecodableConfig, decode_values, field_paths
from .._store._store import Store

PROBED_FIELDS = ("enableServer", "address", "port", "healthzPort", "healthzBindAddress")
"""The kubelet's fields that say where it listens."""

_NOTE = "command-line"
_MAX_BYTES = 128 * 1024  # of the recorded command line: the kernel's limit for one argument
_ASSIGNED = "store/meta/assigned"  # below --dynamic-config-dir: what the kubelet has taken from spec.configSource


def read_command_line(pid: int) -> tuple[str, ...]:
    """Return the command line of a process, at most _MAX_BYTES of it; () if the process is gone or has none."""
    return read_argv(pid, limit=_MAX_BYTES)


def recorded_command_line(store: Store, component: str) -> CommandLine:
    """Return the component's latest recorded command line with its drop-ins, without words if there is none.

    Raises OSError.
    """
    note = store.read_note(component, _NOTE)
    words, drop_ins = note.get("argv") or (), note.get("dropIns") or {}
    fields_of = {str(path): [str(field) for field in fields] for path, fields in drop_ins.items()}
    return CommandLine(tuple(str(word) for word in words), fields_of)


def record_command_line(store: Store, component: str, command_line: CommandLine) -> None:
    """Record a command line with its drop-ins. The caller holds the store's lock. Raises OSError."""
    store.write_note(component, _NOTE, {"argv": list(command_line.argv), "dropIns": command_line.drop_ins})


def not_read_reason(store: Store, component: str) -> str:
    """Return why a component does not read the file that it is given, by its recorded flags, or "". Raises OSError."""
    argv = recorded_command_line(store, component).argv
    flags = dict(parse_flags(argv))  # of a repeated flag, the last value counts
    own_path = store.config_path(component)
    if "config" in flags and not _is_same(flags["config"], own_path):
        return f"{component} runs with --config={flags['config']}, not with {own_path}"
    if argv and "config" not in flags and os.path.basename(argv[0]) == component:
        return f"{component} runs without --config, so it does not read {own_path}"
    directory = flags.get("dynamic-config-dir", "")
    if directory and _is_assigned(os.path.join(directory, _ASSIGNED)):
        replaces = f"spec.configSource of the Node replaces {own_path}"
        return f"{component} runs with --dynamic-config-dir={directory}: {replaces}"
    return ""


def _is_same(path: str, own_path: str) -> bool:
    try:
        return os.path.samefile(path, own_path)
    except OSError:
        return os.path.normpath(path) == own_path


def _is_assigned(path: str) -> bool:
    """Return whether the kubelet (before 1.24) has its own config source; True if that cannot be read."""
    try:
        return os.stat(path).st_size > 0
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True


def read_drop_in_fields(argv: tuple[str, ...]) -> dict[str, list[str]]:
    """Return the drop-ins that a command line names, each with the fields that it sets."""
    fields = {}
    for path in find_drop_ins(argv):
        try:
            fields[path] = field_paths(decode_values(read_drop_in(path).decode("utf-8", "replace"), path))
        except (OSError, UndecodableConfig):
            fields[path] = []  # the component itself reports the error
    return fields


_OMITS_EMPTY_VALUES_SINCE = 32  # the minor that merges drop-ins into the encoded main file
_MAX_SHOWN = 20  # overridden fields; the others are counted


def fields_set_elsewhere(store: Store, component: str, fields: Sequence[str]) -> set[str]:
    """Return which of these fields a flag or a drop-in sets, so that the file's value is not used. Raises OSError."""
    argv, drop_ins = recorded_command_line(store, component)
    by_flag = {overridden.partition(" ")[0] for overridden in fields_set_by_flags(argv, fields)}
    by_drop_in = {field for names in drop_ins.values() for field in names}
    # An empty map is one field, and a drop-in adds keys to it.
    return by_flag | {
        field for field in fields if any(name == field or name.startswith(f"{field}.") for name in by_drop_in)
    }


def overridden_fields(store: Store, component: str, config: str, version: str = "") -> tuple[str, ...]:
    """Return the overridden fields of the file with this hash, each with its flag or drop-in. Raises OSError.

    version: of the component, "" if it is unknown.
    """
    if component != "kubelet" or not config:
        return ()  # kube-proxy and the others have no flags that win over --config
    note = store.read_note(component, config)
    fields = [str(field) for field in note.get("fields") or ()]
    argv, drop_ins = recorded_command_line(store, component)
    overridden = fields_set_by_flags(argv, fields)
    by_flag = {field.partition(" ")[0] for field in overridden}
    for path, names in drop_ins.items():
        for name in names:
            if name in fields and name not in by_flag and not any(name.startswith(f"{field}.") for field in by_flag):
                overridden.append(f"{name} ({path})")
    if CONFIG_DIRECTORY in dict(parse_flags(argv)) and _omits_empty_values(version):
        known = {field.partition(" ")[0] for field in overridden}
        overridden += [f"{name} (--{CONFIG_DIRECTORY})" for name in note.get("empty") or () if name not in known]
    more = len(overridden) - _MAX_SHOWN
    return (*overridden[:_MAX_SHOWN], f"and {more} more") if more > 0 else tuple(overridden)


def _omits_empty_values(version: str) -> bool:
    """Return whether a kubelet with --config-dir reads empty values of its own file as absent."""
    minor = re.match(r"v?1\.([0-9]{1,9})", version)
    return minor is None or int(minor[1]) >= _OMITS_EMPTY_VALUES_SINCE
