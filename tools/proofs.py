# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the tests that carry a marker, and its arguments, in the source: no test is run or imported.

A marker belongs to a test, to one of its parameters, to its class or its module.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeGuard

__all__ = ["Proof", "links", "proofs_in", "proofs_of"]


class Proof(NamedTuple):
    """A test with a marker: its file, relative to the checkout, and its name."""

    file: str
    test: str


def proofs_in(source: str, file: str, marker: str) -> Iterator[tuple[str, Proof]]:
    """Yield argument and proof for each argument of each such marker in a test file."""
    return _Reader(file, f"pytest.mark.{marker}").read(source)


def proofs_of(tests: Path, root: Path, marker: str) -> dict[str, list[Proof]]:
    """Return the proofs of each argument in all test files of a directory, in the order of their paths."""
    by_argument: dict[str, list[Proof]] = {}
    for path in sorted(tests.rglob("test_*.py")):
        for name, proof in proofs_in(path.read_text(encoding="utf-8"), path.relative_to(root).as_posix(), marker):
            by_argument.setdefault(name, []).append(proof)
    return by_argument


def links(proofs: Iterable[Proof]) -> str:
    """Return links to the files of these proofs, for a page in docs/development, each with the names of its tests."""
    by_file: dict[str, list[str]] = {}
    for proof in proofs:
        by_file.setdefault(proof.file, []).append(proof.test.removeprefix("test_").replace("_", " "))
    return "; ".join(f"[{_short(file)}](../../{file}): {', '.join(names)}" for file, names in by_file.items())


def _short(file: str) -> str:
    """Return a short name of a test file: the kind of test and the file."""
    parts = file.split("/")
    return f"{parts[1]}/{parts[-1]}"


@dataclass(frozen=True)
class _Reader:
    """Reads one test file. marker: as it is written, "pytest.mark.contract"."""

    file: str
    marker: str

    def read(self, source: str) -> Iterator[tuple[str, Proof]]:
        """Yield argument and proof for each argument of each marker."""
        body = ast.parse(source, self.file).body
        everywhere = [name for node in body if _is_pytestmark(node) for name in self._arguments([node.value])]
        for node in body:
            if isinstance(node, ast.ClassDef):
                shared = [*everywhere, *self._arguments(node.decorator_list)]
                for test in node.body:
                    yield from self._of_test(test, shared)
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield from self._of_test(node, everywhere)
            else:
                yield from self._of_cases(node)

    def _of_test(self, node: ast.stmt, shared: Iterable[str]) -> Iterator[tuple[str, Proof]]:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith("test_"):
            for name in dict.fromkeys([*shared, *self._arguments(node.decorator_list)]):
                yield name, Proof(self.file, node.name)

    def _of_cases(self, node: ast.stmt) -> Iterator[tuple[str, Proof]]:
        """Yield the proofs of a table of cases outside a test: ``pytest.param(..., marks=..., id=...)``."""
        for call in ast.walk(node):
            if isinstance(call, ast.Call) and ast.unparse(call.func) == "pytest.param":
                arguments = {keyword.arg: keyword.value for keyword in call.keywords}
                case = ast.unparse(arguments["id"]).strip("'") if "id" in arguments else "one of its cases"
                for name in self._arguments([arguments["marks"]] if "marks" in arguments else []):
                    yield name, Proof(self.file, case)

    def _arguments(self, decorators: Iterable[ast.expr]) -> Iterator[str]:
        for decorator in decorators:
            for call in ast.walk(decorator):
                if isinstance(call, ast.Call) and ast.unparse(call.func) == self.marker:
                    for argument in call.args:
                        # An argument that is not a plain string cannot be evaluated; it is reported as unknown.
                        value = argument.value if isinstance(argument, ast.Constant) else None
                        yield value if isinstance(value, str) else ast.unparse(argument)


def _is_pytestmark(node: ast.stmt) -> TypeGuard[ast.Assign]:
    return isinstance(node, ast.Assign) and [ast.unparse(target) for target in node.targets] == ["pytestmark"]
