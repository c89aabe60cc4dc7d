# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Evaluate patterns and expressions in child processes, within a bound of time.

A child evaluates one request after another. It stays for the next one, and ends with this process.
"""

from __future__ import annotations

import atexit
import json
import os
import pkgutil
import signal
import subprocess
import sys
from typing import Any

from . import _evaluator
from ._json import InvalidText, load_json


class TookTooLong(InvalidText):
    """A pattern or expression that was not evaluated within the bound of time."""


_idle: list[subprocess.Popen[bytes]] = []  # children that wait for a request; any thread takes and returns one


def evaluate(kind: str, text: str, **arguments: Any) -> Any:
    """Return what the evaluator answers to a request. Raises InvalidText if there is none, TookTooLong if it is late.

    Other threads run meanwhile.
    """
    request = json.dumps({"kind": kind, "text": text, **arguments}).encode() + b"\n"
    child = _take()
    try:
        reply = _ask(child, request)
    except BaseException:
        _end(child)
        raise
    if not reply:
        code = _end(child)
        if code == -signal.SIGALRM:
            raise TookTooLong(f"it takes more than {_evaluator.LONGEST:g} s")
        raise InvalidText(f"it cannot be evaluated (exit {code})")
    _idle.append(child)
    result = load_json(reply)
    if "refused" in result:
        raise InvalidText(result["refused"])
    return result["value"]


def _ask(child: subprocess.Popen[bytes], request: bytes) -> bytes:
    """Return the line that a child answers, b"" if it has ended."""
    if child.stdin is None or child.stdout is None:
        return b""
    try:
        child.stdin.write(request)
        child.stdin.flush()
    except BrokenPipeError:
        return b""
    return child.stdout.readline()


def _take() -> subprocess.Popen[bytes]:
    """Return an idle child, or start one. Raises InvalidText."""
    while True:
        try:
            child = _idle.pop()
        except IndexError:
            return _start()
        if child.poll() is None:
            return child
        _end(child)


def _start() -> subprocess.Popen[bytes]:
    # The loader has the text in an archive, too.
    program = (pkgutil.get_data(_evaluator.__package__ or "", "_evaluator.py") or b"").decode("utf-8")
    try:
        return subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", program, *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for the parent
        )
    except OSError as error:
        raise InvalidText(f"it cannot be evaluated: {sys.executable}: {error.strerror}") from error


def _end(child: subprocess.Popen[bytes]) -> int:
    """End a child, and return its exit code."""
    for pipe in (child.stdin, child.stdout):
        if pipe is not None:
            pipe.close()
    child.kill()  # without effect on one that has ended
    return child.wait()


def _end_all() -> None:
    while _idle:
        _end(_idle.pop())


atexit.register(_end_all)
os.register_at_fork(after_in_child=_idle.clear)
