# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The declared version is found among packages."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._machine_host._versions import (
    choose,
    compare,
    matches,
    newest,
    shown,
)


@pytest.mark.parametrize(
    ("declared", "version", "answer"),
    [
        ("1.34.9", "1.34.9-1.1", True),
        ("1.34.9", "1.34.9", True),
        ("1.34", "1.34.9-1.1", True),
        ("", "1.34.9-1.1", True),
        ("1.7", "1.7.24~ds1-6", True),
        ("1.6.20~ds1", "1.6.20~ds1-1+deb12u2", True),
        ("1.6.20~ds1-1+deb12u2", "1.6.20~ds1-1+deb12u2", True),
        ("1.4.7", "1:1.4.7-1", True),
        ("1.4.7-1", "1:1.4.7-1", True),
        ("1:1.4.7-1", "1:1.4.7-1", True),
        ("1.34.9", "1.34.90-1.1", False),
        ("1.34.9", "1.34.8-1.1", False),
        ("1.3", "1.34.9-1.1", False),
        ("1.35.0", "1.35.0~rc.0-1.1", False),
        ("1.35.0", "1.35.0-rc.0", False),
        ("1.6.20~ds1-1", "1.6.20~ds1-1+deb12u2", False),
        ("1.6.20~ds1-1+deb12u2", "1.6.20~ds1-1+deb12u21", False),
        ("2:1.4.7-1", "1:1.4.7-1", False),
    ],
)
def test_a_version_matches(declared: str, version: str, answer: bool) -> None:
    assert matches(declared, version) is answer


@pytest.mark.parametrize(
    ("declared", "offered", "chosen"),
    [
        ("1.34.9", ["1.34.8-1.1", "1.34.9-1.1", "1.34.9-1.10", "1.34.9-1.2"], "1.34.9-1.10"),
        ("1.34.9-1.1", ["1.34.9-1.1", "1.34.9-1.2"], "1.34.9-1.1"),
        ("1.34", ["1.34.8-1.1", "1.34.10-1.1", "1.35.0-1.1"], "1.34.10-1.1"),
        ("", ["1.34.8-1.1", "1.35.0-1.1"], "1.35.0-1.1"),
        ("1.36", ["1.34.8-1.1"], ""),
        ("1.36", [], ""),
    ],
)
def test_the_newest_of_the_wanted_is_chosen(declared: str, offered: list[str], chosen: str) -> None:
    assert choose(declared, offered) == chosen


def test_versions_are_shown_newest_first_and_cut() -> None:
    assert shown(["1.9-1", "1.10-1"]) == "1.10-1, 1.9-1"
    assert shown(f"1.{minor}-1" for minor in range(9)) == "1.8-1, 1.7-1, 1.6-1, 1.5-1, 1.4-1, 1.3-1 and 3 more"
    assert shown([]) == "no version"


ORDER = [
    "1.0~~",
    "1.0~rc1-1",
    "1.0",
    "1.0-1",
    "1.0-1+deb12u1",
    "1.0-1+deb12u2",
    "1.0-1.1",
    "1.0.1",
    "1.9",
    "1.10",
    "1:0.1",
]


def test_versions_have_the_order_of_dpkg() -> None:
    assert [newest(ORDER[: end + 1]) for end in range(len(ORDER))] == ORDER


@pytest.mark.skipif(shutil.which("dpkg") is None, reason="dpkg, which this compares to, is not installed")
@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.from_regex(r"\A([0-2]:)?[0-9]([0-9a-c.+~]{0,5})(-[0-9]([0-9a-c.+~]{0,3}))?\Z"), min_size=2, max_size=2)
)
def test_the_order_is_that_of_dpkg(pair: list[str]) -> None:
    left, right = pair
    relation = "lt" if compare(left, right) < 0 else "gt" if compare(left, right) > 0 else "eq"
    assert subprocess.run(["dpkg", "--compare-versions", left, relation, right], check=False).returncode == 0


def test_numbers_of_any_length_are_compared() -> None:
    assert compare("1." + "9" * 5000, "1." + "9" * 5001) < 0
    assert compare("9" * 5000 + ":1", "2:1") > 0
    assert compare("1.007", "1.7") == 0
    assert compare("0:1", "1") == 0
