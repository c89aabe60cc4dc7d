# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Why the engine does not share recorded verdicts on the scheduler's config."""

from __future__ import annotations

from collections.abc import Callable

from support.verdicts.comparison import Disagreement

from ._cause import Category, Cause, refuses

__all__ = ["CAUSES"]

_KINDS = frozenset({"kube-scheduler"})


def _to(last: int, matches: Callable[[Disagreement], bool]) -> Callable[[Disagreement], bool]:
    """Return whether a disagreement matches, and is about no newer minor than the last one."""
    return lambda disagreement: int(disagreement.verdict.minor.partition(".")[2]) <= last and matches(disagreement)


_AT_START = (
    "extender-tls",
    "plugin-gone",
    "plugin-point",
    "plugin-once",
    "queue-sort-one",
    "leader-lease",
    "leader-renew",
    "leader-lock",
    "fit-ratio",
)


def _ends_by(*rules: str) -> Callable[[Disagreement], bool]:
    """Return whether the engine refuses a file by one of these rules first, and only by rules about the start."""
    return lambda disagreement: refuses(*_AT_START)(disagreement) and disagreement.findings[0].rule in rules


CAUSES: tuple[Cause, ...] = (
    Cause(
        "kube-scheduler: the client of an extender with `insecure` and a CA cannot be built",
        Category.STARTS,
        _KINDS,
        _ends_by("extender-tls"),
    ),
    Cause(
        "kube-scheduler: no profile can be built of plugins that are gone, at a wrong point, or twice at a point, nor "
        "without exactly one that sorts the queue",
        Category.STARTS,
        _KINDS,
        _ends_by("plugin-gone", "plugin-point", "plugin-once", "queue-sort-one"),
    ),
    Cause(
        "kube-scheduler: the elector refuses durations that are too close to each other",
        Category.STARTS,
        _KINDS,
        _ends_by("leader-lease", "leader-renew"),
    ),
    Cause(
        "kube-scheduler: 1.25 and 1.26 cannot make a lock of a type that client-go has given up",
        Category.STARTS,
        _KINDS,
        _to(26, _ends_by("leader-lock")),
    ),
    Cause(
        "kube-scheduler: up to 1.35, NodeResourcesFit panics without `requestedToCapacityRatio`",
        Category.STARTS,
        _KINDS,
        _to(35, _ends_by("fit-ratio")),
    ),
)
