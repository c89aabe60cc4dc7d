# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read a component's flags from a file, for commands that run away from the component."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from ._componentconfig import ConfigError
from ._files import read_file

__all__ = ["read_flags"]

_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")


def read_flags(name: str) -> list[str]:
    """Return the flags in a file: a command line, on one line or several, or the values of an environment file.

    Words are quoted as in a shell. A program before the flags is left out. Raises OSError, ConfigError.
    """
    try:
        words = list(_words(read_file(name).decode("utf-8", "surrogateescape")))
    except ValueError as error:
        raise ConfigError(f"{name}: the flags cannot be split into words: {str(error).lower()}") from error
    return words if not words or words[0].startswith("-") else words[1:]


def _words(text: str) -> Iterator[str]:
    for word in shlex.split(text.replace("\\\n", " "), comments=True):
        assignment = _ASSIGNMENT.match(word)
        if assignment is None:
            yield word
        else:
            yield from _words(word[assignment.end() :])
