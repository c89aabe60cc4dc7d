# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Number the sentences of docs/development/contract.md and name the tests whose markers have their ids.

    python tools/write_contract.py [--check]

A test names the sentences that it proves with ``@pytest.mark.contract("trial.promotes-when-healthy", ...)``. Prints
each mismatch and exits with 1; with --check also if the page is out of date.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from proofs import Proof, links, proofs_of

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/development/contract.md"
TESTS = ROOT / "tests"

# Sentences that no test proves yet, with the reason. It should be empty.
PENDING: Mapping[str, str] = {}

ROW = re.compile(r"^\| *\d* *\| `(?P<id>[a-z0-9.-]+)` \| (?P<sentence>.+?) \|$")
HEADING = "## Tests"  # of the last section, which is written here


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
    return links(proofs.get(name, ())) or f"not yet: {pending.get(name, '')}"


def main() -> int:
    """Write or check the page; return the exit code."""
    parser = argparse.ArgumentParser(
        description="Name the tests that prove each sentence of docs/development/contract.md."
    )
    parser.add_argument("--check", action="store_true", help="only say what is wrong or not up to date")
    check = parser.parse_args().check
    page = PAGE.read_text(encoding="utf-8")
    by_sentence = proofs_of(TESTS, ROOT, "contract")
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
