# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Parse Kubernetes versions and know the minors that the data cover."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from functools import lru_cache
from typing import Any, Final, NamedTuple, cast

from .. import ConfigError
from .overlays import overlays

_VERSION = re.compile(r"v?1\.([0-9]{1,3})(?:[.+-].*)?")
_LAST_MINOR = 99  # of Kubernetes 1


class Layer(str, Enum):
    """A part of what the data say of a release."""

    FIELDS = "fields"
    DEFAULTS = "defaults"
    GATES = "gates"
    FLAGS = "flags"
    RULES = "rules"
    MEANINGS = "meanings"
    """Values that mean something else from the release on."""

    def __str__(self) -> str:
        return self.value


JUDGED_LAYERS: Final = (Layer.FIELDS, Layer.DEFAULTS, Layer.GATES, Layer.FLAGS, Layer.RULES)
"""The layers that the verdict on a config rests on; an upgrade rests on `Layer.MEANINGS`, too."""


class LayerSource(NamedTuple):
    """Whether a layer is whole, from what kind of source it is, and its month: 2026-08."""

    is_whole: bool
    source: str
    date: str


def parse_minor(version: str) -> int:
    """Return the minor of a version such as "1.27", "v1.27.3" or "v1.27.3-gke.100". Raises ConfigError."""
    match = _VERSION.fullmatch(version.strip())
    if match is None:
        raise ConfigError(f"not a Kubernetes version: {version[:40]!r} (write for example 1.31 or v1.31.4)")
    return int(match.group(1))


def minor_of(version: str) -> int:
    """Return the minor of a Kubernetes version, the newest whole one for "".

    Raises ConfigError for a version that cannot be parsed; it may be one that the data do not cover.
    """
    return parse_minor(version) if version else newest_minor()


def parse_known_minor(version: str) -> int:
    """Return the minor of a version, perhaps newer than the data. Raises ConfigError for an older one."""
    minor, (first, *_between, last) = parse_minor(version), known_minors()
    if minor < first or minor > _LAST_MINOR:
        covered = f"{minor_name(first)} to {minor_name(last)} are"
        raise ConfigError(f"Kubernetes {minor_name(minor)} is not known here, {covered}{quoting_hint(minor)}")
    return minor


def known_minor_of(version: str) -> int:
    """Return the minor of a Kubernetes version as `parse_known_minor` does, the newest whole one for ""."""
    return parse_known_minor(version) if version else newest_minor()


def minors_from(version: str) -> list[int]:
    """Return the known minors from a version on: all for "", none outside the data. Raises ConfigError."""
    if not version:
        return list(known_minors())
    minor = parse_minor(version)
    return [number for number in known_minors() if minor <= number] if minor >= known_minors()[0] else []


def nearest_known_minor(minor: int) -> int:
    """Return the minor itself, or the oldest or newest one that the data cover."""
    minors = known_minors()
    return min(max(minor, minors[0]), minors[-1])


def minor_name(minor: int) -> str:
    """Return "1.27" for 27."""
    return f"1.{minor}"


def as_last_read(unread: int) -> str:
    """Return the end of a message about what the data have from before `unread`, the first minor that was not read."""
    return f" (as in Kubernetes {minor_name(unread - 1)}, the last release that was read for it)"


def quoting_hint(minor: int) -> str:
    """Return a hint for a message about an unknown minor that YAML may have made: it reads 1.30 as the number 1.3."""
    if minor * 10 not in known_minors():
        return ""
    return f": write {minor_name(minor * 10)} in quotes, which YAML otherwise reads as the number {minor_name(minor)}"


def minor_names(minors: Iterable[int]) -> str:
    """Return a set of minors for a message: "1.27", "1.20 to 1.24, 1.31"."""
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
    """Return the Kubernetes minors that the data cover, oldest first: those shipped, and those of release data."""
    shipped = tuple(release_index()["minors"])
    return (*shipped, *(overlay.minor for overlay in overlays() if overlay.minor > shipped[-1]))


def by_name(rows: Sequence[tuple[Sequence[str], Any]]) -> dict[str, Any]:
    """Return rows by name, from rows with all names that share one."""
    return {name: row for names, row in rows for name in names}


@lru_cache(maxsize=1)
def release_index() -> dict[str, Any]:
    """Return the index of the data: `minors`, `newest` and `kinds`."""
    from .._data import INDEX

    return cast("dict[str, Any]", json.loads(INDEX))


def newest_minor() -> int:
    """Return the newest Kubernetes minor of which all `JUDGED_LAYERS` are whole; later ones are judged as this one."""
    return int(release_index()["newest"])


def release_layers(minor: int) -> Mapping[Layer, LayerSource]:
    """Return what the data have of a release, {} for one that they do not know."""
    rows = by_name(release_index()["layers"].get(str(minor), ()))
    shipped = {Layer(name): LayerSource(bool(whole), source, date) for name, (whole, source, date) in rows.items()}
    added = {
        Layer(name): LayerSource(True, "release data of the user", "")
        for overlay in overlays()
        if overlay.minor == minor
        for name in overlay.layers
    }
    return {**shipped, **added}


def missing_layers(minor: int, needed: Iterable[Layer] = JUDGED_LAYERS) -> tuple[Layer, ...]:
    """Return the layers, of those that are needed, that the data do not have whole of a release."""
    known = release_layers(minor)
    return tuple(layer for layer in needed if layer not in known or not known[layer].is_whole)


def is_kubernetes_version(version: str) -> bool:
    """Return whether a config can be validated for a kubelet's version, such as v1.34.5.

    A version older than all known ones does not count: it would refuse what the other nodes can have.
    """
    try:
        return known_minors()[0] <= parse_minor(version) <= _LAST_MINOR
    except ConfigError:
        return False
