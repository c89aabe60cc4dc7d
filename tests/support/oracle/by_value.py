# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cases by value: texts that Go parses, built at random from the parts of their grammars, valid and invalid."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from .case import Case, config

__all__ = ["by_value"]

_SIGNS = ("", "", "", "", "+", "-", "--")
_NUMBERS = (
    "0",
    "1",
    "5",
    "10",
    "007",
    "1.5",
    "1.",
    ".5",
    ".",
    "1e1",
    "1E2",
    "1e-1",
    "1e",
    "1e+",
    "1_0",
    "0x1",
    "\u0661",
    "",
)
_ODD = ("", "", "", "", "", " ", "x", "%", "\t")


class _Grammar(NamedTuple):
    """The place of a text in a config, and its units."""

    fields: Callable[[str], Mapping[str, Any]]
    units: tuple[str, ...]
    parts: int = 1


_BYTES = ("", "", "m", "k", "K", "M", "Mi", "Gi", "mi", "Ki", "G", "Ti", "Ei", "E", "n", "u", "e3", "B")
_TIMES = ("", "s", "s", "ms", "m", "h", "us", "\u00b5s", "ns", "d", "S", "sec")
_GRAMMARS: Mapping[str, _Grammar] = {
    "reserved": _Grammar(lambda text: {"kubeReserved": {"cpu": text}}, ("", "", "m", "n", "u", "k", "Ki", "x")),
    "hard": _Grammar(lambda text: {"evictionHard": {"memory.available": text}}, (*_BYTES, "%", "%", "%", "%%")),
    "reclaim": _Grammar(lambda text: {"evictionMinimumReclaim": {"nodefs.available": text}}, (*_BYTES, "%", "%", "%")),
    "log": _Grammar(lambda text: {"containerLogMaxSize": text}, _BYTES),
    "duration": _Grammar(lambda text: {"syncFrequency": text}, _TIMES, 2),
    "grace": _Grammar(lambda text: {"evictionSoftGracePeriod": {"memory.available": text}}, _TIMES, 2),
    "quota": _Grammar(
        lambda text: {"cpuCFSQuotaPeriod": text, "featureGates.CustomCPUCFSQuotaPeriod": True}, ("ms", "us", "s", "ns")
    ),
    "qos": _Grammar(
        lambda text: {"qosReserved": {"memory": text}, "featureGates.QOSReserved": True, "cgroupsPerQOS": True},
        ("%", "%", "%", "", "%%"),
    ),
    "cpus": _Grammar(lambda text: {"reservedSystemCPUs": text}, ("", ",", "-", ",0", "-1", "-0", ",1-1"), 2),
}


def by_value(number: int, seed: int = 20) -> Iterator[Case]:
    """Return a number of cases of each grammar; a seed always makes the same cases."""
    chance = random.Random(seed)
    for name, grammar in _GRAMMARS.items():
        seen: set[str] = set()
        while len(seen) < number:
            parts = chance.randint(1, grammar.parts)
            pieces = [chance.choice(_NUMBERS) + chance.choice(grammar.units) for _part in range(parts)]
            text = chance.choice(_SIGNS) + "".join(pieces) + chance.choice(_ODD)
            if text not in seen:
                seen.add(text)
                yield config(f"value {name} {text!r}", grammar.fields(text))
