# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Counts a component's crashes, and encodes its starts, ends and bad configs.

These files are kept for each version of a component: a config that is bad under one version may work under another.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from ..._foreign import load_json
from .records import DamagedFile, FieldCodec, raising_damaged_file

MAX_STARTUPS = 64  # above any crashLoopThreshold, with room for restarts that do not count
MAX_BAD_CONFIGS = 256
_SYSTEMD_CODES = range(200, 244)  # systemd's own exit statuses: the component itself never ran


class End(NamedTuple):
    """How and when a component ended: systemd's SERVICE_RESULT, EXIT_CODE and EXIT_STATUS; time is RFC 3339."""

    result: str = ""
    exit_code: str = ""
    exit_status: str = ""
    since_boot: float = 0.0
    time: str = ""


class Start(NamedTuple):
    """One start: INVOCATION_ID, when it was (boot id and seconds since boot; RFC 3339), the hash of the file read."""

    invocation: str = ""
    boot_id: str = ""
    since_boot: float = 0.0
    time: str = ""
    config: str = ""
    end: End | None = None


BadConfigKind = Literal["CrashLoop", "NotHealthy"]


class BadConfig(NamedTuple):
    """The bad mark on a config, kept under its uid.

    time: RFC 3339. reason: human-readable. name: of the bundle. crashes: their number, for CrashLoop. within, probe:
    for NotHealthy, the seconds in which it was not healthy, and what the last probe found.
    """

    time: str
    reason: str
    kind: BadConfigKind
    name: str = ""
    crashes: int = 0
    within: float = 0.0
    probe: str = ""


def is_crash(end: End) -> bool:
    """Return whether an end counts as a crash of the component.

    It does not if the main process never ran (no EXIT_CODE: an ExecStartPre failed), if an administrator stopped it
    (success), or for systemd's own exit codes 200 to 243.
    """
    if not end.exit_code or end.result in ("", "success"):
        return False
    if end.exit_code == "exited" and end.exit_status.isascii() and end.exit_status.isdigit():
        return int(end.exit_status) not in _SYSTEMD_CODES
    return True


def has_last_words(end: End) -> bool:
    """Return whether the process ended by itself, so that its last message says why it crashed; a kill has none."""
    return end.exit_code in ("exited", "dumped")


def crashes_since_adoption(
    startups: Sequence[Start], *, boot_id: str, adopted_boot_id: str, adopted_since_boot: float
) -> int:
    """Return the crashes of invocations that started since the later of boot and adoption (seconds since boot)."""
    since = adopted_since_boot if adopted_boot_id == boot_id else 0.0
    return sum(
        1
        for start in startups
        if start.boot_id == boot_id and start.since_boot >= since and start.end is not None and is_crash(start.end)
    )


def crashes_with_config(startups: Sequence[Start], *, boot_id: str, since: float, config: str) -> int:
    """Return the crashes with one config (the file's hash) since a time of this boot (seconds since boot)."""
    ends = [start.end for start in startups if start.boot_id == boot_id and start.config == config]
    return sum(1 for end in ends if end is not None and end.since_boot >= since and is_crash(end))


def starts_of_newest_config(startups: Sequence[Start]) -> Sequence[Start]:
    """Return the newest starts, as far back as they have read the same file as the last one."""
    first = len(startups)
    while first and startups[first - 1].config == startups[-1].config:
        first -= 1
    return startups[first:]


def has_just_failed(startups: Sequence[Start], boot_id: str) -> bool:
    """Return whether one of the last two starts with the newest config ended, and not because it was stopped.

    Unlike a crash, this includes starts in which the component itself never ran: its program is missing, for example.
    """
    ends = [start.end for start in starts_of_newest_config(startups)[-2:] if start.boot_id == boot_id]
    return any(end is not None and end.result not in ("", "success") for end in ends)


def append_start(startups: Sequence[Start], start: Start) -> list[Start]:
    """Return the last MAX_STARTUPS starts with a new one. A second prestart of an invocation replaces the first."""
    kept = [earlier for earlier in startups if not (start.invocation and earlier.invocation == start.invocation)]
    return [*kept, start][-MAX_STARTUPS:]


def record_end(startups: Sequence[Start], invocation: str, boot_id: str, end: End) -> list[Start] | None:
    """Return the startups with the end of an invocation; None if no start of it was recorded in this boot."""
    result = list(startups)
    for index in range(len(result) - 1, -1, -1):
        if result[index].invocation == invocation and result[index].boot_id == boot_id:
            result[index] = result[index]._replace(end=end)
            return result
    return None


_TIME_KEYS = {"since_boot": "sinceBoot", "time": "time"}
_START = FieldCodec(Start, {"invocation": "invocation", "boot_id": "bootID", "config": "config", **_TIME_KEYS})
_END = FieldCodec(End, {"result": "result", "exit_code": "exitCode", "exit_status": "exitStatus", **_TIME_KEYS})
_MARK = FieldCodec(BadConfig)


def encode_startups(startups: Sequence[Start]) -> bytes:
    """Return the content of a ``startups`` file."""
    return _to_json(
        [
            {
                **_START.encode(start),
                "end": None if start.end is None else _END.encode(start.end),
            }
            for start in startups
        ]
    )


def decode_startups(data: bytes) -> list[Start]:
    """Read a ``startups`` file. Raises DamagedFile."""
    value = _from_json(data)
    if not isinstance(value, list):
        raise DamagedFile("it is not a list of starts")
    with raising_damaged_file("a start is wrong"):
        return [
            Start(
                **_START.decode(start),
                end=None if start["end"] is None else End(**_END.decode(start["end"])),
            )
            for start in value
        ]


def encode_bad_configs(bad: Mapping[str, BadConfig]) -> bytes:
    """Return the content of a ``bad-configs`` file, with the newest MAX_BAD_CONFIGS marks."""
    newest = sorted(bad.items(), key=lambda item: item[1].time)[-MAX_BAD_CONFIGS:]
    return _to_json({uid: mark._asdict() for uid, mark in newest})


def decode_bad_configs(data: bytes) -> dict[str, BadConfig]:
    """Read a ``bad-configs`` file. Raises DamagedFile."""
    value = _from_json(data)
    if not isinstance(value, dict):
        raise DamagedFile("it is not a map of UIDs")
    with raising_damaged_file("an entry is wrong"):
        return {uid: _decode_mark(mark) for uid, mark in value.items()}


def _decode_mark(mark: Mapping[str, Any]) -> BadConfig:
    within = mark["within"]
    if not isinstance(within, (int, float)):  # a mark has no hash: another program may have written a text
        raise TypeError(f"must be real number, not {type(within).__name__}")
    return BadConfig(**_MARK.decode(mark))


def _to_json(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, indent=1).encode() + b"\n"


def _from_json(data: bytes) -> Any:
    try:
        return load_json(data)
    except ValueError as error:
        raise DamagedFile(f"it is not JSON: {error}") from error
