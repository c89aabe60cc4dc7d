# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Choose the sequence and the floor of the next statement of a pool. Pure."""

from __future__ import annotations

from typing import NamedTuple

from ..._nodeconfig.bundle import HASH_SCHEME
from ..._trust.statement import InvalidStatement, Statement
from .. import RolloutError
from .._record.record import COMPLETE, Record, Revision, record_uids

_MAX_STEP = 10**10  # from one sequence to the next: the first one may be a time in seconds


class StatementOptions(NamedTuple):
    """What a user sets of a statement. None and "" stand for the default. kept: bundles that an undo may need."""

    sequence: int | None = None
    floor: int | None = None
    not_after: str = ""
    kept: int = 10
    cluster: str = ""


def next_statement(record: Record, content_hash: str, options: StatementOptions, *, now: str) -> Statement:
    """Return the statement of a bundle that is not published yet. now: RFC 3339. Raises RolloutError.

    The default sequence is above every one in the record. The default floor withdraws the bundles that pruning may
    delete, and never less than before. A sequence far above all others does not count: no signer uses up the numbers of
    a pool by mistake.
    """
    # A version that does not know sequences has written the record without them: revisions were counted by it, too.
    counted = _counted(record)
    highest = max((revision.sequence for revision in counted), default=0)
    sequence = options.sequence
    if sequence is None:
        sequence = max(highest + 1, record.next_revision_number())
    elif sequence <= highest:
        raise RolloutError(
            f"sequence {sequence} is not above {highest}, the highest in the record of pool {record.pool}: leave it "
            f"out, or give {highest + 1} or more"
        )
    else:
        check_step(record, sequence)
    floor_before = floor_of(record)
    floor = options.floor
    if floor is None:
        floor = _default_floor(record, sequence, options.kept)
    elif floor < floor_before:
        raise RolloutError(
            f"floor {floor} is below {floor_before}, which the nodes of pool {record.pool} keep: a bundle that was "
            "withdrawn stays withdrawn"
        )
    if options.not_after and options.not_after <= now:
        raise RolloutError(f"notAfter {options.not_after} has passed: no node would adopt the bundle")
    statement = Statement(record.pool, content_hash, HASH_SCHEME, sequence, floor, options.not_after, options.cluster)
    try:
        statement.validate()
    except InvalidStatement as error:
        raise RolloutError(str(error)) from error
    return statement


def floor_of(record: Record, *, without: str = "") -> int:
    """Return the floor that the nodes of a pool keep. without: the uid of a bundle whose own floor does not count."""
    return max((revision.floor for revision in _counted(record) if revision.uid != without), default=1) or 1


def statement_line(statement: Statement, floor_before: int) -> str:
    """Return what a statement says, with the floor before if it raises that."""
    raised = f" (before: {floor_before})" if statement.floor > floor_before else ""
    until = f", not after {statement.not_after}" if statement.not_after else ""
    where = f"for cluster {statement.cluster}" if statement.cluster else "for any cluster (signing.cluster is not set)"
    return f"Its statement has sequence {statement.sequence}, floor {statement.floor}{raised}{until}, {where}."


def check_floor(
    record: Record, statement: Statement, options: StatementOptions, *, place: str, advice: str = "set this floor"
) -> None:
    """Raise RolloutError for a statement that withdraws more than pruning may delete, unless the user wants its floor.

    place: what has the statement. advice: what a user does who wants it.
    """
    if statement.floor in (options.floor, _default_floor(record, statement.sequence, options.kept)):
        return
    before = floor_of(record)
    if statement.floor > before:
        raise RolloutError(
            f"the statement of {place} raises the floor of pool {record.pool} from {before} to {statement.floor}, "
            f"which withdraws all bundles with a lower sequence: {advice} if that is wanted"
        )


def _default_floor(record: Record, sequence: int, kept: int) -> int:
    return max(floor_of(record), min([sequence, *_kept_sequences(record, kept)]))


def check_step(record: Record, sequence: int) -> None:
    """Raise RolloutError for a sequence that would use up the numbers of a pool."""
    highest = max((revision.sequence for revision in _counted(record)), default=0)
    if sequence > highest + _MAX_STEP:
        raise RolloutError(
            f"sequence {sequence} is more than {_MAX_STEP} above {highest}, the highest in the record of pool "
            f"{record.pool}: leave it out, or give {highest + 1} or little more"
        )


def _counted(record: Record) -> list[Revision]:
    """Return the revisions, without those whose sequence is too far above all others."""
    counted: list[Revision] = []
    highest = 0
    for revision in sorted(record.revisions, key=lambda revision: revision.sequence):
        if revision.sequence > highest + _MAX_STEP:
            break
        highest = revision.sequence
        counted.append(revision)
    return counted


def _kept_sequences(record: Record, kept: int) -> list[int]:
    """Return the sequences of the bundles that an undo may need: the newest, and those that the record names."""
    newest = {revision.uid: revision for revision in record.revisions if revision.uid and not revision.pruned}
    ordered = sorted(newest.values(), key=lambda revision: -revision.number)
    needed = record_uids(record) | {revision.uid for revision in ordered[: max(0, kept - 1)]}
    complete = [revision.uid for revision in ordered if revision.result == COMPLETE]
    needed |= set(complete[:2])  # the present one, and the one that an undo goes to
    return [revision.sequence for revision in ordered if revision.uid in needed and revision.sequence]
