# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The agent's log lines as tests see them: level, message, fields."""

from __future__ import annotations

import logging
import sys
from typing import Any

from ansible_collections.configok.node.plugins.module_utils._agent import _log

__all__ = ["LogLine", "record_log"]

LogLine = tuple[str, str, dict[str, Any]]
_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


class _Recorder(logging.Handler):
    def __init__(self, lines: list[LogLine]) -> None:
        super().__init__()
        self._lines = lines

    def emit(self, record: logging.LogRecord) -> None:
        fields = {name: value for name, value in vars(record).items() if name not in _STANDARD}
        self._lines.append((record.levelname.lower(), record.getMessage(), fields))


def record_log(lines: list[LogLine]) -> list[LogLine]:
    """Have the agent's log lines appended to a list from now on, and to no other; return it."""
    for name in (_log.__name__, "configok_agent._agent._log"):  # the second is there where a test imports the archive
        if name in sys.modules:
            sys.modules[name].configure_with_first_line(lambda _logger: None)
    logger = logging.getLogger(_log.NAME)
    logger.propagate = False
    logger.setLevel(logging.DEBUG)
    logger.handlers = [_Recorder(lines)]
    return lines
