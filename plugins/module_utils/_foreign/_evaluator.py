# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Evaluates patterns and expressions: the program of a child process.

evaluation starts it with this text only, so it imports nothing of ours. It reads a request from each line of its input
and writes an answer. A timer kills it in the middle of a request that takes too long: no code in Python could, since a
search holds the lock of the interpreter.

An expression is JMESPath over a Node. A comparison with a field that the Node does not have is neither true nor false:
plain JMESPath would answer `status != 'True'` with true for a Node that has no status.
"""

from __future__ import annotations

import json
import re
import resource
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Any

if __name__ == "__main__":  # in the child, whose parent gives it its own path
    sys.path[:] = sys.argv[1:]

try:
    import jmespath
    from jmespath.exceptions import JMESPathError
    from jmespath.functions import Functions
    from jmespath.visitor import TreeInterpreter
except ImportError:
    jmespath = None
    JMESPathError = ValueError
    TreeInterpreter = object

LONGEST = 2.0  # seconds of wall clock for a request
_MEMORY = 1 << 30  # bytes of address space
_SHOWN = 200  # characters of a value or error
_MISSING = "it compares a field that the Node does not have"


class Refused(Exception):
    """A request without a value; the message says why."""


def answer(request: Mapping[str, Any]) -> Any:
    """Return the value of a request. Raises Refused."""
    text = request["text"]
    if request["kind"] == "expression":
        return _is_true(text, request["node"]) if "node" in request else _parse(text) is not None
    try:
        pattern = re.compile(text)
    except (re.error, RecursionError, OverflowError) as error:
        raise Refused(str(error)) from error
    search = pattern.search if request["kind"] == "search" else pattern.fullmatch
    return [search(line) is not None for line in request["lines"]]


def _serve() -> None:
    """Answer the requests of the parent until it closes the input."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGALRM])
    with suppress(ValueError, OSError):  # not on every operating system
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    for line in sys.stdin.buffer:
        signal.setitimer(signal.ITIMER_REAL, LONGEST)
        try:
            reply = {"value": answer(json.loads(line))}
        except Refused as error:
            reply = {"refused": str(error)[:_SHOWN]}
        except MemoryError:
            reply = {"refused": "it needs too much memory"}
        signal.setitimer(signal.ITIMER_REAL, 0)
        sys.stdout.write(json.dumps(reply) + "\n")
        sys.stdout.flush()


def _is_true(text: str, node: Mapping[str, Any]) -> bool:
    """Return whether an expression is true of a Node. Raises Refused if it is neither true nor false."""
    tree = _parse(text)
    try:
        value = _Interpreter().visit(tree, node)
    except (ValueError, TypeError, AttributeError, LookupError, ArithmeticError, RecursionError) as error:
        raise Refused(f"it cannot be evaluated: {_first_line(error)}") from error
    if value is _UNDECIDED:
        raise Refused(_MISSING)
    if not isinstance(value, bool):
        shown = "null" if value is None else str(value)[:_SHOWN]
        raise Refused(f"it gives {shown}, neither true nor false")
    return value


@lru_cache(maxsize=64)
def _parse(text: str) -> Any:
    """Return the tree of an expression. Raises Refused."""
    if jmespath is None:
        raise Refused("needs the Python library jmespath: install it where ansible-playbook runs")
    try:
        tree = jmespath.compile(text).parsed
        _check_functions(tree)
    except (JMESPathError, RecursionError) as error:
        raise Refused(f"is not a JMESPath expression: {_first_line(error)}") from error
    return tree


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0][:_SHOWN]


def _check_functions(tree: Any) -> None:
    """Raise JMESPathError for a call that would fail for every Node."""
    for name, arguments in _calls(tree):
        signature = Functions.FUNCTION_TABLE.get(name, {}).get("signature")
        if signature is None:
            raise JMESPathError(f"it has no function {name[:50]}()")
        is_variadic = bool(signature) and bool(signature[-1].get("variadic"))
        if arguments < len(signature) or (arguments > len(signature) and not is_variadic):
            raise JMESPathError(f"{name}() takes {len(signature)} arguments, not {arguments}")


def _calls(tree: Any) -> Iterator[tuple[str, int]]:
    """Yield the name and the number of arguments of each function call."""
    if isinstance(tree, dict):
        children = tree.get("children") or ()
        if tree.get("type") == "function_expression":
            yield str(tree["value"]), len(children)
        for child in children:
            yield from _calls(child)


class _Undecided:
    """The value of a comparison that is neither true nor false."""

    def __repr__(self) -> str:
        return "undecided"


_UNDECIDED = _Undecided()


def _literal(value: Any) -> dict[str, Any]:
    """Return a tree that has this value, so that no operand is evaluated twice."""
    return {"type": "literal", "value": value, "children": []}


def _is_null(tree: Any) -> bool:
    return tree["type"] == "literal" and tree["value"] is None


class _Interpreter(TreeInterpreter):  # type: ignore[misc]  # jmespath is not typed
    """The interpreter of jmespath, with comparisons that may be undecided.

    A list or mapping with such a value, and a function of one, are undecided as a whole. A filter does not select an
    element for which its condition is undecided.
    """

    def visit(self, tree: Any, value: Any) -> Any:
        result = super().visit(tree, value)
        if isinstance(result, (list, dict)):
            parts = result.values() if isinstance(result, dict) else result
            if any(part is _UNDECIDED for part in parts):
                return _UNDECIDED
        return result

    def visit_comparator(self, tree: Any, value: Any) -> Any:
        values = [self.visit(operand, value) for operand in tree["children"]]
        # A comparison with the literal `null` asks whether a field exists.
        asks_for_null = any(_is_null(operand) for operand in tree["children"])
        if any(operand is _UNDECIDED or (operand is None and not asks_for_null) for operand in values):
            return _UNDECIDED
        try:
            result = super().visit_comparator({**tree, "children": [*map(_literal, values)]}, value)
        except TypeError:
            return _UNDECIDED  # a number and a text have no order
        return _UNDECIDED if result is None else result

    def visit_function_expression(self, tree: Any, value: Any) -> Any:
        arguments = [self.visit(argument, value) for argument in tree["children"]]
        if any(argument is _UNDECIDED for argument in arguments):
            return _UNDECIDED
        return self._functions.call_function(tree["value"], arguments)

    def visit_not_expression(self, tree: Any, value: Any) -> Any:
        operand = self.visit(tree["children"][0], value)
        if operand is _UNDECIDED:
            return _UNDECIDED
        return super().visit_not_expression({**tree, "children": [_literal(operand)]}, value)

    def visit_and_expression(self, tree: Any, value: Any) -> Any:
        left = self.visit(tree["children"][0], value)
        if left is not _UNDECIDED and self._is_false(left):
            return left
        right = self.visit(tree["children"][1], value)
        return right if left is not _UNDECIDED or self._is_false(right) else _UNDECIDED

    def visit_or_expression(self, tree: Any, value: Any) -> Any:
        left = self.visit(tree["children"][0], value)
        if self._is_true(left):
            return left
        right = self.visit(tree["children"][1], value)
        return _UNDECIDED if left is _UNDECIDED and not self._is_true(right) else right

    def _is_true(self, value: Any) -> bool:
        return value is not _UNDECIDED and not self._is_false(value)


if __name__ == "__main__":
    _serve()
