# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check CEL expressions with cel-expr-python, if it is installed.

The library has no functions of Kubernetes and no types of its variables. They are declared here, some of them less
precisely than in Kubernetes: an error that may come from that does not refuse an expression.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from .._componentconfig.expressions import Expression, ExpressionChecker

_LONGEST = 10_000  # characters: the library and the patterns below are not interrupted


def cel_checker() -> ExpressionChecker | None:
    """Return a checker of CEL expressions, None without the library."""
    try:
        _environment("claims")
    except ImportError:
        return None
    return check_expression


def check_expression(expression: Expression) -> str:
    """Return why the API server refuses an expression, "" if it does not, or if that cannot be known."""
    if len(expression.text) > _LONGEST:
        return ""
    environment = _environment(expression.variable)
    try:
        compiled = environment.compile(_HAS.sub(_as_true, expression.text))
    except RuntimeError as error:
        messages = [_message(expression, *match.groups()) for match in _ERROR.finditer(str(error))]
        return "" if any(message is None for message in messages) else next(filter(None, messages), "")
    undefined = _undefined_field(expression)
    if undefined:
        return f"CEL: undefined field {undefined!r}"
    if any(map(_is_broken_pattern, _MATCHES.findall(expression.text))):
        return "CEL: invalid matches argument"
    result = compiled.return_type().name()
    if expression.is_condition and result != "BOOL" and not (result == "DYN" and _has_vague_type(expression)):
        return f"CEL: must evaluate to bool, not to {_TYPE_NAMES.get(result, result.lower())}"
    return ""


# A dotted variable is not a field of its own to the library, so that it does not know has() of it.
_HAS = re.compile(r"\bhas\(\s*(?:user|request)(?:\s*\.\s*\w+)+\s*\)")


def _as_true(match: re.Match[str]) -> str:
    return "true".ljust(len(match[0]))


# The name of "any" in the library.
_TYPE_NAMES = {"ERROR": "any"}
_ERROR = re.compile(r"ERROR: <input>:(-?[0-9]+):(-?[0-9]+): (.*)")
_UNDECLARED = re.compile(r"undeclared reference to '([^']*)'")
_OVERLOAD = re.compile(r"found no matching overload for '([^']*)' applied to '(.*)'")
_NUMERIC = re.compile(r"\((?:int|uint|double), (?:int|uint|double)\)")
_COMPARISONS = ("_<_", "_<=_", "_>_", "_>=_")  # across numeric types, which Kubernetes compares
_OPERATORS = re.compile(r"_.*_|[!-]_|@in")


def _message(expression: Expression, line: str, column: str, error: str) -> str | None:
    """Return an error of the library as a message, None if Kubernetes may accept the expression."""
    undeclared = _UNDECLARED.match(error)
    overload = _OVERLOAD.match(error)
    if undeclared is not None:
        name = undeclared[1]
        if _is_call(expression.text, int(line), int(column)) and name in _LATER_FUNCTIONS:
            return None
        if _MACROS.search(expression.text) is not None:
            return None
    elif overload is not None:
        is_comparison = overload[1] in _COMPARISONS and _NUMERIC.fullmatch(overload[2]) is not None
        if is_comparison or _OPERATORS.fullmatch(overload[1]) is None or "kubernetes." in overload[2]:
            return None
    return "CEL: " + error.split(" [INVALID_ARGUMENT]")[0].replace(" (in container '')", "")


def _is_call(text: str, line: int, column: int) -> bool:
    """Return whether the name at a position is that of a function: the position is then the parenthesis."""
    lines = text.split("\n")
    return 0 < line <= len(lines) and lines[line - 1][column - 1 : column] == "("


_LITERAL = re.compile(
    r'''[rRbB]{0,2}(?:"""[\s\S]*?"""|\'\'\'[\s\S]*?\'\'\'|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|//[^\n]*'''
)
_SELECTOR = ("rawSelector", "requirements")
_STRUCTS: Mapping[str, tuple[str, ...]] = {
    "user": ("username", "uid", "groups", "extra"),
    "request": ("resourceAttributes", "nonResourceAttributes", "user", "groups", "extra", "uid"),
    "request.resourceAttributes": (
        "namespace",
        "verb",
        "group",
        "version",
        "resource",
        "subresource",
        "name",
        "fieldSelector",
        "labelSelector",
    ),
    "request.nonResourceAttributes": ("path", "verb"),
    "request.resourceAttributes.fieldSelector": _SELECTOR,
    "request.resourceAttributes.labelSelector": _SELECTOR,
}
_SELECTORS_SINCE = 32  # they need the gate AuthorizeWithSelectors before
_CHAIN = re.compile(r"(?<![\w.])(user|request)((?:\s*\.\s*(?:\?\s*)?[A-Za-z_]\w*)+)(\s*\()?")


def _undefined_field(expression: Expression) -> str:
    """Return the first field of a variable that its type does not have, "" for none."""
    text = _LITERAL.sub("''", expression.text)
    if re.search(rf"[(,]\s*{expression.variable}\s*,", text):
        return ""  # a macro has a variable of this name
    for root, chain, call in _CHAIN.findall(text):
        names = [name.strip(" ?\t\r\n") for name in chain.split(".")[1:]]
        if call:
            names.pop()
        path = root
        for name in names:
            fields = _STRUCTS.get(path)
            if fields is None:
                break
            is_later = name in ("fieldSelector", "labelSelector") and expression.minor < _SELECTORS_SINCE
            if name not in fields or is_later:
                return str(name)
            path = f"{path}.{name}"
    return ""


_MATCHES = re.compile(r"""\.\s*matches\s*\(\s*([rR]?(?:"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'))\s*\)""")
# What has a meaning in a regular expression of RE2, which Kubernetes uses: escapes, classes, and what is left of them.
_PATTERN_TOKENS = re.compile(r"\\.|\[(?:\^|(?!\^))(?:\\.|[^\\])(?:\\.|[^\]\\])*\]|[()\[]", re.DOTALL)


def _is_broken_pattern(literal: str) -> bool:
    """Return whether a literal certainly is not a regular expression: a parenthesis or a class is not closed."""
    try:
        pattern = str(ast.literal_eval(literal))
    except (ValueError, SyntaxError):
        return False
    depth = 0
    for token in _PATTERN_TOKENS.finditer(pattern):
        depth += {"(": 1, ")": -1}.get(token[0], 0)
        if depth < 0 or token[0] == "[":
            return "\\Q" not in pattern
    return depth > 0 and "\\Q" not in pattern


# Macros of two variables, and functions that some version of Kubernetes has and this file does not declare.
_MACROS = re.compile(r"\.(?:transform\w*|(?:all|exists|existsOne|exists_one)\s*\(\s*\w+\s*,\s*\w+\s*,)")
_LATER_FUNCTIONS = frozenset(
    ("semver", "isSemver", "major", "minor", "patch", "sort", "distinct", "slice", "flatten", "range", "first", "last")
)
_VAGUE = re.compile(r"\.\s*(?:sum|min|max|orValue|value|or|optMap|optFlatMap|first|last|validate)\s*\(|\?")


def _has_vague_type(expression: Expression) -> bool:
    """Return whether an expression calls a function whose result is less precise here than in Kubernetes."""
    return _VAGUE.search(_LITERAL.sub("''", expression.text)) is not None


@cache
def _environment(variable: str) -> Any:
    """Return the library's environment for expressions with one variable."""
    from cel_expr_python import cel
    from cel_expr_python.ext import ext_optional

    return cel.NewEnv(
        variables=_variables(variable, cel.Type),
        extensions=[ext_optional.ExtOptional()],
        functions=list(_functions(cel)),
    )


def _variables(variable: str, types: Any) -> dict[str, Any]:
    """Return a variable with its fields: a dotted name has a type of its own, and wins over the map."""
    if variable == "claims":
        return {"claims": types.Map(types.STRING, types("any"))}
    texts = types.List(types.STRING)
    fields: dict[str, Any] = {"groups": texts, "extra": types.Map(types.STRING, texts)}
    variables = {variable: types.Map(types.STRING, types.DYN)}
    for path in (path for path in _STRUCTS if path.split(".")[0] == variable):
        for name in _STRUCTS[path]:
            full_name = f"{path}.{name}"
            if name == "requirements":
                variables[full_name] = types.List(types.Map(types.STRING, types.DYN))
            else:
                variables[full_name] = fields.get(name, types.STRING)
            if full_name in _STRUCTS:
                variables[full_name] = types.Map(types.STRING, types.DYN)
    return variables


def _functions(cel: Any) -> Iterator[Any]:
    """Yield the functions that Kubernetes adds: texts, lists, regex, sets, URLs, quantities, IPs, CIDRs, formats."""
    types = cel.Type
    text, integer, boolean, anything = types.STRING, types.INT, types.BOOL, types.DYN
    items, texts = types.List(anything), types.List(text)
    url, quantity = types.AbstractType("kubernetes.URL"), types.AbstractType("kubernetes.Quantity")
    address, network = types.AbstractType("net.IP"), types.AbstractType("net.CIDR")
    formats = types.AbstractType("kubernetes.NamedFormat")
    rows: dict[str, list[tuple[bool, Any, tuple[Any, ...]]]] = {}

    def add(name: str, result: Any, *parameters: Any, member: bool = True) -> None:
        rows.setdefault(name, []).append((member, result, parameters))

    add("charAt", text, text, integer)
    for name in ("indexOf", "lastIndexOf"):
        add(name, integer, text, text)
        add(name, integer, text, text, integer)
    for name in ("lowerAscii", "upperAscii", "trim"):
        add(name, text, text)
    add("replace", text, text, text, text)
    add("replace", text, text, text, text, integer)
    add("split", texts, text, text)
    add("split", texts, text, text, integer)
    add("substring", text, text, integer)
    add("substring", text, text, integer, integer)
    add("join", text, texts)
    add("join", text, texts, text)
    add("format", text, text, items)
    add("strings.quote", text, text, member=False)
    add("isSorted", boolean, items)
    for name in ("sum", "min", "max"):
        add(name, anything, items)
    for name in ("indexOf", "lastIndexOf"):
        add(name, integer, items, anything)
    add("find", text, text, text)
    add("findAll", texts, text, text)
    add("findAll", texts, text, text, integer)
    for name in ("contains", "equivalent", "intersects"):
        add(f"sets.{name}", boolean, items, items, member=False)
    add("url", url, text, member=False)
    add("isURL", boolean, text, member=False)
    for name in ("getScheme", "getHost", "getHostname", "getPort", "getEscapedPath"):
        add(name, text, url)
    add("getQuery", types.Map(text, texts), url)
    add("quantity", quantity, text, member=False)
    add("isQuantity", boolean, text, member=False)
    add("isInteger", boolean, quantity)
    for name in ("asInteger", "sign"):
        add(name, integer, quantity)
    add("asApproximateFloat", types.DOUBLE, quantity)
    for operand in (quantity, integer):
        add("add", quantity, quantity, operand)
        add("sub", quantity, quantity, operand)
    for name in ("isGreaterThan", "isLessThan"):
        add(name, boolean, quantity, quantity)
    add("compareTo", integer, quantity, quantity)
    add("ip", address, text, member=False)
    add("isIP", boolean, text, member=False)
    add("ip.isCanonical", boolean, text, member=False)
    add("family", integer, address)
    for name in ("Unspecified", "Loopback", "LinkLocalMulticast", "LinkLocalUnicast", "GlobalUnicast"):
        add(f"is{name}", boolean, address)
    add("cidr", network, text, member=False)
    add("isCIDR", boolean, text, member=False)
    for operand in (address, text):
        add("containsIP", boolean, network, operand)
    for operand in (network, text):
        add("containsCIDR", boolean, network, operand)
    add("ip", address, network)
    add("masked", network, network)
    add("prefixLength", integer, network)
    for name in _FORMATS:
        add(f"format.{name}", formats, member=False)
    add("format.named", types("optional_type<dyn>"), text, member=False)
    add("validate", types("optional_type<list<string>>"), formats, text)
    for name, overloads in rows.items():
        yield cel.FunctionDecl(
            name,
            [
                cel.Overload(f"k8s_{name}_{number}", return_type=result, parameters=list(parameters), is_member=member)
                for number, (member, result, parameters) in enumerate(overloads)
            ],
        )


_FORMATS = (
    "dns1123Label", "dns1123Subdomain", "dns1035Label", "qualifiedName", "dns1123LabelPrefix",
    "dns1123SubdomainPrefix", "dns1035LabelPrefix", "labelValue", "uri", "uuid", "byte", "date", "datetime",
)  # fmt: skip
