# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The specifiers of a unit of the system manager, such as %i and %H (systemd.unit(5))."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

_ESCAPED = re.compile(r"\\x([0-9a-fA-F]{2})")
_MANAGER: Mapping[str, str] = {
    "C": "/var/cache",
    "E": "/etc",
    "G": "0",
    "L": "/var/log",
    "S": "/var/lib",
    "T": "/tmp",
    "U": "0",
    "V": "/var/tmp",
    "g": "root",
    "h": "/root",
    "t": "/run",
    "u": "root",
}
_ARCHITECTURES: Mapping[str, str] = {
    "aarch64": "arm64",
    "ppc64le": "ppc64-le",
    "riscv64": "riscv64",
    "s390x": "s390x",
    "x86_64": "x86-64",
}


class HostNames(NamedTuple):
    """What a host calls itself, "" for what is not known. machine: as uname prints it, such as x86_64."""

    host: str = ""
    release: str = ""
    machine: str = ""
    machine_id: str = ""
    boot_id: str = ""


_UNKNOWN = HostNames()


def unit_specifiers(unit: str, host: HostNames = _UNKNOWN) -> dict[str, str]:
    """Return the specifiers of a unit, letter -> text, without those that are not known."""
    name = unit.rpartition(".")[0] or unit
    prefix, at, instance = name.partition("@")
    last = prefix.rpartition("-")[2]
    known = {
        "H": host.host,
        "l": host.host.partition(".")[0],
        "v": host.release,
        "a": _ARCHITECTURES.get(host.machine, ""),
        "m": host.machine_id.strip(),
        "b": host.boot_id.strip().replace("-", ""),
    }
    return {
        **_MANAGER,
        "n": unit,
        "N": name,
        "p": prefix,
        "P": _unescaped(prefix),
        "i": instance,
        "I": _unescaped(instance),
        "j": last,
        "J": _unescaped(last),
        "f": "/" + _unescaped(instance if at else prefix).lstrip("/"),
        **{letter: text for letter, text in known.items() if text},
    }


def _unescaped(name: str) -> str:
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), name.replace("-", "/"))
