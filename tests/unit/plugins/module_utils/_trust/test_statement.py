# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Statements and lists of signatures: exactly one text stands for each; any other is refused with an explanation."""

from __future__ import annotations

import json

import pytest

from ansible_collections.configok.node.plugins.module_utils._trust.statement import (
    MAX_SEQUENCE,
    InvalidStatement,
    Statement,
    encode_signatures,
    parse_signatures,
)

HASH = "0123456789abcdef" * 4
STATEMENT = Statement("workers", HASH, "1", 5, 3)
TEXT = f'{{"pool":"workers","contentHash":"{HASH}","hashScheme":"1","sequence":5,"floor":3}}'


def test_the_text_that_is_signed_is_fixed() -> None:
    assert STATEMENT.encode() == TEXT
    assert Statement.parse(TEXT) == STATEMENT
    limited = STATEMENT._replace(not_after="2026-12-31T23:59:59Z")
    assert limited.encode() == TEXT[:-1] + ',"notAfter":"2026-12-31T23:59:59Z"}'
    assert Statement.parse(limited.encode()) == limited


@pytest.mark.parametrize(
    "text",
    [
        f"{TEXT} ",
        f"{TEXT}\n",
        TEXT.replace(":5", ": 5"),
        TEXT.replace(":5", ":5.0"),
        TEXT[:-1] + ',"notAfter":""}',
        TEXT[:-1] + ',"extra":1}',
        TEXT[:-1] + ',"floor":3}',
        TEXT[:-1] + ',"floor":1,"floor":3}',
        TEXT.replace("workers", "\\u0077orkers"),
        json.dumps(dict(sorted(json.loads(TEXT).items())), separators=(",", ":")),
    ],
)
def test_another_text_of_the_same_is_refused(text: str) -> None:
    with pytest.raises(InvalidStatement):
        Statement.parse(text)


@pytest.mark.parametrize("text", ["", "{}", "[]", "null", "5", '"x"', "{", "[" * 1000, '{"pool":1}'])
def test_a_text_that_is_not_a_statement_is_refused(text: str) -> None:
    with pytest.raises(InvalidStatement, match="is not the JSON object that config_bundle writes"):
        Statement.parse(text)


def test_a_text_that_is_too_long_is_refused() -> None:
    with pytest.raises(InvalidStatement, match="has 1025 characters, at most 1024 are allowed"):
        Statement.parse(" " * 1025)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"pool": "Workers"}, "pool of the statement must be a DNS label of at most 52 characters"),
        ({"pool": "x" * 53}, "pool of the statement must be a DNS label"),
        ({"pool": "workers\n"}, "pool of the statement must be a DNS label"),
        ({"content_hash": HASH[:10]}, "contentHash of the statement must be 64 hexadecimal digits"),
        ({"content_hash": HASH.upper()}, "contentHash of the statement must be 64 hexadecimal digits"),
        ({"hash_scheme": ""}, "hashScheme of the statement must be digits"),
        ({"sequence": 0}, f"sequence of the statement must be a whole number from 1 to {MAX_SEQUENCE}"),
        ({"sequence": MAX_SEQUENCE + 1}, "sequence of the statement must be a whole number"),
        ({"sequence": True}, "sequence of the statement must be a whole number"),
        ({"floor": 0}, "floor of the statement must be a whole number"),
        ({"floor": 6}, "floor 6 of the statement is above its sequence 5: it would withdraw itself"),
        ({"not_after": "tomorrow"}, "notAfter of the statement must be a time such as 2026-12-31T00:00:00Z"),
        ({"not_after": "2026-13-01T00:00:00Z"}, "notAfter of the statement must be a time"),
        ({"not_after": "2027-02-31T00:00:00Z"}, "notAfter of the statement must be a time"),
        ({"not_after": "2027-02-29T00:00:00Z"}, "notAfter of the statement must be a time"),
        ({"not_after": "0000-01-01T00:00:00Z"}, "notAfter of the statement must be a time"),
        ({"not_after": "2026-12-31T24:00:00Z"}, "notAfter of the statement must be a time"),
        ({"not_after": "2026-12-31T00:00:00+01:00"}, "notAfter of the statement must be a time"),
    ],
)
def test_a_field_that_is_not_allowed_is_refused(fields: dict[str, str], message: str) -> None:
    statement = STATEMENT._replace(**fields)  # type: ignore[arg-type]
    for refuse in (statement.validate, lambda: Statement.parse(statement.encode())):
        with pytest.raises(InvalidStatement) as caught:
            refuse()
        assert message in str(caught.value)


def test_signatures_are_parsed_as_they_were_encoded() -> None:
    assert parse_signatures("") == ()
    assert parse_signatures(encode_signatures(["a", "b\n"])) == ("a", "b\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[", "the signatures are not JSON"),
        ("[" * 5000, "the signatures are not JSON"),
        ("{}", "the signatures are not a list of strings"),
        ("[1]", "the signatures are not a list of strings"),
        (json.dumps(["x"] * 17), "at most 16 signatures, each of at most 8192 characters"),
        (json.dumps(["x" * 8193]), "at most 16 signatures, each of at most 8192 characters"),
        (" " * 300_000, "the signatures are too long"),
    ],
)
def test_a_text_that_does_not_hold_signatures(text: str, message: str) -> None:
    with pytest.raises(InvalidStatement, match=message):
        parse_signatures(text)


@pytest.mark.parametrize("signatures", [["x"] * 17, ["x" * 8193]])
def test_too_many_signatures_are_not_written(signatures: list[str]) -> None:
    with pytest.raises(InvalidStatement, match="at most 16 signatures"):
        encode_signatures(signatures)


def test_the_cluster_comes_first_in_the_text() -> None:
    named = STATEMENT._replace(cluster="east.example.org")
    assert named.encode() == '{"cluster":"east.example.org",' + TEXT[1:]
    assert Statement.parse(named.encode()) == named
    assert (STATEMENT.audience, named.audience) == ("workers", "workers@east.example.org")


@pytest.mark.parametrize("cluster", ["", "East", "a" * 64, "a,b", "a b", "*", "a@b", "-a", "a-", 1, None, ["east"]])
def test_a_cluster_is_a_name(cluster: object) -> None:
    with pytest.raises(InvalidStatement):
        Statement.parse(f'{{"cluster":{json.dumps(cluster)},' + TEXT[1:])
