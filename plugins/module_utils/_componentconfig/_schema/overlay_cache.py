# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keep the results of a function that depend on release data."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, TypeVar, cast

from .overlays import ReleaseOverlay, overlays

_Function = TypeVar("_Function", bound=Callable[..., Any])


def cached_by_overlays(maxsize: int) -> Callable[[_Function], _Function]:
    """Return a decorator that keeps results as lru_cache does, but those with other overlays apart.

    For a function that validates or compares configs: it would otherwise use the release data of another task.
    """

    def decorate(function: _Function) -> _Function:
        @lru_cache(maxsize)
        def with_overlays(_known: tuple[ReleaseOverlay, ...], *arguments: Any, **options: Any) -> Any:
            return function(*arguments, **options)

        @wraps(function)
        def cached(*arguments: Any, **options: Any) -> Any:
            return with_overlays(overlays(), *arguments, **options)

        return cast("_Function", cached)

    return decorate
