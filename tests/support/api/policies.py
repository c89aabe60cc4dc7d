# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Evaluates ValidatingAdmissionPolicies without an API server, with the CEL library.

Variables are put into the expressions that use them: like this, as in the API server, an error in one counts only
where its value is needed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

__all__ = ["inlined", "refusals"]

_VARIABLE = re.compile(r"\bvariables\.(\w+)")


def inlined(spec: Mapping[str, Any], expression: str) -> str:
    """Return an expression without variables."""
    variables = {item["name"]: item["expression"] for item in spec.get("variables") or ()}
    while _VARIABLE.search(expression):
        expression = _VARIABLE.sub(lambda match: f"({variables[match[1]]})", expression)
    return expression


def refusals(spec: Mapping[str, Any], request: Mapping[str, Any]) -> list[str]:
    """Return the messages with which a policy refuses a request, [] if it admits it.

    request: object, oldObject, and what CEL has as "request". Raises RuntimeError for an expression that fails.
    """
    values = {"object": None, "oldObject": None, **request}

    def value_of(expression: str) -> Any:
        return _compiled(inlined(spec, expression)).eval(data=values).plain_value()

    if not all(value_of(condition["expression"]) for condition in spec.get("matchConditions") or ()):
        return []
    refused = [rule for rule in spec["validations"] if not value_of(rule["expression"])]
    for rule in refused:
        if "messageExpression" in rule:
            assert rule["message"] in value_of(rule["messageExpression"])
    return [rule["message"] for rule in refused]


@cache
def _compiled(expression: str) -> Any:
    from cel_expr_python import cel
    from cel_expr_python.ext import ext_strings

    names = ("object", "oldObject", "request")
    environment = cel.NewEnv(variables=dict.fromkeys(names, cel.Type.DYN), extensions=[ext_strings.ExtStrings()])
    return environment.compile(expression)
