# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What stands for systemd in a sandbox: programs for the agent, and requests to a component's supervisor.

The agent runs `systemctl` and `journalctl` several times a second, so both are small shell scripts. A supervisor writes
its unit's properties to a file, which systemctl shows, and restarts the component on SIGUSR1. Tests ask a supervisor
on its socket, as an administrator would use systemctl.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import socket
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from product import load

__all__ = [
    "REQUESTS",
    "SupervisorError",
    "decode_unit",
    "encode_unit",
    "request",
    "socket_address",
    "unit_properties",
    "with_programs",
]

REQUESTS = ("unit", "restart", "start", "stop", "shutdown")
_TIMEOUT = 5.0  # seconds; a supervisor never blocks
_MAX_ANSWER = 65536
_STATES = {"active": "active", "starting": "activating", "stopped": "inactive"}

_SYSTEMCTL = """#!/bin/sh
# systemctl show | restart | try-restart, for a unit whose supervisor has written its properties.
case " $* " in *" --property=SystemState "*) echo SystemState=running; exit ;; esac
for unit; do :; done
file={directory}/"${{unit%.service}}.unit"
if {{ read -r supervisor < "$file" && kill -0 "${{supervisor#*=}}"; }} 2> /dev/null; then
    case " $* " in
        *" show "*) cat "$file" ;;
        *) kill -USR1 "${{supervisor#*=}}" ;;
    esac
else
    case " $* " in
        *" show "*) echo LoadState=not-found; echo ActiveState=inactive ;;
        *) echo "Unit $unit not found." >&2; exit 5 ;;
    esac
fi
"""
_JOURNALCTL = """#!/bin/sh
# A component of the sandbox writes to a file, not to the journal.
"""


class SupervisorError(Exception):
    """A supervisor that does not answer, or refuses a request; the text is a sentence."""


def with_programs(directory: Path, run_directory: Path) -> dict[str, str]:
    """Write systemctl and journalctl to a directory, once; return the environment in which an agent finds them first.

    run_directory: the agent's, in which supervisors write their units.
    """
    directory.mkdir(exist_ok=True)
    for name, text in (("systemctl", _SYSTEMCTL), ("journalctl", _JOURNALCTL)):
        if not (directory / name).exists():
            (directory / name).write_text(text.format(directory=shlex.quote(str(run_directory))))
            (directory / name).chmod(0o755)
    return {**os.environ, "PATH": f"{directory}:{os.environ['PATH']}"}


def unit_properties(unit: Any, supervisor: int) -> str:
    """Return the properties of a unit as systemctl shows them, after the process id of its supervisor."""
    asleep = time.clock_gettime(time.CLOCK_BOOTTIME) - time.clock_gettime(time.CLOCK_MONOTONIC)
    entered = 0 if unit.active_since is None else int((unit.active_since - asleep) * 1e6)
    properties = {
        "SupervisorPID": supervisor,
        "LoadState": "loaded",
        "ActiveState": _STATES[unit.state],
        "ActiveEnterTimestampMonotonic": entered,
        "InvocationID": unit.invocation,
        "MainPID": unit.pid or 0,
        "Restart": "always",
    }
    return "".join(f"{name}={value}\n" for name, value in properties.items())


@contextlib.contextmanager
def socket_address(run_directory: str, component: str) -> Iterator[str]:
    """Yield the address of a component's socket, short enough for a unix socket however deep the directory is.

    Raises OSError if the directory does not exist.
    """
    directory = os.open(run_directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{directory}/{component}.sock"
    finally:
        os.close(directory)


def encode_unit(unit: Any) -> dict[str, Any]:
    """Return a unit as JSON-able data."""
    return {
        "name": unit.name,
        "state": unit.state,
        "invocation": unit.invocation,
        "pid": unit.pid,
        "activeSince": unit.active_since,
    }


def decode_unit(data: Mapping[str, Any]) -> Any:
    """Return the unit that encode_unit wrote. Raises KeyError."""
    make_unit = load("_agent._state.health").Unit
    return make_unit(data["name"], data["state"], data["invocation"], data["pid"], data["activeSince"])


def request(run_directory: str, component: str, word: str) -> Any:
    """Send one of REQUESTS to a component's supervisor, and return the unit's new state. Raises SupervisorError."""
    try:
        with socket_address(run_directory, component) as address, socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(_TIMEOUT)
            connection.connect(address)
            connection.sendall(word.encode("ascii") + b"\n")
            answer = b""
            while not answer.endswith(b"\n") and len(answer) < _MAX_ANSWER:
                chunk = connection.recv(4096)
                if not chunk:
                    break
                answer += chunk
        data = load("_foreign._json").load_json(answer)
        if "error" in data:
            raise SupervisorError(f"the supervisor of {component} refused {word}: {str(data['error'])[:300]}")
        return decode_unit(data)
    except OSError as error:
        raise SupervisorError(f"the supervisor of {component} does not answer: {error.strerror or error}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise SupervisorError(f"the supervisor of {component} gave no answer that can be read") from error
