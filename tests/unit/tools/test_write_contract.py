# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every sentence of the contract has a test that names it, and every test names existing sentences."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

from proofs import Proof, proofs_in, proofs_of

ROOT = Path(__file__).resolve().parents[3]
PAGE = """\
| # | id | sentence |
| --- | --- | --- |
| | `a.one` | The first. |
| 7 | `a.two` | The second. |

## Tests

- 1 `a.two`: [old](old)
"""
TESTS = """\
import pytest

CASES = [pytest.param(1, marks=pytest.mark.contract("a.two"), id="the case")]

@pytest.mark.contract("a.one", "a.two")
@pytest.mark.parametrize("case", CASES)
def test_it_works(case): ...

@pytest.mark.contract("a.one")
class TestMany:
    @pytest.mark.parametrize("case", [pytest.param(1, marks=pytest.mark.contract("a.two"))])
    def test_one(self, case): ...

def helper(): ...
"""


def load() -> Any:
    spec = importlib.util.spec_from_file_location("write_contract", ROOT / "tools" / "write_contract.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_each_sentence_has_a_test_and_each_id_a_sentence() -> None:
    tool = load()
    page = tool.PAGE.read_text(encoding="utf-8")
    assert len(tool.sentences(page)) > 100
    assert tool.faults(page, proofs_of(tool.TESTS, tool.ROOT, "contract"), tool.PENDING) == []


def test_markers_are_found_in_their_places() -> None:
    proofs = [(name, proof.test) for name, proof in proofs_in(TESTS, "tests/unit/test_x.py", "contract")]
    assert proofs == [
        ("a.two", "the case"),
        ("a.one", "test_it_works"),
        ("a.two", "test_it_works"),
        ("a.one", "test_one"),
        ("a.two", "test_one"),
    ]


def test_each_error_is_reported() -> None:
    tool = load()
    proof = Proof("tests/unit/test_x.py", "test_it")
    assert tool.faults(PAGE, {"a.one": [proof], "a.two": [proof]}, {}) == []
    assert tool.faults(PAGE, {"a.one": [proof]}, {}) == ["no test proves a.two"]
    assert tool.faults(PAGE, {"a.one": [proof]}, {"a.two": "later"}) == []
    assert tool.faults(PAGE, {"a.one": [proof], "a.two": [proof], "a.three": [proof]}, {}) == [
        "tests/unit/test_x.py: test_it names a.three, which docs/development/contract.md does not have"
    ]
    assert tool.faults(PAGE, {"a.one": [proof]}, {"a.two": "", "b": ""}) == [
        "b is pending and is not in docs/development/contract.md"
    ]
    assert "a.two is pending and has a test" in tool.faults(PAGE, {"a.one": [proof], "a.two": [proof]}, {"a.two": ""})
    twice = PAGE + "| | `a.one` | Again. |\n"
    assert "docs/development/contract.md has a.one twice" in tool.faults(
        twice, {"a.one": [proof], "a.two": [proof]}, {}
    )


def test_an_id_that_is_not_a_literal_is_shown_as_in_the_source() -> None:
    source = "@pytest.mark.contract(NAME)\ndef test_it(): ...\n"
    assert [name for name, _proof in proofs_in(source, "tests/unit/test_x.py", "contract")] == ["NAME"]


def test_a_module_may_say_it_for_all_its_tests() -> None:
    source = 'pytestmark = pytest.mark.contract("a.one")\ndef test_it(): ...\ndef helper(): ...\n'
    assert [(name, proof.test) for name, proof in proofs_in(source, "x", "contract")] == [("a.one", "test_it")]


def test_numbers_and_tests_are_written_and_nothing_else() -> None:
    tool = load()
    proofs = {name: [Proof("tests/unit/deep/test_x.py", "test_it_works")] for name in ("a.one", "a.two")}
    text = tool.written(PAGE, proofs, {})
    assert text.splitlines()[2:] == [
        "| 1 | `a.one` | The first. |",
        "| 2 | `a.two` | The second. |",
        "",
        "## Tests",
        "",
        "- 1 `a.one`: [unit/test_x.py](../../tests/unit/deep/test_x.py): it works",
        "- 2 `a.two`: [unit/test_x.py](../../tests/unit/deep/test_x.py): it works",
    ]
    assert tool.written(text, proofs, {}) == text
