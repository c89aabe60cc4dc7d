# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Decoding: what is read, with which lines, and what is refused."""

from __future__ import annotations

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._codec.document import Document, decode
from ansible_collections.configok.node.plugins.module_utils._componentconfig.findings import InvalidConfig


def refused(text: str | bytes, **limits: int) -> InvalidConfig:
    with pytest.raises(InvalidConfig) as caught:
        decode(text, file="f.yaml", **limits)
    return caught.value


def summarize(document: Document) -> list[tuple[str, int | None, str]]:
    return [(finding.rule, finding.line, finding.field) for finding in document.findings]


YAML = """\
# a comment
apiVersion: kubelet.config.k8s.io/v1beta1
evictionHard:
  memory.available: "100Mi"
  nodefs.available: 10%
failSwapOn: no
clusterDNS:
- 10.0.0.10
- 10.0.0.11
"""


def test_data_are_plain() -> None:
    assert decode(YAML).data == {
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "evictionHard": {"memory.available": "100Mi", "nodefs.available": "10%"},
        "failSwapOn": False,
        "clusterDNS": ["10.0.0.10", "10.0.0.11"],
    }


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("apiVersion",), 2),
        (("evictionHard",), 3),
        (("evictionHard", "nodefs.available"), 5),
        (("evictionHard", "absent"), 3),
        (("clusterDNS", 1), 9),
        (("absent",), 2),
        ((), 2),
    ],
)
def test_every_field_has_its_line(path: tuple[str | int, ...], line: int) -> None:
    assert decode(YAML).line_of(path) == line


def test_json_is_json_and_has_lines() -> None:
    document = decode('{\n "a": 1,\n "b": {"c": [true, null,\n 1.5]}\n}')
    assert document.is_json
    assert document.data == {"a": 1, "b": {"c": [True, None, 1.5]}}
    assert [document.line_of(path) for path in (("a",), ("b",), ("b", "c", 2))] == [2, 3, 4]


@pytest.mark.parametrize(
    "text",
    [
        "{a: b}",  # what begins like JSON is read as JSON, and a kubelet refuses this
        "{0xdeadbeef}",
        '{"a": 1,}',
        '{"a": 1} x',
        '{"a": 01}',
        '{"a": NaN}',
        '{"a": "\t"}',
        '{"a": "\\x"}',
        '{"a" 1}',
        '{"a": [1, 2}',
        "{",
        '{"a": ',
        '{"a": "',
    ],
)
def test_invalid_json_is_refused(text: str) -> None:
    assert "not valid JSON" in refused(text).findings[0].message


def test_half_a_surrogate_pair_is_replaced_as_go_does() -> None:
    assert decode('{"a": "\\ud800x", "b": "\\ud83d\\ude00"}').data == {"a": "\ufffdx", "b": "\U0001f600"}


@pytest.mark.parametrize(
    ("text", "line"),
    [("a: 1\nb: 2\na: 3\n", 3), ('{"a": 1,\n"b": 2,\n"a": 3}', 3), ("b: 2\n'a': 1\n? a\n: 3\n", 3)],
)
def test_a_duplicate_is_found_with_its_line_and_the_last_wins(text: str, line: int) -> None:
    document = decode(text)
    assert document.data == {"a": 3, "b": 2}
    assert summarize(document) == [("duplicate", line, "a")]
    assert document.findings[0].level == "policy"


def test_duplicates_deep_down_are_found() -> None:
    document = decode("x:\n- a: 1\n  b:\n    c: 1\n    c: 2\n")
    assert summarize(document) == [("duplicate", 5, "x[0].b.c")]


@pytest.mark.parametrize(
    ("text", "data"),
    [("on: 1\n", {"true": 1}), ("8080: x\n", {"8080": "x"}), ("1.50: x\n", {"1.5": "x"}), ("'on': 1\n", {"on": 1})],
)
def test_keys_that_are_not_strings_become_what_kubernetes_makes_of_them(text: str, data: object) -> None:
    document = decode(text)
    assert document.data == data
    assert [finding.rule for finding in document.findings] == ([] if "'" in text else ["key-type"])


@pytest.mark.parametrize("text", ["? [a]\n: 1\n", "? {a: 1}\n: 1\n", "~: 1\n", "x: &k [1]\n? *k\n: 1\n"])
def test_keys_that_cannot_be_keys_are_refused(text: str) -> None:
    assert refused(text).findings[0].rule == "key-type"


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("a:\n\t- b\n", "tabs"),
        ("a: [1, 2\n", "not valid YAML"),
        ("a: 'x\n", "not valid YAML"),
        ("%YAML 1.2\n---\na: 1\n", "YAML 1.1"),
        ("a: .inf\n", "not a JSON number"),
        ("a: *b\n", "no anchor"),
        ("a: &b\n  c: *b\n", "inside it"),
        ("<<: 5\n", "merge key"),
        ("a: !!int x\n", "!!int"),
        ("a: b: c\n", "not valid YAML"),
        ("a: \x07\n", "not valid YAML"),
    ],
)
def test_invalid_yaml_is_refused(text: str, word: str) -> None:
    assert word in str(refused(text))


def test_an_error_names_its_line() -> None:
    assert refused("a: 1\nb: 2\nc: [\n").findings[0].line in (3, 4)
    assert refused('{\n"a": 1,\n"b": x}').findings[0].line == 3


def test_merge_keys_work_and_are_noted() -> None:
    document = decode("base: &b {x: 1, z: 1}\nuse:\n  <<: *b\n  z: 2\n")
    assert document.data["use"] == {"x": 1, "z": 2}
    assert summarize(document) == [("merge-key", 3, "use")]


def test_quoted_less_than_signs_are_a_plain_key() -> None:
    assert decode("'<<': 5\n").data == {"<<": 5}


def test_anchors_work() -> None:
    assert decode("a: &x [1, 2]\nb: *x\n").data == {"a": [1, 2], "b": [1, 2]}


def test_a_second_document_is_noted_and_not_read() -> None:
    document = decode("a: 1\n---\nb: [\n")
    assert document.data == {"a": 1}
    assert summarize(document) == [("documents", 2, "")]


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n", "\ufeff"])
def test_a_document_of_nothing_has_no_data(text: str) -> None:
    assert decode(text).data is None


@pytest.mark.parametrize("tag", ["!!python/object/apply:os.system", "!mine", "!!timestamp"])
def test_tags_build_nothing(tag: str) -> None:
    document = decode(f"a: {tag} x\n")
    assert document.data == {"a": "x"}
    assert summarize(document) == [("tag", 1, "a")]


def test_binary_is_decoded_as_go_does() -> None:
    document = decode("a: !!binary a3ViZWxldA==\n")
    assert document.data == {"a": "kubelet"}
    assert summarize(document) == [("tag", 1, "a")]
    with pytest.raises(InvalidConfig, match="a: the tag !!binary needs base64"):
        decode("a: !!binary kubelet\n")


def test_a_question_mark_in_a_flow_collection_needs_quotes() -> None:
    assert decode("a: claims.?sub\nb: {c: 'claims.?sub'}\nd: x?y\n").data["d"] == "x?y"
    for text in ("a: {b: claims.?sub}\n", "a: [b, c?]\n", "a: [{b: c}, {d?e: f}]\n"):
        with pytest.raises(InvalidConfig, match=r"within {} or \[\] needs quotes"):
            decode(text)


def test_basic_tags_are_obeyed() -> None:
    assert decode("a: !!str 5\nb: !!int '5'\nc: !!bool yes\nd: !!float 5\n").data == {
        "a": "5",
        "b": 5,
        "c": True,
        "d": 5,
    }


def test_an_encoding_other_than_utf_8_is_found() -> None:
    assert decode("\ufeffa: é\n".encode()).data == {"a": "é"}
    assert summarize(decode("a: é\n".encode("utf-16"))) == [("encoding", 1, "")]
    assert refused(b"a: 1\nb: \xff\n").findings[0].line == 2
    assert refused("a: \ud800\n").findings[0].rule == "encoding"
    assert refused("a: é\n".encode("utf-16")[:-1]).findings[0].rule == "encoding"


def test_a_document_that_is_too_large_is_refused() -> None:
    assert refused("a" * 101, max_bytes=100).findings[0].rule == "too-large"
    assert refused(b"a" * (1024 * 1024 + 1)).findings[0].rule == "too-large"


@pytest.mark.parametrize("text", ["[" * 100, "a:\n" + "".join(" " * n + "- \n" for n in range(100)), '{"a":' * 100])
def test_a_document_that_is_too_deep_is_refused(text: str) -> None:
    assert refused(text).findings[0].rule in ("too-deep", "syntax")


def test_depth_is_counted_exactly() -> None:
    assert decode("[" * 64 + "]" * 64).data is not None
    assert refused("[" * 65 + "]" * 65).findings[0].rule == "too-deep"


def test_a_billion_laughs_are_refused() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [" + ", ".join([f"*a{n - 1}"] * 9) + "]" for n in range(1, 10)]
    assert refused("\n".join(lines)).findings[0].rule == "too-many"


def test_a_document_of_too_many_values_is_refused() -> None:
    assert refused("- x\n" * 30000).findings[0].rule == "too-many"


@pytest.mark.parametrize("rest", ["---\nb: 2\n", "---\n{{{\n", "...\ngarbage: [\n", "%YAML 1.1\nb: {\n"])
def test_what_stands_after_the_first_document_is_noted_and_not_read(rest: str) -> None:
    document = decode(f"a: 1\n{rest}")
    assert document.data == {"a": 1}
    assert [(finding.rule, finding.level) for finding in document.findings] == [("documents", "policy")]


@pytest.mark.parametrize("rest", ["...\n", "...\n# nothing\n", "# nothing\n"])
def test_an_end_mark_does_not_begin_a_second_document(rest: str) -> None:
    assert decode(f"a: 1\n{rest}").findings == ()
