# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The agent's logger, and the MESSAGE_ID of each kind of transition.

The logger is one of the standard library's, which is imported with the first line: a hook usually logs none, and has
no time for it. MESSAGE_IDs are contracts (docs/observing.md): ``journalctl MESSAGE_ID=...`` finds every line of a kind,
whatever its words.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from logging import Logger

NAME = "configok-agent"  # of the logger: the same in the archive and in tests


class _LazyLogger:
    """Imports ``logging`` when an attribute of the logger is first asked for, and configures the logger."""

    def __init__(self) -> None:
        self.configure: Callable[[Logger], None] | None = None

    def __getattr__(self, name: str) -> Any:
        import logging

        logger = logging.getLogger(NAME)
        if self.configure is not None:
            self.configure(logger)  # before it is forgotten: another thread may log its first line now
            self.configure = None
        return getattr(logger, name)


_lazy = _LazyLogger()
if TYPE_CHECKING:
    log: Logger
else:
    log = _lazy


def configure_with_first_line(configure: Callable[[Logger], None]) -> None:
    """Have the logger configured when the first line is logged. Calling ``configure`` twice must be harmless."""
    _lazy.configure = configure


ADOPTED = "df2c42b3a6f847cbaef199241ccc9630"  # an assigned config is taken into use
CONDITION = "c4eaddc15f264078aea8d2f07752b3e5"  # what ConfigOK says has changed
HEALTHY = "87ecfc70b05f49aea8b95f029471a9a4"  # a config was seen healthy
DAMAGED = "3511f230e6444f3ab39758d2e585c9dc"  # one of the agent's own files was damaged and set aside
PROMOTED = "b3c572738e804495bbf07c7ddc95ffa3"  # a config is last-known-good from now on
REFUSED = "1fb4eb8cc5764dc79174f1db27bc4530"  # an assigned config was refused, nothing was touched
RESTARTING = "9b673e3c70584702adb37ccc95f066b6"  # a component is restarted to read its config
ROLLED_BACK = "27eef90dbe314e999c808dfb0ac38d40"  # back to last-known-good
START_REFUSED = "eba64da810cd4f7f8290933510ae5b17"  # a component would not run with the init config: exit 78
SUSPECT = "89032558d1934942acb03cb4f16a7ef2"  # last-known-good fails as well
