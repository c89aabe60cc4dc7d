# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""JMESPath expressions over a Node, with three answers. Pure. Private to configok.node.

The only file that imports jmespath. A comparison with a field that the Node does not have is neither true nor false:
plain JMESPath would answer `status != 'True'` with true for a Node that has no status.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterator, Mapping
from typing import Any

try:
    import jmespath
    from jmespath.exceptions import JMESPathError
    from jmespath.functions import Functions
    from jmespath.visitor import TreeInterpreter
except ImportError:
    HAS_JMESPATH = False
    JMESPATH_IMPORT_ERROR = traceback.format_exc()
    TreeInterpreter = object
else:
    HAS_JMESPATH = True
    JMESPATH_IMPORT_ERROR = ""

from ..._nodeconfig._untrusted import sanitize

__all__ = ["HAS_JMESPATH", "InvalidExpression", "JMESPATH_IMPORT_ERROR", "NodeExpression", "Undecided"]

_MAX_LENGTH = 1000  # characters
_SHOWN = 100  # characters of a value that is shown
_MISSING = "it compares a field that the Node does not have"


class InvalidExpression(ValueError):
    """A text that cannot be used as an expression; the message says why."""


class Undecided(Exception):
    """A Node to which an expression is neither true nor false; the message says why."""


class NodeExpression:
    """A JMESPath expression that is true or false of a Node. Raises InvalidExpression."""

    def __init__(self, text: str) -> None:
        if not HAS_JMESPATH:
            raise InvalidExpression("needs the Python library jmespath: install it where ansible-playbook runs")
        if len(text) > _MAX_LENGTH:
            raise InvalidExpression(f"has {len(text)} characters, at most {_MAX_LENGTH} are allowed")
        try:
            self._tree = jmespath.compile(text).parsed
            _check_functions(self._tree)
        except (JMESPathError, RecursionError) as error:
            raise InvalidExpression(f"is not a JMESPath expression: {_first_line(error)}") from error
        self.text = text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NodeExpression) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return f"NodeExpression({self.text!r})"

    def is_true(self, node: Mapping[str, Any]) -> bool:
        """Return whether the expression is true of a Node. Raises Undecided."""
        try:
            value = _Interpreter().visit(self._tree, node)
        except (ValueError, TypeError, AttributeError, LookupError, ArithmeticError, RecursionError) as error:
            raise Undecided(f"it cannot be evaluated: {_first_line(error)}") from error
        if value is _UNDECIDED:
            raise Undecided(_MISSING)
        if not isinstance(value, bool):
            shown = "null" if value is None else sanitize(value, _SHOWN)
            raise Undecided(f"it gives {shown}, neither true nor false")
        return value


def _first_line(error: Exception) -> str:
    return sanitize(str(error).strip().partition("\n")[0], 200)


def _check_functions(tree: Any) -> None:
    """Raise JMESPathError for a call that would fail for every Node."""
    for name, arguments in _calls(tree):
        signature = Functions.FUNCTION_TABLE.get(name, {}).get("signature")
        if signature is None:
            raise JMESPathError(f"it has no function {sanitize(name, 50)}()")
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
