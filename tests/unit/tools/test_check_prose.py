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
        ("tests/a.py", "def test_what_is_no_config_is_told():\n    pass\n", [(1, "is no"), (1, "told")]),
        ("tests/a.py", "class TestA:\n    def test_it_goes_on(self):\n        pass\n", [(2, "goes on")]),
        ("tests/a.py", 'a = pytest.param(\n    1,\n    id="the way-back",\n)\n', [(3, "way back")]),
        ("tests/a.py", 'a = parametrize("a", [1, 2], ids=["a node", "goes_on"])\n', [(1, "goes on")]),
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
        ("tests/a.py", "def test_a_reader_that_is_gone():\n    assert it_goes_on()\n"),
        ("tests/a.py", 'a = pytest.param("it goes on", id="a node")\n'),
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
    "The operator is told what to do.",
    "The two Nodes are told apart by their UID.",
    "A door is told from a private file by its name.",
    "A node is said to drift if its files differ.",
    "The record says by whom it was aborted.",
    "The text says what a person wants to know.",
    "The report is well formed.",
    "All is well again.",
    "The latency is well below the limit.",
    "The value stays below `maxPods`.",
    "The rollout does not restart any more nodes.",
    "The screen shows what is going on.",
    "The cause lies in the network.",
    "A page for people who run clusters.",
    "The agent waits for so long that the request times out.",
    "The nodes restart one after the other.",
    "It is a look-up table.",
]

# Correct names of tests: a name has no comma, no apostrophe and no full stop.
CORRECT_NAMES = [
    "a_node_that_is_cordoned_is_not_in_the_canary",
    "a_file_that_is_not_a_report_is_replaced",
    "there_is_no_config_for_this_component",
    "a_node_that_is_no_longer_in_the_pool_is_left_alone",
    "a_bundle_without_a_signature_is_not_judged",
    "the_operator_is_told_what_to_do",
    "an_operator_who_wants_to_pause_writes_one_key",
    "a_user_who_may_not_list_nodes_gets_a_message",
    "the_agents_own_failure_is_not_a_verdict",
    "a_report_without_findings_is_well_formed",
    "the_memory_stays_below_32_mb",
    "a_rollout_continues_after_its_pause",
    "a_config_other_than_the_assigned_one_is_refused",
    "files_of_more_than_one_megabyte_are_refused",
    "whether_a_node_is_ready_is_read_from_its_conditions",
    "none_of_the_nodes_restarts",
    "a_shutdown_takes_as_long_as_it_has_to",
    "an_undo_reverts_to_the_revision_before",
]


@pytest.mark.parametrize("sentence", CORRECT)
def test_a_correct_sentence_passes_in_docs_and_in_messages(sentence: str) -> None:
    assert lines_and_words("docs/a.md", f"{sentence}\n") == []
    assert lines_and_words("plugins/a.py", f"fail({sentence!r})\n") == []


@pytest.mark.parametrize("name", CORRECT_NAMES)
def test_a_correct_name_of_a_test_passes(name: str) -> None:
    assert lines_and_words("tests/a.py", f"def test_{name}():\n    pass\n") == []
    assert lines_and_words("tests/a.py", f"a = pytest.param(1, id={name!r})\n") == []


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
