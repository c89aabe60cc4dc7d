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
        ("plugins/a.py", 'x = 1\nfail("the node goes back")\n', [(2, "goes back")]),
        ("playbooks/files/a.py", 'fail(f"{name} is no {kind}")\n', [(1, "is no")]),
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
        ("plugins/a.py", 'print("the log says \\"not told\\"")\n'),
        ("tests/a.py", 'assert text == "it goes on"\n'),
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
def test_quotations_code_and_texts_of_tests_are_left_alone(file: str, text: str) -> None:
    assert lines_and_words(file, text) == []


CORRECT = [
    "A user who runs it again gets the same result.",
    "Anyone who can write Nodes can assign a config.",
    "Who may approve a wave?",
    "The node is no longer in the pool.",
    "There is no config for this component.",
    "There are none of these files.",
    "The limit is no more than ten seconds.",
    "None of the nodes is Ready.",
    "The value is below the limit.",
    "The memory stays below 32 MB.",
    "The agent is told to stop by systemd.",
    "Whether the config was validated is recorded.",
    "The config is not judged by this release.",
    "What the release data lacks is not judged.",
    "The operator wants to pause the rollout.",
    "A user wants a canary that covers the pool.",
    "The rollout continues after the pause.",
    "It takes ten seconds for each node.",
    "The time that it takes for the restart counts.",
    "The canary stands in for the pool.",
    "The checks pass in 31 s.",
    "The component runs well as long as it has memory.",
    "The agent as well as the kubelet restarts.",
    "A node other than the canary waits.",
    "The config is better than the one before.",
    "The agent retries until the API server answers.",
    "Each node has its own instance config.",
    "The record is stored in a ConfigMap.",
    "The kubelet requires swap to be off.",
    "The agent rolls back to last-known-good.",
    "The nodes are taken for granted, for example.",
    "The health of the component decides.",
]


@pytest.mark.parametrize("sentence", CORRECT)
def test_a_correct_sentence_passes_in_docs_and_in_messages(sentence: str) -> None:
    assert lines_and_words("docs/a.md", f"{sentence}\n") == []
    assert lines_and_words("plugins/a.py", f"fail({sentence!r})\n") == []


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
