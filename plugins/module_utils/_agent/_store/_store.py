# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads and writes the agent's own files in the state directory.

Every file is checked when it is read. A damaged one is set aside as ``*.corrupt-<time>`` and counts as missing, so that
it never keeps a component from starting. Callers hold the store's lock while they write.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from ..._foreign import load_json
from ..._nodeconfig.assignment import UID_PATTERN, ConfigSource
from .._state.node_state import Records
from .._state.records import AnsweredAssignment, ConfigRecord, DamagedFile, decode_floors, encode_floors
from .._state.start_history import (
    BadConfig,
    Start,
    decode_bad_configs,
    decode_startups,
    encode_bad_configs,
    encode_startups,
)
from ._durable_files import MAX_BYTES, STORE_LOCK, Disk, DurableFiles

if TYPE_CHECKING:
    from ..._nodeconfig.bundle import Bundle

CONFIG_FILE = "config.yaml"
UNKNOWN_VERSION = "unknown"
_CORRUPT = ".corrupt-"
_MAX_DAMAGED_KEPT = 3  # the newest copies of one file: enough to inspect, and a failing disk does not fill up
_CURRENT = "current"
_LAST_KNOWN_GOOD = "last-known-good"
_ANSWERED = "assignment"
_TRUST_FLOORS = "trust-floors"
_SWITCH_NOTE = "switched"  # the note on a component's file
# The fields of notes that are not plain values, and their types.
_NOTE_TYPES: Mapping[str, type] = {"argv": list, "dropIns": dict, "fields": list, "state": dict}
_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9.+_-]")
# The errors of a file that is damaged itself; others (no descriptors, no memory) say nothing about the file.
_UNREADABLE = (errno.EIO, errno.EISDIR, errno.EFBIG, errno.ELOOP)
T = TypeVar("T")


def digest(data: bytes) -> str:
    """Return the SHA-256 that names a file, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


class Store:
    """Reads and writes the agent's files. Every method may raise OSError."""

    def __init__(self, state_directory: str, *, now: Callable[[], str], disk: Disk | None = None) -> None:
        """Use the files in a directory. now: returns the time (RFC 3339), for the names of damaged files."""
        self.files = DurableFiles(state_directory, disk)
        self.damaged: list[str] = []  # the files that this process has found damaged
        self._now = now

    @property
    def lock(self) -> str:
        """The path of the store's lock."""
        return self.files.path(STORE_LOCK)

    # Records

    def read_records(self) -> Records:
        """Return the records, as far as they are not missing or damaged."""
        current = self._read(_CURRENT, ConfigRecord.decode)
        last_known_good = self._read(_LAST_KNOWN_GOOD, ConfigRecord.decode)
        answered = self._read(_ANSWERED, AnsweredAssignment.decode)
        never_written = current is None and last_known_good is None and not self._has_damaged_records()
        return Records(current, last_known_good, answered or AnsweredAssignment(), never_written)

    def _has_damaged_records(self) -> bool:
        names = self.files.list_names("")
        return any(name.startswith((f"{_CURRENT}{_CORRUPT}", f"{_LAST_KNOWN_GOOD}{_CORRUPT}")) for name in names)

    def write_current(self, record: ConfigRecord) -> None:
        """Replace the record of the config that this node uses."""
        self.files.write(_CURRENT, record.encode())

    def write_last_known_good(self, record: ConfigRecord) -> None:
        """Replace the record of the config that this node falls back to."""
        self.files.write(_LAST_KNOWN_GOOD, record.encode())

    def write_answered(self, answered: AnsweredAssignment) -> None:
        """Replace the record of the assignment that this node has answered."""
        self.files.write(_ANSWERED, answered.encode())

    def read_trust_floors(self) -> dict[str, int]:
        """Return the recorded floors by audience; the records may have higher ones (raised_floors)."""
        return self._read(_TRUST_FLOORS, decode_floors) or {}

    def write_trust_floors(self, floors: Mapping[str, int]) -> None:
        """Replace the recorded floors."""
        self.files.write(_TRUST_FLOORS, encode_floors(floors))

    # Checkpoints

    def read_checkpoint(self, source: ConfigSource) -> Bundle | None:
        """Return a bundle from its checkpoint, None if that is missing or damaged."""
        from ..._nodeconfig.bundle import Bundle, InvalidBundle  # here, because prestart seldom needs it

        def decode(data: bytes) -> Bundle:
            try:
                return Bundle.from_config_map(load_json(data), source)
            except (ValueError, InvalidBundle) as error:
                raise DamagedFile(str(error)) from error

        return self._read(self._checkpoint(source.uid), decode)

    def write_checkpoint(self, source: ConfigSource, config_map: Mapping[str, Any]) -> None:
        """Keep a verified ConfigMap."""
        self.files.write(self._checkpoint(source.uid), json.dumps(config_map, separators=(",", ":")).encode())

    def remove_checkpoints(self, *, keep: int, protected: Sequence[str | None]) -> None:
        """Remove the oldest checkpoints beyond ``keep``, but none of the bundles (uids) in ``protected``."""
        others = [
            uid for uid in self.files.list_names("checkpoints") if UID_PATTERN.match(uid) and uid not in protected
        ]
        others.sort(key=lambda uid: os.stat(self.files.path(f"checkpoints/{uid}")).st_mtime, reverse=True)
        for uid in others[max(0, keep - len({uid for uid in protected if uid})) :]:
            self.files.remove(f"checkpoints/{uid}")

    @staticmethod
    def _checkpoint(uid: str) -> str:
        if not UID_PATTERN.match(uid):
            raise ValueError(f"{uid!r} is not a uid")
        return f"checkpoints/{uid}"

    # What components read

    def config_path(self, component: str) -> str:
        """Return the stable path that the component reads."""
        return self.files.path(f"components/{component}/{CONFIG_FILE}")

    def read_config(self, component: str) -> bytes | None:
        """Return what the component would read now, None if there is no readable file; a damaged one is set aside."""
        return self._read(f"components/{component}/{CONFIG_FILE}", bytes)

    def write_config(self, component: str, data: bytes) -> None:
        """Replace the file that the component reads."""
        self.files.write(f"components/{component}/{CONFIG_FILE}", data)

    def note_switch(self, component: str, config: str, boot_id: str, since_boot: float) -> None:
        """Note since when the component's file is the one with this hash; a repaired file keeps its time."""
        if self.read_note(component, _SWITCH_NOTE).get("config") != config:
            self.write_note(component, _SWITCH_NOTE, {"config": config, "bootID": boot_id, "sinceBoot": since_boot})

    def switched_since(self, component: str, boot_id: str) -> float | None:
        """Return when the component's file was last switched, in seconds since boot; None if not in this boot."""
        note = self.read_note(component, _SWITCH_NOTE)
        since = note.get("sinceBoot")
        return since if note.get("bootID") == boot_id and isinstance(since, float) else None

    def write_rendered(self, component: str, data: bytes) -> str:
        """Keep a rendered file of a component; return its hash, which names it."""
        name = digest(data)
        self.files.write(f"components/{component}/{name}.yaml", data)
        return name

    def rendered_path(self, component: str, name: str) -> str:
        """Return the path of a rendered file by its hash."""
        return self.files.path(f"components/{component}/{name}.yaml")

    def read_rendered(self, component: str, name: str) -> bytes | None:
        """Return a rendered file by its hash, None if it is missing or damaged."""
        if not re.fullmatch("[0-9a-f]{64}", name):
            return None

        def check(data: bytes) -> bytes:
            if digest(data) != name:
                raise DamagedFile("its content does not have the hash in its name")
            return data

        return self._read(f"components/{component}/{name}.yaml", check)

    def remove_rendered(self, component: str, *, keep: Sequence[str | None]) -> None:
        """Remove the rendered files, and the notes on them, but not those with the hashes in ``keep``."""
        directory = f"components/{component}"
        for entry in self.files.list_names(directory):
            match = re.match(r"([0-9a-f]{64})\.", entry)
            if match and match[1] not in keep:
                self.files.remove(f"{directory}/{entry}")

    def read_note(self, component: str, name: str) -> dict[str, Any]:
        """Return a note on a component, {} if there is none.

        name: the hash of a rendered file, or what else the note is on ("init", "version", "switched", "command-line",
        "manifest", "served").
        """

        def decode(data: bytes) -> dict[str, Any]:
            value = load_json(data)
            if not isinstance(value, dict):
                raise DamagedFile("it is not an object")
            if not all(isinstance(value.get(key, kind()), kind) for key, kind in _NOTE_TYPES.items()):
                raise DamagedFile("a part of it is of another kind")
            if not all(isinstance(fields, list) for fields in value.get("dropIns", {}).values()):
                raise DamagedFile("its drop-ins are not lists")
            if not all(isinstance(key, dict) for key in value.get("state", {}).values()):
                raise DamagedFile("its state keys are not objects")
            return value

        return self._read(f"components/{component}/{name}.json", decode) or {}

    def write_note(self, component: str, name: str, note: Mapping[str, Any]) -> None:
        """Replace a note on a component. name: as for read_note()."""
        self.files.write(f"components/{component}/{name}.json", json.dumps(note, sort_keys=True).encode())

    # Tracking, under the component's version

    def tracking_version(self, component: str, configured: str) -> str:
        """Return the version under which the component is tracked, as a part of a file name."""
        return _NOT_IN_A_NAME.sub("_", self.known_version(component, configured))[:64] or UNKNOWN_VERSION

    def known_version(self, component: str, configured: str) -> str:
        """Return the component's version: the configured one, or the last that it has reported; "" without both."""
        return configured or str(self.read_note(component, "version").get("version") or "")

    def read_startups(self, component: str, version: str) -> list[Start]:
        """Return the recorded starts, oldest first."""
        return self._read(f"{component}-{version}/startups", decode_startups) or []

    def write_startups(self, component: str, version: str, startups: Sequence[Start]) -> None:
        """Replace the recorded starts."""
        self.files.write(f"{component}-{version}/startups", encode_startups(startups))

    def read_bad_configs(self, component: str, version: str) -> dict[str, BadConfig]:
        """Return the bad configs by uid."""
        return self._read(f"{component}-{version}/bad-configs", decode_bad_configs) or {}

    def write_bad_configs(self, component: str, version: str, bad: Mapping[str, BadConfig]) -> None:
        """Replace the bad configs."""
        self.files.write(f"{component}-{version}/bad-configs", encode_bad_configs(bad))

    def tracked_versions(self, component: str) -> list[str]:
        """Return the versions of the component for which bad configs are recorded."""
        prefix = f"{component}-"
        return [
            name[len(prefix) :]
            for name in self.files.list_names("")
            if name.startswith(prefix) and os.path.isfile(self.files.path(f"{name}/bad-configs"))
        ]

    def read_findings(self, component: str, version: str) -> dict[str, Any]:
        """Return the recorded findings, by the keys of the validator."""

        def decode(data: bytes) -> dict[str, Any]:
            value = load_json(data)
            if not isinstance(value, dict) or not all(isinstance(part, list) for part in value.values()):
                raise DamagedFile("it is not a map of findings")
            return value

        return self._read(f"{component}-{version}/verdicts", decode) or {}

    def write_findings(self, component: str, version: str, records: Mapping[str, Any]) -> None:
        """Replace the recorded findings; the oldest ones are dropped if the file would be too large."""
        parts: list[str] = []
        room = MAX_BYTES - 2
        for key, findings in reversed(list(records.items())):
            part = f"{json.dumps(key)}: {json.dumps(findings)}"
            room -= len(part) + 2
            if room < 0:
                break
            parts.append(part)
        self.files.write(f"{component}-{version}/verdicts", f"{{{', '.join(reversed(parts))}}}".encode())

    # Damage

    def damaged_files(self) -> list[str]:
        """Return the files that were set aside as damaged and are still kept, oldest first."""
        damaged = []
        for directory in ("", *self._directories()):
            for name in self.files.list_names(directory):
                file, corrupt, time = name.partition(_CORRUPT)
                if corrupt:
                    damaged.append((time, f"{directory}/{file}" if directory else file))
        return [name for _time, name in sorted(damaged)]

    def remove_leftovers(self) -> None:
        """Remove the temporary files of interrupted writes."""
        for directory in ("", *self._directories()):
            self.files.remove_leftovers(directory)

    def _directories(self) -> list[str]:
        tracked = [name for name in self.files.list_names("") if os.path.isdir(self.files.path(name))]
        return tracked + [f"components/{name}" for name in self.files.list_names("components")]

    def _read(self, name: str, decode: Callable[[bytes], T]) -> T | None:
        """Return the decoded file; None if it is missing, or was damaged and is now set aside."""
        try:
            data = self.files.read(name)
            if data is None:
                return None
            return decode(data)
        except ValueError:  # DamagedFile is a ValueError
            self._set_aside_damaged(name)
        except OSError as error:
            if error.errno not in _UNREADABLE:
                raise
            self._set_aside_damaged(name)
        return None

    def _set_aside_damaged(self, name: str) -> None:
        """Rename a damaged file after the time, and remove the oldest copies of it."""
        if name not in self.damaged:
            self.damaged.append(name)
        aside = f"{name}{_CORRUPT}"
        directory, base = os.path.split(aside)
        try:
            self.files.rename(name, f"{aside}{self._now().replace(':', '')}")
            copies = [entry for entry in self.files.list_names(directory) if entry.startswith(base)]
            for copy in copies[:-_MAX_DAMAGED_KEPT]:
                self.files.remove(os.path.join(directory, copy))
        except OSError:
            pass  # the file system may be read-only now; the fallback works with the file in its place
