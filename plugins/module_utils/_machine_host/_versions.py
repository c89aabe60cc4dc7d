# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Decides which of the offered package versions is the declared one. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cmp_to_key
from itertools import zip_longest

_EPOCH = re.compile(r"[0-9]+:")
_PRE_RELEASE = re.compile(r"[~.-]?(?:alpha|beta|rc|pre)", re.ASCII)
_PARTS = re.compile(r"[0-9]+|[^0-9]+")
_MOST_SHOWN = 6
_Number = tuple[int, str]
# No text and no number: what a version is compared to at its end.
_END: tuple[tuple[int, ...], _Number] = ((0,), (0, ""))


def matches(declared: str, version: str) -> bool:
    """Return whether a package version is the declared one.

    The declared version is the package's own (1.6.20~ds1-1+deb12u2), or that of the software, whole or its first parts:
    1.34.9 is the package 1.34.9-1.1, 1.7 is 1.7.24~ds1-6. A pre-release is never meant by the version it leads to.
    """
    if not declared:
        return True
    if version == declared:
        return True
    plain, target = _EPOCH.sub("", version, count=1), _EPOCH.sub("", declared, count=1)
    if plain == target:
        return not _EPOCH.match(declared)
    if "-" in target or not plain.startswith(target):
        return False
    rest = plain[len(target) :]
    return not rest[0].isalnum() and not _PRE_RELEASE.match(rest)


def choose(declared: str, versions: Iterable[str]) -> str:
    """Return the newest of the versions that is the declared one, "" if none is. A version that is equal wins."""
    offered = list(versions)
    if declared in offered:
        return declared
    return newest(version for version in offered if matches(declared, version))


def newest(versions: Iterable[str]) -> str:
    """Return the newest version, "" for none."""
    return max(versions, key=cmp_to_key(compare), default="")


def shown(versions: Iterable[str]) -> str:
    """Return versions for a sentence, newest first: "1.34.9-1.1, 1.34.8-1.1 and 12 more"."""
    ordered = sorted(set(versions), key=cmp_to_key(compare), reverse=True)
    if not ordered:
        return "no version"
    rest = len(ordered) - _MOST_SHOWN
    text = ", ".join(ordered[:_MOST_SHOWN])
    return f"{text} and {rest} more" if rest > 0 else text


def compare(left: str, right: str) -> int:
    """Compare two package versions, as dpkg does: below, equal to or above 0. RPM's order differs only in oddities."""
    (epoch, upstream, revision), (epoch2, upstream2, revision2) = _split(left), _split(right)
    return (epoch > epoch2) - (epoch < epoch2) or _compare(upstream, upstream2) or _compare(revision, revision2)


def _number(digits: str) -> _Number:
    """Return a key for the order of whole numbers of any length: int() refuses thousands of digits."""
    significant = digits.lstrip("0")
    return len(significant), significant


def _split(version: str) -> tuple[_Number, str, str]:
    epoch, colon, rest = version.partition(":")
    if not colon or not (epoch.isascii() and epoch.isdigit()):
        epoch, rest = "0", version
    upstream, _dash, revision = rest.rpartition("-") if "-" in rest else (rest, "", "")
    return _number(epoch), upstream, revision


def _compare(left: str, right: str) -> int:
    for part, other in zip_longest(_keys(left), _keys(right), fillvalue=_END):
        if part != other:
            return 1 if part > other else -1
    return 0


def _keys(text: str) -> list[tuple[tuple[int, ...], _Number]]:
    """Return a key for the order of dpkg: texts and numbers in turn; ~ before the end, letters before all else."""
    parts = _PARTS.findall(text)
    if parts and parts[0][0].isdigit() and parts[0].isascii():
        parts.insert(0, "")
    if len(parts) % 2:
        parts.append("0")
    texts = [(*(_weight(character) for character in part), 0) for part in parts[::2]]
    return [(text, _number(number)) for text, number in zip(texts, parts[1::2])]


def _weight(character: str) -> int:
    if character == "~":
        return -1
    return ord(character) if character.isalpha() else ord(character) + 256
