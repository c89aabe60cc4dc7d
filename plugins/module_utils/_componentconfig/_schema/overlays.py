# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The releases that this process knows from data of its user, on top of those that the collection ships."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache, wraps
from typing import Any, Literal, NamedTuple, TypeVar, cast

from .. import ConfigError

_Function = TypeVar("_Function", bound=Callable[..., Any])
_RESULTS_KEPT = 256

Layer = Literal["gates", "flags", "defaults"]
"""A layer of data that an overlay can have."""


class OverlayFlag(NamedTuple):
    """A flag of a component as its help shows it: the type of its value, "" for a switch, and its default."""

    type: str
    default: str | None


@dataclass(frozen=True, eq=False)
class ReleaseOverlay:
    """What is known of one release that the shipped data do not cover.

    gates: stage, default and lock of each gate. flags: those of each component, by name. defaults: those that differ
    from the newest shipped release, by kind and path with dots; None for a default that is gone. layers: those that
    are whole, so that a gate or a flag that the layer lacks is gone.
    """

    minor: int
    gates: Mapping[str, tuple[str, bool, bool]] = field(default_factory=dict)
    flags: Mapping[str, Mapping[str, OverlayFlag]] = field(default_factory=dict)
    defaults: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    layers: frozenset[Layer] = frozenset()

    def facts(self) -> dict[str, Any]:
        """Return what is known of gates and fields as plain data, without the flags, which are the most of it."""
        gates = {name: list(state) for name, state in self.gates.items()}
        return {"minor": self.minor, "gates": gates, "defaults": dict(self.defaults), "layers": sorted(self.layers)}

    @classmethod
    def of_facts(cls, facts: Mapping[str, Any]) -> ReleaseOverlay:
        """Return the overlay of such facts."""
        gates = {name: (stage, default, locked) for name, (stage, default, locked) in facts["gates"].items()}
        return cls(facts["minor"], gates, defaults=facts["defaults"], layers=frozenset(facts["layers"]))


_registered: dict[int, ReleaseOverlay] = {}


def register(overlay: ReleaseOverlay) -> None:
    """Add an overlay for the rest of this process. Raises ConfigError if the release has another one."""
    if overlay.minor in _registered:
        raise ConfigError(f"two files have release data of Kubernetes 1.{overlay.minor}: give one")
    _registered[overlay.minor] = overlay


@contextmanager
def only_with(added: Iterable[ReleaseOverlay]) -> Iterator[None]:
    """Know these overlays and no others until the block ends: a process may carry out several tasks, one by one.

    Raises ConfigError if two of them are of one release.
    """
    global _registered
    before, _registered = _registered, {}  # replaced at once, because another thread may read them
    try:
        for overlay in added:
            register(overlay)
        yield
    finally:
        _registered = before


def overlays() -> tuple[ReleaseOverlay, ...]:
    """Return the registered overlays, the oldest release first."""
    known = _registered
    return tuple(known[minor] for minor in sorted(known))


def cached_by_overlays(function: _Function) -> _Function:
    """Return a function that keeps its results as lru_cache does, but those with other overlays apart.

    For a function that validates or compares configs: it would otherwise use the release data of another task.
    """

    @lru_cache(_RESULTS_KEPT)
    def with_overlays(_known: tuple[ReleaseOverlay, ...], *arguments: Any, **options: Any) -> Any:
        return function(*arguments, **options)

    @wraps(function)
    def cached(*arguments: Any, **options: Any) -> Any:
        return with_overlays(overlays(), *arguments, **options)

    return cast("_Function", cached)
