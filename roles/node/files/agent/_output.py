# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the agent's commands print, and where they log to."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from ._agent._log import configure_with_first_line
from ._text import sanitize, sanitize_lines

if TYPE_CHECKING:
    from logging import Logger

__all__ = ["UnusableInput", "complain", "json_text", "log_to_stderr", "show", "show_json"]


class UnusableInput(Exception):
    """Ends a command with exit code 2: an input, such as a file or a version, cannot be used; the text says why."""


def complain(sentence: str) -> None:
    """Print on stderr why a command did not work."""
    print(f"configok-agent: {sanitize(sentence)}", file=sys.stderr)


def show(text: str) -> None:
    """Print a human-readable answer, line by line."""
    print(sanitize_lines(text))


def json_text(value: Any, indent: int | None = None) -> str:
    """Return JSON without what Azure Pipelines, which may have this output in its log, reads as a command."""
    import json  # not at the top: the hooks print none

    return json.dumps(value, indent=indent).replace("##", "#\\u0023")


def show_json(value: Any, indent: int | None = None) -> None:
    """Print an answer as JSON."""
    print(json_text(value, indent))


def log_to_stderr() -> None:
    """Have the agent's log lines go to stderr, or to journald where that is what stderr is."""
    configure_with_first_line(_configure)


def _configure(logger: Logger) -> None:
    from ._log_handlers import configure

    configure(logger, sys.stderr, os.environ)
