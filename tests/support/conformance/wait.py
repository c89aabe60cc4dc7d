# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Waits for events on other machines."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypeVar

from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import KubeError
from support.session.patience import LONGEST_WAIT

__all__ = ["Never", "stays", "until"]

T = TypeVar("T")
_PAUSE = 0.1  # seconds between two checks


class Never(AssertionError):
    """Raised on a timeout; the text has the expectation and the last observation."""


def until(
    what: str, look: Callable[[], T | None], timeout: float = LONGEST_WAIT, seen: Callable[[], Any] | None = None
) -> T:
    """Check until the value is true, and return it; errors of the API server are retried. Raises Never.

    timeout: seconds; the ancestor's own tests allowed a minute per step. seen: the observation to report on a timeout.
    """
    deadline = time.monotonic() + timeout
    while True:
        last: object = None
        try:
            value = look()
            if value:
                return value
        except KubeError as error:
            last = error
        if time.monotonic() > deadline:
            last = last or (seen() if seen is not None else value)
            raise Never(f"not seen within {timeout:g} s: {what}; last: {last}")
        time.sleep(_PAUSE)


def stays(what: str, look: Callable[[], bool], seconds: float) -> None:
    """Check for ``seconds`` that the condition stays true. Raises AssertionError."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if not look():
            raise AssertionError(f"did not stay so: {what}")
        time.sleep(_PAUSE)
