# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The variables of a unit, as specified in systemd.exec(5)."""

from __future__ import annotations

import pytest

from ansible_collections.configok.node.plugins.module_utils._systemd.unit_file import (
    environment_files,
    parse_environment_file,
    read_variables,
    split_relaxed,
)


@pytest.mark.parametrize(
    ("text", "variables"),
    [
        ("A=1\nB=2\n", {"A": "1", "B": "2"}),
        ("A=1", {"A": "1"}),
        ("# A=1\n;B=2\n\n  C = 3 \n", {"C": "3"}),
        ("A='x y' \n", {"A": "x y"}),
        ('A="x y"z\n', {"A": "x yz"}),
        ('A=x "y"\n', {"A": 'x "y"'}),
        ("A=x\\\ny\nB=2\n", {"A": "xy", "B": "2"}),
        ('A="x\\\ny \\"z\\" \\n"\n', {"A": 'xy "z" \\n'}),
        ("A='x\ny'\nB=2\n", {"A": "x\ny", "B": "2"}),
        ("A=x\\ \\\\ \n", {"A": "x \\"}),
        ("export A=1\n1A=2\nA\n=3\n", {}),
        ("A=1\r\nB=2\r\n", {"A": "1", "B": "2"}),
        ("A=\nB=2\n", {"A": "", "B": "2"}),
        ("A=--config=/a=b $HOME\n", {"A": "--config=/a=b $HOME"}),
        ('A="not closed\n', {"A": "not closed\n"}),
        ("A=x \\\ny\\\n\nB=2\n", {"A": "x y", "B": "2"}),
        ("A=x\\\r\nB=2\r\n", {"A": "x", "B": "2"}),
        ("A=x \\\n\nB=2\n", {"A": "x ", "B": "2"}),
        ("A=x\\", {"A": "x"}),
        ('A="x\\', {"A": "x"}),
        ("A=\\\n x\n", {"A": " x"}),
        ("# A=1 \\\nB=2\n", {"B": "2"}),
    ],
)
def test_an_environment_file_is_read_as_systemd_reads_it(text: str, variables: dict[str, str]) -> None:
    assert parse_environment_file(text) == variables


def test_a_file_wins_over_the_unit_and_a_later_file_over_both() -> None:
    texts = ["[Service]\nEnvironmentFile=-/a\nEnvironmentFile=/b\n", "[Service]\nEnvironment=A=unit 'B=unit' C=100%%\n"]
    assert environment_files(texts, {}) == ["/a", "/b"]
    assert read_variables(texts, ["A=first\n", "A=second\n"], {}) == {"A": "second", "B": "unit", "C": "100%"}


def test_an_empty_assignment_takes_back_those_before_it() -> None:
    texts = [
        "[Service]\nEnvironment=A=1\nEnvironmentFile=/a\n",
        "[Service]\nEnvironment=\nEnvironmentFile=\nEnvironment=B=2 C=3 1x=4\nUnsetEnvironment=C=other B\n",
    ]
    assert environment_files(texts, {}) == []
    assert read_variables(texts, [], {}) == {"C": "3"}


def test_what_systemd_cannot_read_sets_nothing() -> None:
    assert read_variables(["[Service]\nEnvironment='A=1\nEnvironment=B=2\n[Install]\nEnvironment=C=3\n"], [], {}) == {
        "B": "2"
    }


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("a b", ["a", "b"]),
        ("'a b' c", ["a b", "c"]),
        ("a\\ b", ["a b"]),
        ("'a", ["a"]),
        ("a\\", ["a"]),
        ("'a\\", ["a"]),
    ],
)
def test_the_words_of_a_variable_are_split_as_systemd_splits_them(value: str, words: list[str]) -> None:
    assert split_relaxed(value) == words


def test_the_path_of_an_environment_file_has_specifiers() -> None:
    texts = ["[Service]\nEnvironmentFile=--/etc/%i.env\nEnvironmentFile=-/run/%%a\n"]
    assert environment_files(texts, {"i": "a"}) == ["-/etc/a.env", "/run/%a"]
