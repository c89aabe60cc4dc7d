# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether systemd accepts an override: what systemd-analyze says of it before, and systemctl after."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from ..unit_file import expand_specifiers
from ._exec_start import UnitStart

_NO_SUCH_COMMAND = 127
_TIMED_OUT = 124
_ARGUMENTS = re.compile(r"argv\[\]=(.*?) ; ignore_errors=", re.DOTALL)
_PLAIN = re.compile(r"[\w\-./=:,@+$]+\Z", re.ASCII)  # of words that systemd does not change, except by quotes


class Verification(NamedTuple):
    """What systemd-analyze verify said of a unit: its exit code and its lines."""

    code: int
    lines: tuple[str, ...]


def why_not_verified(verification: Verification) -> str:
    """Return why systemd-analyze gave no verdict, as a phrase, or "" if it did."""
    return {
        _NO_SUCH_COMMAND: "systemd-analyze is not installed",
        _TIMED_OUT: "systemd-analyze did not end in time",
    }.get(verification.code, "")


def override_faults(before: Verification, after: Verification, drop_in: str) -> list[str]:
    """Return what systemd has against an override, as parts of a sentence.

    before, after: of the unit without and with it; lines of both are not about the override. drop_in: the
    path of the copy that was verified, which is left out of the messages.
    """
    news = [line for line in after.lines if line not in before.lines]
    own = [_without_value(line).replace(f"{drop_in}:", "line ", 1) for line in news if line.startswith(f"{drop_in}:")]
    if after.code == 0 or before.code != 0:
        return own
    others = [_without_value(line) for line in news if not line.startswith(f"{drop_in}:")]
    return [*own, *others] or [f"systemd-analyze verify ended with exit code {after.code}"]


def _without_value(line: str) -> str:
    """Return a line without the value that it quotes, which may be secret."""
    return line.partition(", ignoring: ")[0]


def command_faults(properties: Mapping[str, str], start: UnitStart) -> list[str]:
    """Return how the command that systemd has loaded differs from that of the unit's files, as parts of a sentence.

    properties: LoadError and ExecStart of systemctl show. A command with words that systemd may quote is not compared.
    """
    error = properties.get("LoadError", "")
    if error[:1].isalpha():
        return [f"systemd reports {error}"]
    words = [expand_specifiers(word.text, start.specifiers) for word in start.command.words]
    loaded = _ARGUMENTS.search(properties.get("ExecStart", ""))
    if loaded is None or not all(_PLAIN.match(word) for word in (start.command.program, *words)):
        return []
    if re.sub(r"[\"'\\]", "", loaded[1]).split(" ")[1:] == words:  # some versions quote a dollar sign
        return []
    return ["the command that systemd has loaded differs from that of its files"]  # arguments may be secret
