# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""JMESPath expressions over a Node, with three answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..._foreign import InvalidText, evaluation
from ..._text import sanitize

_MAX_LENGTH = 1000  # characters
_SHOWN = 150  # characters of a reason


class InvalidExpression(InvalidText):
    """A text that cannot be used as an expression; the message says why."""


class Undecided(Exception):
    """A Node to which an expression is neither true nor false; the message says why."""


class TookTooLong(Undecided):
    """A Node for which an expression was not evaluated within the bound of time."""


class NodeExpression:
    """A JMESPath expression that is true or false of a Node. Raises InvalidExpression."""

    def __init__(self, text: str) -> None:
        if len(text) > _MAX_LENGTH:
            raise InvalidExpression(f"has {len(text)} characters, at most {_MAX_LENGTH} are allowed")
        try:
            evaluation.evaluate("expression", text)
        except InvalidText as error:
            raise InvalidExpression(str(error)) from error
        self.text = text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NodeExpression) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return f"NodeExpression({self.text!r})"

    def is_true(self, node: Mapping[str, Any]) -> bool:
        """Return whether the expression is true of a Node. Raises Undecided, TookTooLong among them."""
        try:
            return bool(evaluation.evaluate("expression", self.text, node=node))
        except evaluation.TookTooLong as error:
            raise TookTooLong(str(error)) from error
        except InvalidText as error:
            raise Undecided(sanitize(error, _SHOWN)) from error
