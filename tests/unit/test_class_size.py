# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""No class of the product has more attributes than one can keep in mind."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

UTILS = Path(__file__).resolve().parents[2] / "plugins/module_utils"
MOST_ATTRIBUTES = 16
# Lists of constants, which are not state.
CONSTANTS = {"_nodeconfig/config_status.py:Cause"}


def classes() -> Iterator[tuple[str, ast.ClassDef]]:
    """Yield all classes of module_utils, each by file and name."""
    for path in sorted(UTILS.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                yield f"{path.relative_to(UTILS)}:{node.name}", node


def attributes(node: ast.ClassDef) -> set[str]:
    """Return the attributes of a class: those of its body, such as fields, and those that methods set on self."""
    names: set[str] = set()
    for statement in node.body:
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        targets = [statement.target] if isinstance(statement, ast.AnnAssign) else targets
        names |= {target.id for target in targets if isinstance(target, ast.Name)}
    for part in ast.walk(node):
        if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store) and isinstance(part.value, ast.Name):
            names |= {part.attr} if part.value.id == "self" else set()
    return names - {"__slots__"}


def test_no_class_has_too_many_attributes() -> None:
    sizes = {name: len(attributes(node)) for name, node in classes() if name not in CONSTANTS}
    assert len(sizes) > 300
    assert {name: size for name, size in sizes.items() if size > MOST_ATTRIBUTES} == {}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = 1", {"x"}),
        ("x: int", {"x"}),
        ("x: int = 1\n    y = z = 2", {"x", "y", "z"}),
        ("def f(self):\n        self.a, self._b = 1, 2", {"a", "_b"}),
        ("def f(self):\n        self.a.b = 1\n        self.c += 1\n        print(self.d)", {"c"}),
    ],
)
def test_fields_and_what_methods_set_count_as_attributes(text: str, expected: set[str]) -> None:
    (node,) = ast.parse(f"class A:\n    {text}").body
    assert isinstance(node, ast.ClassDef)
    assert attributes(node) == expected
