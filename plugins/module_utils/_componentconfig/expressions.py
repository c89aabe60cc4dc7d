# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the CEL expressions in the API server's files. A checker, which this package does not have, checks them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Callable, NamedTuple, Optional

from ._rules._rule import values_at
from ._scalars.field_path import Path
from .findings import Finding, not_judged

_RULE = "cel"
_NO_CHECKER = "there is no CEL library"


class Expression(NamedTuple):
    """A CEL expression: its text, the one variable that it may use, whether its value must be a boolean.

    minor: of the API server that compiles it.
    """

    text: str
    variable: str
    is_condition: bool
    minor: int


ExpressionChecker = Callable[[Expression], str]
"""Returns why the API server refuses an expression, "" if it does not, or if that cannot be known."""
CheckerSource = Callable[[], Optional[ExpressionChecker]]
"""Returns a checker, None if there is none where this runs."""

# The patterns of the fields, with the variable and whether the value must be a boolean.
_FIELDS = {
    "AuthenticationConfiguration": (
        ("jwt[].claimValidationRules[].expression", "claims", True),
        ("jwt[].claimMappings.username.expression", "claims", False),
        ("jwt[].claimMappings.groups.expression", "claims", False),
        ("jwt[].claimMappings.uid.expression", "claims", False),
        ("jwt[].claimMappings.extra[].valueExpression", "claims", False),
        ("jwt[].userValidationRules[].expression", "user", True),
    ),
    "AuthorizationConfiguration": (("authorizers[].webhook.matchConditions[].expression", "request", True),),
}


def expression_findings(data: dict[str, Any], kind: str, minor: int, source: CheckerSource | None) -> Iterator[Finding]:
    """Yield what is wrong with the expressions of a document; without a checker, that they are not judged."""
    expressions = list(_expressions_in(data, kind, minor))
    if not expressions:
        return
    checker = source() if source is not None else None
    if checker is None:
        hint = ": install cel-expr-python where this runs" if source is not None else ""
        yield not_judged((), "CEL expressions", _NO_CHECKER + hint)
        return
    for path, expression in expressions:
        message = checker(expression)
        if message:
            yield Finding(path, message, _RULE)


def _expressions_in(data: dict[str, Any], kind: str, minor: int) -> Iterator[tuple[Path, Expression]]:
    for pattern, variable, is_condition in _FIELDS.get(kind, ()):
        for path, text in values_at(data, pattern):
            if isinstance(text, str) and text:  # other rules report the others
                yield path, Expression(text, variable, is_condition, minor)
