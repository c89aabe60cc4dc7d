# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hostile input: decoding soon returns a document or raises InvalidConfig."""

from __future__ import annotations

import time

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._componentconfig._codec import yaml_text
from ansible_collections.configok.node.plugins.module_utils._componentconfig._codec.document import decode
from ansible_collections.configok.node.plugins.module_utils._componentconfig._codec.plain_values import canonical
from ansible_collections.configok.node.plugins.module_utils._componentconfig._codec.yaml_text import encode
from ansible_collections.configok.node.plugins.module_utils._componentconfig.check import check
from ansible_collections.configok.node.plugins.module_utils._componentconfig.findings import InvalidConfig, Level
from support.configs.kubelet import KUBELET_HEADER, KUBELET_KIND, kubelet_config
from support.fuzz.settings import fuzz

SNIPPETS = st.sampled_from(
    [
        "a",
        ": ",
        "\n",
        "  ",
        "- ",
        "[",
        "]",
        "{",
        "}",
        ",",
        '"',
        "'",
        "&x ",
        "*x",
        "<<: ",
        "!!int ",
        "? ",
        "|",
        ">",
        "#",
        "\t",
    ]
    + [
        "---\n",
        "...\n",
        "%YAML 1.1\n",
        "\\ud800",
        "\\u0000",
        "0x",
        "1e999",
        "~",
        "on",
        "\ufeff",
        "\x00",
        "\u2028",
        "@",
        "`",
    ]
    + ["maxPods: ", "evictionHard: ", "featureGates: ", "logging: "]
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=8), inner, max_size=3)
    ),
    max_leaves=12,
)


@fuzz(300)
@given(st.lists(SNIPPETS, max_size=40).map("".join) | st.text(max_size=60) | st.binary(max_size=60))
def test_any_text_is_decoded_or_refused_in_one_line(text: str | bytes) -> None:
    try:
        message = str(decode(text).findings)
    except InvalidConfig as error:
        message = str(error)
    assert "\n" not in message


@fuzz(200)
@given(st.lists(SNIPPETS, max_size=20).map("".join))
def test_a_config_with_any_end_is_checked(text: str) -> None:
    for finding in check(KUBELET_HEADER + text, versions=["1.20", "1.36"], bundle=True):
        assert finding.level in tuple(Level)


@fuzz(200)
@given(VALUES)
def test_any_value_of_any_field_is_checked(value: object) -> None:
    fields = (
        "maxPods",
        "evictionHard",
        "featureGates",
        "logging",
        "reservedMemory",
        "registerWithTaints",
        "tlsCipherSuites",
    )
    data = {
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "kind": "KubeletConfiguration",
        **dict.fromkeys(fields, value),
    }
    check(encode(data), versions=["1.20", "1.36"], bundle=True)


@fuzz(300)
@given(st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=8), VALUES, max_size=5))
def test_what_is_encoded_is_read_back(data: dict[str, object]) -> None:
    document = decode(encode(data))
    assert canonical(document.data) == canonical(data)
    assert document.findings == ()


MEGABYTE = 1024 * 1024
BOMBS = {
    "flow lists": "[" * MEGABYTE,
    "flow mappings": "- " + "{" * (MEGABYTE - 2),
    "block lists": "- " * (MEGABYTE // 2),
    "question marks": "? " * (MEGABYTE // 2),
    "braces of JSON": '{"a":' * (MEGABYTE // 5),
    "comments": "#\n" * (MEGABYTE // 2),
    "one long word": "a" * MEGABYTE,
    "one long string": '"' + "a" * (MEGABYTE - 2) + '"',
    "one long number": "9" * MEGABYTE,
    "one long number in JSON": '{"a": ' + "9" * (MEGABYTE - 10) + "}",
    "many keys": "".join(f"k{n}: 1\n" for n in range(80_000)),
    "many anchors": "".join(f"- &a{n} x\n" for n in range(70_000)),
    "many duplicates": "a: 1\n" * (MEGABYTE // 5),
    "many documents": "--- a\n" * (MEGABYTE // 6),
    "many tags": "- !!x y\n" * (MEGABYTE // 8),
    "one long tag": "a: !" + "x" * (MEGABYTE - 10) + " b",
    "many quotes": "'" * MEGABYTE,
    "many backslashes": '"' + "\\\\" * (MEGABYTE // 2 - 2) + '"',
    "tokens that are none": "a: " + "eyJ-" * (MEGABYTE // 4 - 1),
    "keys that are none": "a: " + "LS0tLS1CRUdJTi" * (MEGABYTE // 14 - 1),
    "passwords that are none": "a: " + "://a:b" * (MEGABYTE // 6 - 1),
    "PEM that is none": "a: " + "-----BEGIN A " * (MEGABYTE // 13 - 1),
}


@pytest.mark.parametrize("name", BOMBS)
def test_no_bomb_goes_off(name: str) -> None:
    limit = 1.0 if yaml.__with_libyaml__ else 30.0
    start = time.process_time()
    check(BOMBS[name], versions=["1.35"], bundle=True)
    assert time.process_time() - start < limit


@pytest.mark.parametrize("name", ["flow lists", "block lists", "question marks", "many duplicates", "many anchors"])
def test_the_same_documents_are_refused_without_libyaml(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    with pytest.raises(InvalidConfig):
        decode(BOMBS[name])


@pytest.mark.parametrize("text", ["a: &x {b: [1, on]}\nc: *x\n", "a:\n\t- b\n", "a: 1\na: 2\n"])
def test_both_parsers_agree(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def outcome() -> object:
        try:
            document = decode(text)
        except InvalidConfig as error:
            return error.findings[0].line
        return document.data, dict(document.lines), document.findings

    fast = outcome()
    monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    assert outcome() == fast
    assert yaml_text.parse_yaml is not None


def test_a_large_value_that_is_used_often_is_refused() -> None:
    lines = (f"big: &big {'x' * 100_000}", "many: &many [*big, *big, *big]", "all: [*many, *many, *many, *many]")
    text = kubelet_config(*lines)
    with pytest.raises(
        InvalidConfig, match="more than 1048576 characters, aliases counted as often as used"
    ) as refused:
        decode(text)
    assert refused.value.findings[0].line == 5
    assert decode(f"{KUBELET_HEADER}big: &big {'x' * 100_000}\nmany: [*big, *big]\n").data["many"][1] == "x" * 100_000


@pytest.mark.parametrize("piece", ["x", "9", '"\\', "a: b\n", "\u2028\x85\x07\ufeff", "\U0001f600é ", "\t\r\b"])
def test_a_long_text_is_encoded_soon_and_read_back(piece: str) -> None:
    text = piece * (100_000 // len(piece))
    begun = time.process_time()
    written = encode({"value": text, "list": [text[:2000]], text[:1500]: 1})
    assert time.process_time() - begun < 0.5
    assert decode(written).data == {"value": text, "list": [text[:2000]], text[:1500]: 1}


@pytest.mark.parametrize("key", ["a\nb", "\x1b[2J", "\u2028", "\u202e", "k" * 100_000])
def test_a_finding_is_one_line_whatever_the_key(key: str) -> None:
    [finding] = check(encode({**KUBELET_KIND, key: key}))
    assert str(finding).isprintable()
    assert len(str(finding)) < 500


@pytest.mark.parametrize("number", [2**64, -(2**63) - 1, 10**300])
def test_a_whole_number_that_no_field_holds_is_a_float_in_json_as_in_yaml(number: int) -> None:
    for text in (f'{{"a": {number}}}', f"a: {number}\n"):
        value = decode(text).data["a"]
        assert (type(value), value) == (float, float(number))
        assert decode(encode({"a": value})).data == {"a": value}
