# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Untrusted text is displayed as one line of printable characters."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from ansible_collections.configok.node.plugins.module_utils._nodeconfig import config_ok as verdicts
from ansible_collections.configok.node.plugins.module_utils._text import (
    sanitize,
    sanitize_all,
    sanitize_lines,
)
from support.fuzz.hostile import FORGED, JSON_VALUES, TEXTS, unsafe_texts
from support.fuzz.settings import fuzz


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("using current (UID: 5f1c)", "using current (UID: 5f1c)"),
        ("Gr\u00fc\u00dfe, \u4e16\u754c, \U0001f600 e\u0301", "Gr\u00fc\u00dfe, \u4e16\u754c, \U0001f600 e\u0301"),
        ("two\nlines\r\n", "two lines  "),
        ("\x1b[31mred\x1b[0m", " [31mred [0m"),
        ("\x9b31mred", " 31mred"),
        ("a\tb\x00c\x7fd\x85e", "a b c d e"),
        ("\u202eabc\u2066\u200f", " abc  "),
        ("a\u200bb\u200dc\ufeffd\u2060e", "a b c d e"),
        ("a\u2028b\u2029c\u00a0d", "a b c d"),
        ("\ud800", " "),
        ("##vso[task.setvariable]", "# #vso[task.setvariable]"),  # Azure Pipelines takes it anywhere in a line
        ("a ##[error]", "a # #[error]"),
        ("###[x ## [y ##Vso[z", "## #[x ## [y # #Vso[z"),
        (None, "None"),
        (7, "7"),
    ],
)
def test_a_text_becomes_one_line_that_prints(text: object, shown: str) -> None:
    assert sanitize(text) == shown


@pytest.mark.parametrize(("limit", "shown"), [(0, "abcdefghij"), (10, "abcdefghij"), (9, "abcdef...")])
def test_it_can_be_cut(limit: int, shown: str) -> None:
    assert sanitize("abcdefghij", limit) == shown


@fuzz(200)
@given(TEXTS)
def test_whatever_it_is(text: str) -> None:
    assert sanitize(text).isprintable()
    assert sanitize(sanitize(text)) == sanitize(text)
    assert sanitize_lines(text).count("\n") == text.count("\n")
    assert unsafe_texts(sanitize_lines(text)) == []


@fuzz(100)
@given(JSON_VALUES)
def test_every_text_of_a_result_is_made_safe(value: Any) -> None:
    assert unsafe_texts(sanitize_all(value)) == []


def test_a_result_keeps_what_it_says() -> None:
    result = {"n": 1, "text": ["a\tb\nc"], "ok": True, "none": None, "\x1bkey": {"deep": ("\x07",)}}
    assert sanitize_all(result) == {"n": 1, "text": ["a\tb\nc"], "ok": True, "none": None, " key": {"deep": [" "]}}


@pytest.mark.contract("shown.sanitized")
def test_what_goes_to_the_condition() -> None:
    verdict = verdicts.failing(verdicts.ConfigInUse("current"), f"healthz says {FORGED}").shortened()
    assert verdict.reason.startswith("healthz says [2K wave 1 passed ]0;title 1A")
    assert unsafe_texts(list(verdict)) == []
    assert "\n" not in verdict.reason
