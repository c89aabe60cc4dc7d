# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""tools/check_prose.py finds refused words in each kind of prose, and leaves quotations alone."""

from __future__ import annotations

from pathlib import Path

import pytest

import check_prose


def lines_and_words(file: str, text: str) -> list[tuple[int, str]]:
    return [(hit.line, hit.words) for hit in check_prose.hits_in(file, text)]


@pytest.mark.parametrize(
    ("file", "text", "expected"),
    [
        ("plugins/a.py", '"""Count the starts\n    anew."""\n', [(2, "anew")]),
        ("plugins/a.py", 'class A:\n    """A version that is\n    none."""\n', [(2, "is none")]),
        ("plugins/a.py", 'def f():\n    """Whether it runs."""\n', [(2, "Whether")]),
        ("plugins/a.py", "x = 1  # for ever\n", [(1, "for ever")]),
        ("plugins/a.py", "# What nobody\n# reads.\n", [(1, "nobody")]),
        ("plugins/a.py", 'DOCUMENTATION = r"""\ndescription: It lies in the file.\n"""\n', [(2, "lies in")]),
        ("plugins/doc_fragments/a.py", 'OPTIONS = r"""\ndescription: whoever calls\n"""\n', [(2, "whoever")]),
        ("roles/node/tasks/a.yml", "- name: See that it runs\n", [(1, "See")]),
        ("playbooks/a.yml", "- name: Wait for ever\n", [(1, "for ever")]),
        ("roles/node/templates/a.j2", "# It stands in\nkey=1\n", [(1, "stands in")]),
        ("roles/node/meta/argument_specs.yml", "description: another than this\n", [(1, "another than")]),
        ("changelogs/fragments/a.yml", "- >-\n  agent - does not stop any\n  more\n", [(2, "any more")]),
        ("docs/a.md", "A page.\n\n| who | reads |\n", [(3, "| who")]),
        ("Makefile", "all: ## build anew\n", [(1, "anew")]),
    ],
)
def test_refused_words_are_found_in_each_kind_of_prose(file: str, text: str, expected: list[tuple[int, str]]) -> None:
    assert lines_and_words(file, text) == expected


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("docs/a.md", 'The log says "nobody\nreads it", and `anew` is code.\n'),
        ("docs/a.md", "```\nnobody\n```\n"),
        ("docs/a.md", "[text](beside.md) <!-- nobody -->\n"),
        ("docs/a.md", "It goes\n\non.\n"),
        ("plugins/a.py", '"""Print ``anew``."""\nprint("nobody")\n'),
        ("plugins/a.py", "x = 1  # noqa: told\n"),
        ("plugins/a.py", 'def test_a():\n    """Every one."""\n'),
        ("plugins/a.py", '@property\ndef a(self):\n    """The version."""\n'),
        ("plugins/a.py", '@pytest.fixture\ndef a():\n    """A node."""\n'),
        ("plugins/a.py", 'DOCUMENTATION = r"""\ndescription: Sets O(beside).\n"""\n'),
        ("roles/node/defaults/main.yml", "- name: kubelet\n"),
        ("changelogs/fragments/a.yml", "- agent - reject ``none where``.\n"),
        ("schema/a.json", '{"# told": 1}\n'),
    ],
)
def test_quotations_and_messages_are_left_alone(file: str, text: str) -> None:
    assert lines_and_words(file, text) == []


def test_names_are_refused_once_for_a_file() -> None:
    source = "one = 1\none = 2\n\n\ndef read_wish(told):\n    told.found = 1\n\n\nclass OwnJudge:\n    pass\n"

    assert lines_and_words("plugins/_errand.py", source) == [
        (1, "_errand"),
        (1, "one"),
        (5, "read_wish"),
        (5, "told"),
        (6, "found"),
        (9, "OwnJudge"),
    ]


@pytest.mark.parametrize(("text", "code"), [("Nobody reads.\n", 1), ("It starts.\n", 0)])
def test_a_hit_fails_the_check(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str, code: int
) -> None:
    (tmp_path / "a.md").write_text(text, encoding="utf-8")
    monkeypatch.setattr(check_prose, "ROOT", tmp_path)
    monkeypatch.setattr(check_prose, "files", lambda: ["a.md"])

    assert check_prose.main([]) == code

    assert ("a.md:1: 'Nobody': " in capsys.readouterr().out) == bool(code)
