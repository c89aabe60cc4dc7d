# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Number the sentences of docs/development/contract.md and name the tests whose markers have their ids.

    python tools/write_contract.py [--check]

A test says what it proves with ``@pytest.mark.contract("trial.promotes-when-healthy", ...)``, on itself, on one of its
parameters, on its class or its module. The markers are read from the source, so that nothing has to be run or
imported. Exits with 1 and a sentence for each fault; with --check also where the page is not what would be written.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, TypeGuard

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/development/contract.md"
TESTS = ROOT / "tests"

# Sentences that no test proves yet -> why. Empty is how it should be.
PENDING: Mapping[str, str] = {}

ROW = re.compile(r"^\| *\d* *\| `(?P<id>[a-z0-9.-]+)` \| (?P<sentence>.+?) \| (?P<tests>.*?) ?\|$")


class Proof(NamedTuple):
    """One test that names a sentence: its file, from the checkout, and its name."""

    file: str
    test: str


def proofs_in(source: str, file: str) -> Iterator[tuple[str, Proof]]:
    """Yield sentence and proof for each id in a contract marker of a test file."""
    body = ast.parse(source, file).body
    everywhere = [name for node in body if _is_pytestmark(node) for name in _ids([node.value])]
    for node in body:
        if isinstance(node, ast.ClassDef):
            shared = [*everywhere, *_ids(node.decorator_list)]
            for test in node.body:
                yield from _of_test(test, file, shared)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from _of_test(node, file, everywhere)
        else:
            yield from _of_cases(node, file)


def _is_pytestmark(node: ast.stmt) -> TypeGuard[ast.Assign]:
    return isinstance(node, ast.Assign) and [ast.unparse(target) for target in node.targets] == ["pytestmark"]


def _of_test(node: ast.stmt, file: str, shared: Iterable[str]) -> Iterator[tuple[str, Proof]]:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith("test_"):
        for name in dict.fromkeys([*shared, *_ids(node.decorator_list)]):
            yield name, Proof(file, node.name)


def _of_cases(node: ast.stmt, file: str) -> Iterator[tuple[str, Proof]]:
    """A table of cases that stands apart from its test: ``pytest.param(..., marks=..., id=...)``."""
    for call in ast.walk(node):
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "pytest.param":
            case = next(
                (ast.unparse(one.value).strip("'") for one in call.keywords if one.arg == "id"), "one of its cases"
            )
            for name in _ids([one.value for one in call.keywords if one.arg == "marks"]):
                yield name, Proof(file, case)


def _ids(decorators: Iterable[ast.expr]) -> Iterator[str]:
    for decorator in decorators:
        for call in ast.walk(decorator):
            if isinstance(call, ast.Call) and ast.unparse(call.func) == "pytest.mark.contract":
                for argument in call.args:
                    # What is not a plain string cannot be found by reading; said as an unknown sentence.
                    plain = isinstance(argument, ast.Constant) and isinstance(argument.value, str)
                    yield str(argument.value) if isinstance(argument, ast.Constant) and plain else ast.unparse(argument)


def proofs(tests: Path, root: Path) -> dict[str, list[Proof]]:
    """Return sentence -> proofs of all test files below a directory, in the order of their paths."""
    found: dict[str, list[Proof]] = {}
    for path in sorted(tests.rglob("test_*.py")):
        for name, proof in proofs_in(path.read_text(encoding="utf-8"), path.relative_to(root).as_posix()):
            found.setdefault(name, []).append(proof)
    return found


def sentences(page: str) -> list[str]:
    """Return the ids of the page's sentences, in order."""
    return [found["id"] for found in map(ROW.match, page.splitlines()) if found]


def faults(page: str, found: Mapping[str, Iterable[Proof]], pending: Mapping[str, str]) -> list[str]:
    """Return a sentence for each thing that is wrong between the page and the tests."""
    ids = sentences(page)
    said = [
        f"docs/development/contract.md has {name} twice"
        for name in sorted({name for name in ids if ids.count(name) > 1})
    ]
    said += [f"no test proves {name}" for name in ids if name not in found and name not in pending]
    said += [
        f"{proof.file}: {proof.test} names {name}, which docs/development/contract.md does not have"
        for name, tests in found.items()
        if name not in ids
        for proof in tests
    ]
    said += [f"{name} is pending and is not in docs/development/contract.md" for name in pending if name not in ids]
    return said + [f"{name} is pending and has a test" for name in pending if name in found]


def written(page: str, found: Mapping[str, Iterable[Proof]], pending: Mapping[str, str]) -> str:
    """Return the page with its numbers and its column of tests."""
    lines, number = [], 0
    for line in page.splitlines():
        row = ROW.match(line)
        if row:
            number += 1
            tests = _cell(found.get(row["id"], ())) or f"not yet: {pending.get(row['id'], '')}"
            line = f"| {number} | `{row['id']}` | {row['sentence']} | {tests} |"
        lines.append(line)
    return "\n".join(lines) + "\n"


def _cell(tests: Iterable[Proof]) -> str:
    by_file: dict[str, list[str]] = {}
    for proof in tests:
        by_file.setdefault(proof.file, []).append(proof.test.removeprefix("test_").replace("_", " "))
    return "; ".join(f"[{_short(file)}](../../{file}): {', '.join(names)}" for file, names in by_file.items())


def _short(file: str) -> str:
    """Return what tells test files apart: the kind of test and the file."""
    parts = file.split("/")
    return f"{parts[1]}/{parts[-1]}"


def main() -> int:
    """Write or check the page; return the exit code."""
    parser = argparse.ArgumentParser(
        description="Name the tests that prove each sentence of docs/development/contract.md."
    )
    parser.add_argument("--check", action="store_true", help="only say what is wrong or not up to date")
    check = parser.parse_args().check
    page = PAGE.read_text(encoding="utf-8")
    found = proofs(TESTS, ROOT)
    said = faults(page, found, PENDING)
    wanted = written(page, found, PENDING)
    if check and wanted != page:
        said.append("docs/development/contract.md is not up to date, run make docs")
    for sentence in said:
        print(f"write_contract: {sentence}", file=sys.stderr)
    if not check:
        PAGE.write_text(wanted, encoding="utf-8")
        print(f"make docs: {len(sentences(page))} sentences in docs/development/contract.md")
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
