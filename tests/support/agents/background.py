# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A background task that runs its work at once, unless the work raises Hangs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["Hangs", "InlineTask"]


class Hangs(BaseException):
    """Raised by a fake that gives no answer now. The work is tried again each time its task is checked."""


class InlineTask:
    """The Task protocol without a thread."""

    def __init__(self) -> None:
        self._work: Callable[[], Any] | None = None
        self._done = False
        self._result: Any = None
        self._error: Exception | None = None

    @property
    def running(self) -> bool:
        return self._work is not None

    @property
    def done(self) -> bool:
        if self._work is not None and not self._done:
            self._try()
        return self._work is not None and self._done

    def start(self, work: Callable[[], Any]) -> None:
        assert self._work is None
        self._work, self._done, self._result, self._error = work, False, None, None
        self._try()

    def result(self) -> Any:
        assert self._done
        self._work = None
        if self._error is not None:
            raise self._error
        return self._result

    def abandon(self) -> None:
        self._work = None

    def _try(self) -> None:
        assert self._work is not None
        try:
            self._result = self._work()
        except Hangs:
            return
        except Exception as error:  # noqa: BLE001 - raised again by result()
            self._error = error
        self._done = True
