# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""CEL expressions: what the API server refuses, and what only this check does not know."""

from __future__ import annotations

import sys
import time

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig.expressions import Expression
from ansible_collections.configok.node.plugins.module_utils._operations import _cel
from ansible_collections.configok.node.plugins.module_utils._operations._cel import cel_checker

REFUSED = [
    ("claims", "a b", "Syntax error: extraneous input 'b'"),
    ("claims", "claims.sub +", "Syntax error: mismatched input"),
    ("claims", "user.username", "undeclared reference to 'user.username'"),
    ("claims", "foo", "undeclared reference to 'foo'"),
    ("claims", "foo(claims.sub)", "undeclared reference to 'foo'"),
    ("claims", "cel.bind(x, 1, x)", "undeclared reference to 'x'"),
    ("claims", "1 + 'a'", "found no matching overload for '_+_' applied to '(int, string)'"),
    ("claims", "claims.groups.map(g, 'x:' + g)", "expression of type 'any' cannot be the range of a comprehension"),
    ("claims", "claims.sub.matches('[')", "invalid matches argument"),
    ("claims", r"claims.sub.matches(r'\d+(a')", "invalid matches argument"),
    ("user?", "claims.sub == 'x'", "undeclared reference to 'claims.sub'"),
    ("user?", "user.name == 'x'", "undefined field 'name'"),
    ("user?", "user.username", "must evaluate to bool, not to string"),
    ("user?", "dyn(1)", "must evaluate to bool, not to dyn"),
    ("claims?", "claims.admin", "must evaluate to bool, not to any"),
    ("claims?", "claims.?email_verified.orValue(true)", "must evaluate to bool, not to any"),
    ("request?", "request", "must evaluate to bool, not to map"),
    ("request?", "has(request.bogus)", "undefined field 'bogus'"),
    ("request?", "has(request)", "has() argument must be a field selection"),
    ("request?", "request.resourceAttributes.bogus == ''", "undefined field 'bogus'"),
    ("request?", "request.user == 1", "found no matching overload for '_==_' applied to '(string, int)'"),
    ("request?", "has(request.resourceAttributes)/", "Syntax error"),
]
ACCEPTED = [
    ("claims", "claims.sub"),
    ("claims", "'oidc:' + claims.sub"),
    ("claims", "claims.roles.split(',')"),
    ("claims", "claims.?email.orValue('x').lowerAscii()"),
    ("claims?", "claims.email_verified == true"),
    ("claims?", "claims.?email_verified.orValue(true) == true"),
    ("claims?", "claims.sub.matches('[[:alpha:]]+')"),
    ("user?", "!user.username.startsWith('system:')"),
    ("user?", "user.groups.all(group, !group.startsWith('system:'))"),
    ("user?", "has(user.extra) && user.extra['a/b'].exists(value, value == 'c')"),
    ("user?", "user.username != 'claims.sub + user.name'  // user.name"),
    ("request?", "has(request.resourceAttributes)"),
    ("request?", "request.resourceAttributes.namespace == 'kube-system'"),
    ("request?", "!('system:masters' in request.groups)"),
    ("request?", "request.resourceAttributes.fieldSelector.requirements.exists(each, each.key == 'a')"),
    ("request?", "quantity('1').isGreaterThan(quantity('2')) || cidr('10.0.0.0/8').containsIP(ip('10.1.1.1'))"),
    ("request?", "request.groups.isSorted() && url('https://a').getHost() == 'a' && sets.contains([1], [1])"),
    ("request?", "[1, 2].sum() == 3 && 'ab'.find('b') == 'b' && format.dns1123Label().validate('a').hasValue()"),
    ("request?", "1 < 2.0"),
    ("request?", "semver('1.2.3').major() == 1"),
    ("request?", "[1].exists(index, value, value == 1)"),
]


def expression(variable: str, text: str, minor: int = 36) -> Expression:
    return Expression(text, variable.rstrip("?"), variable.endswith("?"), minor)


@pytest.fixture
def _library() -> None:
    pytest.importorskip("cel_expr_python")


@pytest.mark.usefixtures("_library")
@pytest.mark.parametrize(("variable", "text", "message"), REFUSED)
def test_what_the_api_server_refuses(variable: str, text: str, message: str) -> None:
    assert _cel.check_expression(expression(variable, text)).startswith(f"CEL: {message}")


@pytest.mark.usefixtures("_library")
@pytest.mark.parametrize(("variable", "text"), ACCEPTED)
def test_what_the_api_server_accepts_or_may_accept(variable: str, text: str) -> None:
    assert _cel.check_expression(expression(variable, text)) == ""


@pytest.mark.usefixtures("_library")
def test_selectors_are_fields_from_1_32_on() -> None:
    text = "has(request.resourceAttributes.labelSelector)"
    assert _cel.check_expression(expression("request?", text, 31)) == "CEL: undefined field 'labelSelector'"
    assert _cel.check_expression(expression("request?", text, 32)) == ""


def test_without_the_library_there_is_no_checker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cel_expr_python", None)
    _cel._environment.cache_clear()
    assert cel_checker() is None


@pytest.mark.usefixtures("_library")
@pytest.mark.parametrize(
    "text",
    [
        "user." + " " * 9_990,
        "user." + " " * 1_000_000,
        "'" * 1_000_000,
        "claims.sub.matches('(((a{1,99}){1,99}){1,99})!')",
    ],
    ids=["spaces", "many spaces", "quotes", "pattern"],
)
def test_no_expression_takes_long(text: str) -> None:
    begun = time.monotonic()
    _cel.check_expression(Expression(text, "claims", False, 35))
    assert time.monotonic() - begun < 5.0
