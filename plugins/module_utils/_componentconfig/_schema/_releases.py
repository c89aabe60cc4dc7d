# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kubernetes versions as minors of 1, and sets of them in words.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, cast

from .._exceptions import ConfigError

__all__ = [
    "parse_known_minor",
    "known_minors",
    "minor_name",
    "minor_names",
    "newest_minor",
    "parse_minor",
    "quoting_hint",
]

_VERSION = re.compile(r"v?1\.([0-9]{1,3})(?:[.+-].*)?")


def parse_minor(version: str) -> int:
    """27 for "1.27", "v1.27.3" or "v1.27.3-gke.100"; raises ComponentConfigError for anything else."""
    match = _VERSION.fullmatch(version.strip())
    if match is None:
        raise ConfigError(f"not a Kubernetes version: {version[:40]!r} (write for example 1.31 or v1.31.4)")
    return int(match.group(1))


def minor_name(minor: int) -> str:
    """27 is "1.27"."""
    return f"1.{minor}"


def quoting_hint(minor: int) -> str:
    """What to add to a message about a minor that is not known, where YAML may have made it: 1.30 is a number there."""
    return f" (write {minor_name(minor * 10)} in quotes)" if minor in (2, 3, 4) else ""


def minor_names(minors: Iterable[int]) -> str:
    """A set of minors for a message: "1.27", "1.20 to 1.24, 1.31"."""
    runs: list[list[int]] = []
    for minor in sorted(set(minors)):
        if runs and minor == runs[-1][1] + 1:
            runs[-1][1] = minor
        else:
            runs.append([minor, minor])
    return ", ".join(
        minor_name(first) if first == last else f"{minor_name(first)} to {minor_name(last)}" for first, last in runs
    )


def known_minors() -> tuple[int, ...]:
    """The Kubernetes minors that the data cover, oldest first."""
    return tuple(_index()["minors"])


def parse_known_minor(version: str) -> int:
    """The minor of a Kubernetes version that the data cover, the newest whole one for ""; ValueError for others."""
    if not version:
        return newest_minor()
    minor, (first, *_between, last) = parse_minor(version), known_minors()
    if not first <= minor <= last:
        known = f"{minor_name(first)} to {minor_name(last)} are"
        raise ConfigError(f"Kubernetes {minor_name(minor)} is not known here, {known}{quoting_hint(minor)}")
    return minor


@lru_cache(maxsize=1)
def _index() -> dict[str, Any]:
    from .._data import INDEX

    return cast("dict[str, Any]", json.loads(INDEX))


def newest_minor() -> int:
    """The newest Kubernetes minor that is known as a whole. Of a later one the data have the fields, as they stood
    before its release, and neither gates nor defaults of its own."""
    return int(_index()["newest"])
