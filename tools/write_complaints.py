# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write docs/development/complaints.md: the complaints in tests/support/complaints.py, and the tests that name them.

    python tools/write_complaints.py [--check]

Prints each complaint without a test, and each test that names an unknown complaint, and exits with 1; with --check also
if the page is out of date.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from proofs import Proof, links, proofs_of

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/development/complaints.md"
TESTS = ROOT / "tests"
sys.path.insert(0, str(TESTS))

from support.complaints import COMPLAINTS, PENDING, Complaint  # noqa: E402 - in tests, which is not installed

HEAD = """\
# Complaints about other systems

<!-- Written by make docs: change tests/support/complaints.py, or the markers of the tests. -->

What users of other systems complain about, in public issues and documentation, and what holds here. At the end are the
[tests](#tests). A test names a complaint by its reference and its words, with
`@pytest.mark.complaint("kubespray #11395: took down 20% of the workers")`. A complaint without a test fails the build.

| # | complaint | where | here |
| --- | --- | --- | --- |
"""


def faults(
    complaints: Sequence[Complaint], proofs: Mapping[str, Iterable[Proof]], pending: Mapping[str, str]
) -> list[str]:
    """Return a message for each complaint without a test, and for each test that names an unknown one."""
    known = {name for complaint in complaints for name in complaint.names}
    words = [complaint.words for complaint in complaints]
    messages = [
        f"no test names the complaint {complaint.names[0]!r}"
        for complaint in complaints
        if not _tests(complaint, proofs) and complaint.words not in pending
    ]
    messages += [
        f"{proof.file}: {proof.test} names {name!r}, which tests/support/complaints.py does not have"
        for name, tests in proofs.items()
        if name not in known
        for proof in tests
    ]
    messages += [f"{name!r} is pending and is not a complaint" for name in pending if name not in words]
    return messages + [
        f"{complaint.words!r} is pending and has a test"
        for complaint in complaints
        if complaint.words in pending and _tests(complaint, proofs)
    ]


def written(complaints: Sequence[Complaint], proofs: Mapping[str, Iterable[Proof]], pending: Mapping[str, str]) -> str:
    """Return the page."""
    rows = [
        f"| {number} | {complaint.words} | {', '.join(complaint.references)} | {complaint.answer} |"
        for number, complaint in enumerate(complaints, 1)
    ]
    tests = [
        f"- {number} {complaint.words}: {links(_tests(complaint, proofs)) or 'not yet: ' + pending[complaint.words]}"
        for number, complaint in enumerate(complaints, 1)
        if _tests(complaint, proofs) or complaint.words in pending
    ]
    return HEAD + "\n".join([*rows, "", "## Tests", "", *tests]) + "\n"


def _tests(complaint: Complaint, proofs: Mapping[str, Iterable[Proof]]) -> list[Proof]:
    return list(dict.fromkeys(proof for name in complaint.names for proof in proofs.get(name, ())))


def main() -> int:
    """Write or check the page; return the exit code."""
    parser = argparse.ArgumentParser(description="Name the tests of each complaint about other systems.")
    parser.add_argument("--check", action="store_true", help="only say what is wrong or not up to date")
    check = parser.parse_args().check
    proofs = proofs_of(TESTS, ROOT, "complaint")
    messages = faults(COMPLAINTS, proofs, PENDING)
    current = written(COMPLAINTS, proofs, PENDING)
    if check and (not PAGE.exists() or PAGE.read_text(encoding="utf-8") != current):
        messages.append("docs/development/complaints.md is not up to date, run make docs")
    for message in messages:
        print(f"write_complaints: {message}", file=sys.stderr)
    if not check:
        PAGE.write_text(current, encoding="utf-8")
        print(f"make docs: {len(COMPLAINTS)} complaints in docs/development/complaints.md")
    return 1 if messages else 0


if __name__ == "__main__":
    sys.exit(main())
