# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The records: they survive encoding and decoding, and damage is detected."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._agent._state.records import (
    LOCAL_CONFIG,
    AnsweredAssignment,
    AssignmentFailure,
    ConfigRecord,
    DamagedFile,
    FieldCodec,
    encode_document,
    same_config,
)
from ansible_collections.configok.node.plugins.module_utils._foreign import load_json
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import ConfigSource
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle_trial import Trial
from support.fuzz.settings import fuzz

SOURCE = ConfigSource("configok-system", "pool-0123456789", "a" * 36)
RECORD = ConfigRecord(
    source=SOURCE,
    content_hash="c" * 64,
    assignment=7,
    node_uid="n",
    adopted_at="2026-01-01T00:00:00Z",
    boot_id="b",
    since_boot=12.5,
    trial=Trial(60.0, 0),
    healthy_seconds=3.25,
    seen_healthy=True,
    files={"kubelet": "f" * 64},
)
ANSWERED = AnsweredAssignment(
    "n", 7, SOURCE, AssignmentFailure("CrashLoop", "a" * 36, "crashed", crashes=3, suspect=True)
)


@pytest.mark.contract("files.records")
def test_records_round_trip() -> None:
    assert ConfigRecord.decode(RECORD.encode()) == RECORD
    assert AnsweredAssignment.decode(ANSWERED.encode()) == ANSWERED
    assert AnsweredAssignment.decode(AnsweredAssignment().encode()) == AnsweredAssignment()


@pytest.mark.contract("files.records")
def test_empty_means_the_local_config() -> None:
    assert LOCAL_CONFIG.encode() == b""
    assert ConfigRecord.decode(b"") == LOCAL_CONFIG


@pytest.mark.parametrize("kind", [ConfigRecord, AnsweredAssignment])
@fuzz(100)
@given(data=st.binary(min_size=1, max_size=80))
def test_noise_is_damaged(kind: type[ConfigRecord] | type[AnsweredAssignment], data: bytes) -> None:
    with pytest.raises(DamagedFile):
        kind.decode(data)


@pytest.mark.contract("store.damaged-is-set-aside")
@fuzz(100)
@given(where=st.integers(0, len(RECORD.encode()) - 2), bit=st.integers(0, 7))
def test_any_flipped_bit_is_noticed_or_means_nothing(where: int, bit: int) -> None:
    data = bytearray(RECORD.encode())
    data[where] ^= 1 << bit
    try:
        record = ConfigRecord.decode(bytes(data))
    except DamagedFile:
        return
    assert record == RECORD  # only white space changed


def test_one_kind_is_not_read_as_another() -> None:
    with pytest.raises(DamagedFile, match="it is not a ConfigRecord"):
        ConfigRecord.decode(ANSWERED.encode())


def test_the_same_content_under_another_uid_is_the_same_config() -> None:
    rendered_again = ConfigRecord(
        ConfigSource("configok-system", "pool-0123456789", "b" * 36), "c" * 64, files={"kubelet": "f" * 64}
    )
    assert same_config(RECORD, rendered_again)
    assert not same_config(RECORD, LOCAL_CONFIG)
    assert not same_config(None, None)


@pytest.mark.parametrize("seconds", ["nan", "inf", "-inf", "2m"])
def test_a_record_without_a_number_of_seconds_is_damaged(seconds: str) -> None:
    content = load_json(RECORD.encode())
    for key in ("apiVersion", "kind", "hash"):
        del content[key]
    assert ConfigRecord.decode(encode_document("ConfigRecord", content)) == RECORD
    with pytest.raises(DamagedFile, match="a field is missing or wrong"):
        ConfigRecord.decode(encode_document("ConfigRecord", {**content, "sinceBoot": seconds}))


def test_a_field_that_cannot_be_decoded_is_refused_before_any_file_is_read() -> None:
    with pytest.raises(KeyError):
        FieldCodec(ConfigRecord, {"files": "files"})
