# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Number the sentences of docs/development/contract.md and name the tests whose markers have their ids.

    python tools/write_contract.py [--check]

A test names the sentences that it proves with ``@pytest.mark.contract("trial.promotes-when-healthy", ...)``, on itself,
on one of its parameters, on its class or its module. The markers are read from the source, so that no test is run or
imported. Prints each mismatch and exits with 1; with --check also if the page is out of date.
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

# Sentences that no test proves yet, with the reason. It should be empty.
PENDING: Mapping[str, str] = {}

ROW = re.compile(r"^\| *\d* *\| `(?P<id>[a-z0-9.-]+)` \| (?P<sentence>.+?) \|$")
HEADING = "## Tests"  # of the last section, which is written here


class Proof(NamedTuple):
    """A test that names a sentence: its file, relative to the checkout, and its name."""

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
    """Yield the proofs of a table of cases outside a test: ``pytest.param(..., marks=..., id=...)``."""
    for call in ast.walk(node):
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "pytest.param":
            arguments = {keyword.arg: keyword.value for keyword in call.keywords}
            case = ast.unparse(arguments["id"]).strip("'") if "id" in arguments else "one of its cases"
            for name in _ids([arguments["marks"]] if "marks" in arguments else []):
                yield name, Proof(file, case)


def _ids(decorators: Iterable[ast.expr]) -> Iterator[str]:
    for decorator in decorators:
        for call in ast.walk(decorator):
            if isinstance(call, ast.Call) and ast.unparse(call.func) == "pytest.mark.contract":
                for argument in call.args:
                    # An argument that is not a plain string cannot be evaluated; it is reported as unknown.
                    plain = isinstance(argument, ast.Constant) and isinstance(argument.value, str)
                    yield str(argument.value) if isinstance(argument, ast.Constant) and plain else ast.unparse(argument)


def proofs_of(tests: Path, root: Path) -> dict[str, list[Proof]]:
    """Return the proofs of each sentence in all test files of a directory, in the order of their paths."""
    by_sentence: dict[str, list[Proof]] = {}
    for path in sorted(tests.rglob("test_*.py")):
        for name, proof in proofs_in(path.read_text(encoding="utf-8"), path.relative_to(root).as_posix()):
            by_sentence.setdefault(name, []).append(proof)
    return by_sentence


def sentences(page: str) -> list[str]:
    """Return the ids of the page's sentences, in order."""
    return [row["id"] for row in map(ROW.match, page.splitlines()) if row]


def faults(page: str, proofs: Mapping[str, Iterable[Proof]], pending: Mapping[str, str]) -> list[str]:
    """Return a message for each mismatch between the page and the tests."""
    ids = sentences(page)
    messages = [
        f"docs/development/contract.md has {name} twice"
        for name in sorted({name for name in ids if ids.count(name) > 1})
    ]
    messages += [f"no test proves {name}" for name in ids if name not in proofs and name not in pending]
    messages += [
        f"{proof.file}: {proof.test} names {name}, which docs/development/contract.md does not have"
        for name, tests in proofs.items()
        if name not in ids
        for proof in tests
    ]
    messages += [f"{name} is pending and is not in docs/development/contract.md" for name in pending if name not in ids]
    return messages + [f"{name} is pending and has a test" for name in pending if name in proofs]


def written(page: str, proofs: Mapping[str, Iterable[Proof]], pending: Mapping[str, str]) -> str:
    """Return the page with its numbers and its list of tests."""
    lines: list[str] = []
    tests: list[str] = []
    for line in page.partition(f"\n{HEADING}\n")[0].rstrip("\n").splitlines():
        row = ROW.match(line)
        if row:
            number = len(tests) + 1
            tests.append(f"- {number} `{row['id']}`: {_tests(row['id'], proofs, pending)}")
            line = f"| {number} | `{row['id']}` | {row['sentence']} |"
        lines.append(line)
    return "\n".join([*lines, "", HEADING, "", *tests]) + "\n"


def _tests(name: str, proofs: Mapping[str, Iterable[Proof]], pending: Mapping[str, str]) -> str:
    by_file: dict[str, list[str]] = {}
    for proof in proofs.get(name, ()):
        by_file.setdefault(proof.file, []).append(proof.test.removeprefix("test_").replace("_", " "))
    links = [f"[{_short(file)}](../../{file}): {', '.join(names)}" for file, names in by_file.items()]
    return "; ".join(links) or f"not yet: {pending.get(name, '')}"


def _short(file: str) -> str:
    """Return a short name of a test file: the kind of test and the file."""
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
    by_sentence = proofs_of(TESTS, ROOT)
    messages = faults(page, by_sentence, PENDING)
    current = written(page, by_sentence, PENDING)
    if check and current != page:
        messages.append("docs/development/contract.md is not up to date, run make docs")
    for message in messages:
        print(f"write_contract: {message}", file=sys.stderr)
    if not check:
        PAGE.write_text(current, encoding="utf-8")
        print(f"make docs: {len(sentences(page))} sentences in docs/development/contract.md")
    return 1 if messages else 0


if __name__ == "__main__":
    sys.exit(main())
