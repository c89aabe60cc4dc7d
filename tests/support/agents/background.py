# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Errands on a clock of the test: done at once, unless what is done says that it hangs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["ErrandOnTheBench", "Hangs"]


class Hangs(BaseException):
    """Raised by a fake that gives no answer now: it is asked again whenever somebody looks."""


class ErrandOnTheBench:
    """The Errand protocol without a thread. Waiting in vain takes its time."""

    def __init__(self, pass_time: Callable[[float], None]) -> None:
        self._pass_time = pass_time
        self._what: Callable[[], Any] | None = None
        self._done = False
        self._result: Any = None
        self._error: Exception | None = None

    @property
    def under_way(self) -> bool:
        return self._what is not None

    def start(self, what: Callable[[], Any]) -> None:
        assert self._what is None
        self._what, self._done, self._result, self._error = what, False, None, None
        self._try()

    def wait(self, seconds: float) -> bool:
        if self._what is not None and not self._done:
            self._try()
            if not self._done:
                self._pass_time(seconds)
        return self._what is not None and self._done

    def take(self) -> Any:
        assert self._done
        self._what = None
        if self._error is not None:
            raise self._error
        return self._result

    def drop(self) -> None:
        self._what = None

    def _try(self) -> None:
        assert self._what is not None
        try:
            self._result = self._what()
        except Hangs:
            return
        except Exception as error:  # noqa: BLE001 - raised again where it is taken
            self._error = error
        self._done = True
