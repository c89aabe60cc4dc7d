# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every complaint about other systems has a test that names it, and every test names a complaint that is listed."""

from __future__ import annotations

import write_complaints
from proofs import Proof, proofs_of
from support.complaints import COMPLAINTS, PENDING, Complaint
from write_complaints import ROOT, TESTS, faults, written

ONE = Complaint("it is slow", ("other #1", "other #2"), "It is not.")
TWO = Complaint("it is loud", ("other #3",), "Nor that.")
PROOF = Proof("tests/unit/test_x.py", "test_it_is_quick")


def test_each_complaint_has_a_test() -> None:
    assert len(COMPLAINTS) > 20
    assert faults(COMPLAINTS, proofs_of(TESTS, ROOT, "complaint"), PENDING) == []


def test_no_complaint_is_listed_twice() -> None:
    names = [name for complaint in COMPLAINTS for name in complaint.names]
    assert len(names) == len(set(names))
    assert len({complaint.words for complaint in COMPLAINTS}) == len(COMPLAINTS)


def test_any_of_its_references_names_a_complaint() -> None:
    assert faults([ONE], {"other #2: it is slow": [PROOF]}, {}) == []
    assert faults([ONE], {}, {}) == ["no test names the complaint 'other #1: it is slow'"]
    assert faults([ONE], {}, {"it is slow": "later"}) == []


def test_each_error_is_reported() -> None:
    assert faults([ONE], {"other #2: it is slow": [PROOF], "other #9: it is slow": [PROOF]}, {}) == [
        "tests/unit/test_x.py: test_it_is_quick names 'other #9: it is slow', "
        "which tests/support/complaints.py does not have"
    ]
    assert faults([ONE], {"other #1: it is slow": [PROOF]}, {"it is slow": "later", "it is red": "later"}) == [
        "'it is red' is pending and is not a complaint",
        "'it is slow' is pending and has a test",
    ]


def test_the_page_has_each_complaint_with_its_tests() -> None:
    proofs = {"other #1: it is slow": [PROOF], "other #2: it is slow": [PROOF]}
    page = written([ONE, TWO], proofs, {"it is loud": "tomorrow"})
    assert page.removeprefix(write_complaints.HEAD).splitlines() == [
        "| 1 | it is slow | other #1, other #2 | It is not. |",
        "| 2 | it is loud | other #3 | Nor that. |",
        "",
        "## Tests",
        "",
        "- 1 it is slow: [unit/test_x.py](../../tests/unit/test_x.py): it is quick",
        "- 2 it is loud: not yet: tomorrow",
    ]
