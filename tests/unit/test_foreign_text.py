# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Only _foreign reads JSON, and evaluates patterns and expressions, that others wrote: with bounds of size and time.

A bound of size is not one of time or of errors: a pattern takes hours for 64 KiB, and JSON of 20 bytes has a number
that int() cannot take. So no other file may call what has no such bounds. An exception names a function and its reason.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
UTILS = "plugins/module_utils"
DATA = "data of the collection itself"
OWN_KEY = "the text that the caller has written, as the key of a cache"

# By file and function: why a call has no need of _foreign.
EXCEPTIONS: dict[tuple[str, str], str] = {
    (f"{UTILS}/_foreign/_json.py", "_decoder"): "the one reader",
    (f"{UTILS}/_foreign/_evaluator.py", "answer"): "the child that is killed after two seconds",
    (f"{UTILS}/_foreign/_evaluator.py", "_parse"): "the child that is killed after two seconds",
    (f"{UTILS}/_foreign/_evaluator.py", "_serve"): "what its parent writes",
    # JSON and YAML
    (f"{UTILS}/_componentconfig/_rules/__init__.py", "_facts_of"): DATA,
    (f"{UTILS}/_componentconfig/_schema/kinds.py", "_kinds_by_name"): DATA,
    (f"{UTILS}/_componentconfig/_schema/kinds.py", "_schema_of"): DATA,
    (f"{UTILS}/_componentconfig/_schema/releases.py", "newest_minor"): DATA,
    (f"{UTILS}/_machines/_changes/_config_check.py", "_disruption"): OWN_KEY,
    (f"{UTILS}/_machines/_comparison/_compare_clusters.py", "_fields"): OWN_KEY,
    (f"{UTILS}/_kube/credentials.py", "_read"): "the user's own kubeconfig, which may name a command to run",
    # patterns that are literals elsewhere in the file
    (f"{UTILS}/_agent/_reporting/_crash_messages.py", "last_message"): "one of _TELLTALE_PATTERNS",
    (f"{UTILS}/_operations/_cel.py", "_undefined_field"): "the name of a variable, which is one of three",
    (f"{UTILS}/_componentconfig/_documents/_containers.py", ""): "the names of HEAD_FIELDS",
    (f"{UTILS}/_componentconfig/_documents/recognition.py", ""): "a literal with its key",
    (f"{UTILS}/_componentconfig/_documents/recognition.py", "_container_keys"): "escaped keys",
    (f"{UTILS}/_componentconfig/_rules/_kube_apiserver_access.py", "_uses_claim"): "the name of a claim, email",
    (f"{UTILS}/_machine_host/_flags.py", "without_flags"): "escaped names of flags",
    (f"{UTILS}/_machine_host/_kubelet.py", "_field"): "the name of a field, one of two",
    (f"{UTILS}/_systemd/unit_checks.py", "_calls"): "the name of a hook, one of two, and an escaped name",
    # numbers
    (f"{UTILS}/_ansible/api_module.py", "client_from_params"): "an option of the type int",
    (f"{UTILS}/_operations/component_units.py", "ComponentUnits.command_line"): "a number that systemd prints",
    (f"{UTILS}/_operations/component_units.py", "ComponentUnits._process"): "a number that systemd prints",
    (f"{UTILS}/_rollout/_run/pool_lock.py", "PoolLock._write"): "an int32 in the API, which refuses anything else",
    (f"{UTILS}/_rollout/_run/pool_lock.py", "_lease_seconds"): "an int32 in the API, which refuses anything else",
    ("plugins/modules/machine_host.py", "_run"): "a mode that the role gives",
    ("roles/node/files/agent/_reports/_junit.py", "_totals"): "what this report counts",
}


def product_files() -> list[Path]:
    files = [*(ROOT / "plugins").rglob("*.py"), *(ROOT / "roles").rglob("*.py")]
    return sorted(path for path in files if "_data" not in path.parts)


def name_of(node: ast.expr) -> str:
    """Return the dotted name of an expression, such as "json.loads", "" if it is not a name."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return f"{name_of(node.value)}.{node.attr}"
    return ""


def is_fixed(node: ast.expr) -> bool:
    """Return whether the collection itself has written a text: a literal, a constant, or an escaped text."""
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, ast.JoinedStr):
        return all(is_fixed(part.value) if isinstance(part, ast.FormattedValue) else True for part in node.values)
    if isinstance(node, ast.BinOp):
        return is_fixed(node.left) and is_fixed(node.right)
    if isinstance(node, ast.Subscript):
        return is_fixed(node.value)
    if isinstance(node, ast.Call):
        return name_of(node.func) == "re.escape"
    return name_of(node).removesuffix(".pattern").rpartition(".")[2].isupper()


def is_from_mapping(node: ast.expr) -> bool:
    """Return whether a value is that of a key: value["key"], value.get("key")."""
    if isinstance(node, ast.BoolOp):
        return any(map(is_from_mapping, node.values))
    if isinstance(node, ast.Subscript):
        return isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str)
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get"


PATTERN_CALLS = {f"re.{name}" for name in ("compile", "match", "search", "fullmatch", "sub", "subn", "split")}
PATTERN_CALLS |= {"re.findall", "re.finditer", "re.template"}
JSON_CALLS = {"json.load", "json.loads", "json.JSONDecoder", "json.decoder.JSONDecoder"}


def problem(call: ast.Call) -> str:
    """Return what a call does with text that may be foreign, "" for nothing."""
    name = name_of(call.func)
    first = call.args[0] if call.args else None
    if name in JSON_CALLS and not (first is not None and is_fixed(first)):
        return "reads JSON without bounds"
    if name.startswith("yaml.") and "load" in name.lower():
        return "reads YAML without bounds"
    if name in PATTERN_CALLS and not (first is not None and is_fixed(first)):
        return "uses a pattern that is not its own"
    if name.startswith("jmespath."):
        return "evaluates an expression"
    if name in ("int", "float") and first is not None and is_from_mapping(first):
        return "converts a number of a document without bounds"
    return ""


def problems(source: str) -> Iterator[tuple[str, str]]:
    """Yield the function and the problem of each call in a file."""

    def walk(node: ast.AST, function: str) -> Iterator[tuple[str, str]]:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            function = f"{function}.{node.name}" if function else node.name
        fault = problem(node) if isinstance(node, ast.Call) else ""
        if fault:
            yield function, fault
        for child in ast.iter_child_nodes(node):
            yield from walk(child, function)

    yield from walk(ast.parse(source), "")


def all_problems() -> dict[tuple[str, str], str]:
    present = {}
    for path in product_files():
        name = path.relative_to(ROOT).as_posix()
        for function, fault in problems(path.read_text(encoding="utf-8")):
            present[name, function] = fault
    return present


def test_only_foreign_reads_what_others_wrote() -> None:
    present = all_problems()
    assert {place: fault for place, fault in present.items() if place not in EXCEPTIONS} == {}


def test_each_exception_still_exists() -> None:
    assert set(EXCEPTIONS) - set(all_problems()) == set()


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("json.loads(text)", "reads JSON without bounds"),
        ("json.loads(NOTES)", ""),
        ("yaml.safe_load(text)", "reads YAML without bounds"),
        ("re.compile(line)", "uses a pattern that is not its own"),
        ("re.search(rf'a{name}', text)", "uses a pattern that is not its own"),
        ("re.search(rf'a{_NAME}{re.escape(name)}', text)", ""),
        ("re.search('a', text)", ""),
        ("jmespath.search(text, node)", "evaluates an expression"),
        ("int(value['sequence'])", "converts a number of a document without bounds"),
        ("int(value.get('sequence', 0))", "converts a number of a document without bounds"),
        ("float(spec.get('seconds') or 5)", "converts a number of a document without bounds"),
        ("int(match[1])", ""),
        ("float('inf')", ""),
    ],
)
def test_what_is_a_problem(source: str, problem: str) -> None:
    assert [fault for _function, fault in problems(source)] == ([problem] if problem else [])
