# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The sequence of a statement only grows, and its floor keeps what an undo may need."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.configok.node.plugins.module_utils._rollout import RolloutError
from ansible_collections.configok.node.plugins.module_utils._rollout._decisions.statements import (
    StatementOptions,
    next_statement,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record import COMPLETE, Record
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record_store import (
    decode_record,
    encode_record,
)
from ansible_collections.configok.node.plugins.module_utils._rollout.plan import Target
from ansible_collections.configok.node.plugins.module_utils._trust.statement import MAX_SEQUENCE

HASH = "0a" * 32
NOW = "2026-11-23T12:00:00.000000Z"


def record_of(*numbers: tuple[int, int]) -> Record:
    """Return a record of revisions with these sequences and floors."""
    record = Record("workers")
    for position, (sequence, floor) in enumerate(numbers, 1):
        target = Target(f"workers-{position}", "configok-system", f"uid-{position}", f"{position:064x}")
        record = record.with_revision(target, time=NOW, author="", cause="", sequence=sequence, floor=floor)
    return record


def following(record: Record, **options: object) -> tuple[int, int]:
    statement = next_statement(record, HASH, StatementOptions(**options), now=NOW)  # type: ignore[arg-type]
    return statement.sequence, statement.floor


def test_the_first_statement_has_sequence_and_floor_one() -> None:
    assert following(Record("workers")) == (1, 1)


def test_it_is_above_every_sequence_and_every_revision() -> None:
    assert following(record_of((1, 1), (7, 1), (3, 1)))[0] == 8
    # A version that does not know sequences has lost them; there are at least as many as revisions.
    assert following(record_of((0, 0), (0, 0), (0, 0)))[0] == 4


@pytest.mark.parametrize(("kept", "floor"), [(1, 5), (2, 5), (3, 4), (10, 1)])
def test_the_floor_keeps_the_newest_bundles(kept: int, floor: int) -> None:
    record = record_of((1, 1), (2, 1), (3, 1), (4, 1), (5, 1))
    assert following(record, kept=kept) == (6, floor)


def test_the_floor_keeps_what_an_undo_goes_to() -> None:
    record = record_of((1, 1), (2, 1), (3, 1), (4, 1)).with_result(1, COMPLETE).with_result(3, COMPLETE)
    assert following(record, kept=1) == (5, 1)


def test_an_unsigned_statement_does_not_use_up_the_numbers() -> None:
    """Anyone who may publish can have a bundle with such a statement in the record."""
    last = MAX_SEQUENCE - 1
    assert following(record_of((1, 1), (2, 2), (last, last))) == (4, 2)
    assert following(record_of((last, last))) == (2, 2)
    assert following(record_of((1_800_000_000, 1), (1_800_000_005, 1)))[0] == 1_800_000_006


def test_the_floor_never_falls() -> None:
    assert following(record_of((1, 1), (2, 2), (3, 2))) == (4, 2)


def test_pruned_bundles_are_not_kept() -> None:
    record = record_of((1, 1), (2, 1), (3, 1))
    pruned = replace(record, revisions=(replace(record.revisions[0], pruned=NOW), *record.revisions[1:]))
    assert following(pruned) == (4, 2)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"sequence": 3}, "sequence 3 is not above 3"),
        ({"floor": 1}, "floor 1 is below 2"),
        ({"floor": 9}, "floor 9 of the statement is above its sequence 4"),
        ({"not_after": "2026-11-23T11:00:00Z"}, "has passed"),
        ({"not_after": "soon"}, "must be a time"),
        ({"sequence": 10**15}, "is more than 10000000000 above 3"),
    ],
)
def test_options_that_no_node_would_accept(options: dict[str, object], sentence: str) -> None:
    with pytest.raises(RolloutError, match=sentence):
        following(record_of((3, 2)), **options)


def test_a_record_keeps_the_numbers_and_without_them_is_what_earlier_versions_wrote() -> None:
    record = record_of((0, 0), (3, 2))
    encoded = encode_record(record)
    assert decode_record(encoded) == record
    text = encoded["data"]["record"]
    assert (text.count('"sequence"'), text.count('"floor"')) == (1, 1)
