# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Components as children of supervisors, one for each, where there is no systemd. Private to configok.node.

A request is one word and a newline on the supervisor's unix socket (WORDS), the answer one line of JSON: the unit
as it is then, or an error. The supervisor itself belongs to the entry point, since it starts processes.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
from collections.abc import Iterator, Mapping
from typing import Any

from .._basis._ports import ServiceError, Unit

__all__ = ["WORDS", "Supervisors", "ask", "socket_address", "unit_from", "unit_to"]

WORDS = ("unit", "restart", "start", "stop", "shutdown")
_TIMEOUT = 5.0  # seconds; a supervisor never blocks
_MAX_ANSWER = 65536


@contextlib.contextmanager
def socket_address(run_directory: str, component: str) -> Iterator[str]:
    """Give the address of a component's socket, short enough for a unix socket however deep the directory is.

    Raises OSError where the directory is not there.
    """
    directory = os.open(run_directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{directory}/{component}.sock"
    finally:
        os.close(directory)


def unit_to(unit: Unit) -> dict[str, Any]:
    """Return a unit as JSON-able data."""
    return {
        "name": unit.name,
        "state": unit.state,
        "invocation": unit.invocation,
        "pid": unit.pid,
        "activeSince": unit.active_since,
    }


def unit_from(data: Mapping[str, Any]) -> Unit:
    """Return the unit that unit_to wrote. Raises KeyError."""
    return Unit(data["name"], data["state"], data["invocation"], data["pid"], data["activeSince"])


def ask(run_directory: str, component: str, word: str) -> Unit:
    """Send one of WORDS to a component's supervisor and return the unit as it is then. Raises ServiceError."""
    try:
        with socket_address(run_directory, component) as address, socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(_TIMEOUT)
            connection.connect(address)
            connection.sendall(word.encode("ascii") + b"\n")
            answer = b""
            while not answer.endswith(b"\n") and len(answer) < _MAX_ANSWER:
                piece = connection.recv(4096)
                if not piece:
                    break
                answer += piece
        data = json.loads(answer)
        if "error" in data:
            raise ServiceError(f"the supervisor of {component} refused {word}: {str(data['error'])[:300]}")
        return unit_from(data)
    except OSError as error:
        raise ServiceError(f"the supervisor of {component} does not answer: {error.strerror or error}") from error
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ServiceError(f"the supervisor of {component} gave no answer that can be read") from error


class Supervisors:
    """The ServiceManager protocol on supervisors."""

    def __init__(self, run_directory: str, units: Mapping[str, str]) -> None:
        """units: component -> unit name, which names it in messages."""
        self._run_directory = run_directory
        self._units = units

    def unit(self, component: str) -> Unit:
        """Return the present state. Raises ServiceError; a supervisor that is not there is a missing unit."""
        try:
            with socket_address(self._run_directory, component) as address:
                os.stat(address)
        except OSError:
            return Unit(self._units[component], "missing")
        return ask(self._run_directory, component, "unit")

    def restart(self, component: str) -> None:
        """Ask for a restart and return at once; a stopped component stays stopped. Raises ServiceError."""
        ask(self._run_directory, component, "restart")
