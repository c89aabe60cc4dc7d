# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read a file that a command is given."""

from __future__ import annotations

import contextlib
import importlib
import sys
from collections.abc import Iterator

from ._componentconfig import ConfigError
from ._output import UnusableInput

__all__ = ["STANDARD_INPUT", "input_errors", "read_file"]

STANDARD_INPUT = "-"

# A node's archive does not have the kinds of Machines. The package of pip has them, for CI.
with contextlib.suppress(ModuleNotFoundError):
    importlib.import_module("._machine_kinds.kinds", __package__)


def read_file(name: str) -> bytes:
    """Return a file's content, or standard input for "-". Raises OSError."""
    if name == STANDARD_INPUT:
        return sys.stdin.buffer.read()
    with open(name, "rb") as stream:
        return stream.read()


@contextlib.contextmanager
def input_errors(name: str, hint: str = "") -> Iterator[None]:
    """Turn errors about the input of a command into UnusableInput.

    name: the file that is read, for an error that names none. hint: what to do, after an error of reading.
    """
    try:
        yield
    except OSError as error:
        raise UnusableInput(f"{error.filename or name}: cannot be read: {error.strerror or error}{hint}") from error
    except ConfigError as error:
        raise UnusableInput(str(error)) from error
