# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tells what was done: in the journal, as Events on the Node, and in the counters. Private to configok.node."""

from __future__ import annotations

from ._basis._message_ids import ADOPTED, CONFIRMED, PROMOTED, REFUSED, SUSPECT
from ._basis._ports import Clock, Journal
from ._basis._tally import Tally
from ._deciding._wish import Wish
from ._pursuit import Followed
from ._storage._records import Record
from ._telling._events import Events

__all__ = ["Announcer"]

_DONE = {"confirmed": CONFIRMED, "promoted": PROMOTED, "suspect": SUSPECT}


class Announcer:
    """Each happening is told once, in all three."""

    def __init__(self, events: Events, tally: Tally, clock: Clock, journal: Journal) -> None:
        self._events = events
        self._tally = tally
        self._clock = clock
        self._journal = journal
        self._adopting: tuple[str, float] | None = None  # the uid, and since when (seconds since boot)

    def followed(self, followed: Followed, wish: Wish, *, began: float) -> None:
        """Tell what came of a wish. began: when it was begun to be followed, in seconds since boot."""
        done, detail = followed
        fields = {"assignment": wish.answered.id, "uid": "init" if wish.source is None else wish.source.uid}
        if done == "refused":
            self._tally.refusals += 1
            self._journal("warning", f"refused {detail}", **fields, message_id=REFUSED)
            self._events.tell("ConfigRefused", detail, warning=True)
        elif done in ("adopted", "unassigned"):
            self._tally.adoptions += 1
            self._adopting = None if wish.source is None else (wish.source.uid, began)
            self._journal("info", f"adopted {detail}", **fields, message_id=ADOPTED)
            self._events.tell("ConfigAdopted", f"adopted {detail}")
        else:
            self._journal("info", f"{done} {detail}", **fields)

    def kept(self, done: str, record: Record, detail: str) -> None:
        """Tell what the trial came to: "confirmed" | "promoted" | "rolled back" | "suspect" | "cleared"."""
        level = "info" if done in ("confirmed", "promoted", "cleared") else "error"
        fields = {"message_id": _DONE[done]} if done in _DONE else {}
        if detail:
            fields["detail"] = detail
        self._journal(level, f"config {done}", uid=record.uid or "init", **fields)
        if done in ("confirmed", "promoted") and self._adopting is not None and record.uid == self._adopting[0]:
            self._tally.adopted_within(self._clock.since_boot() - self._adopting[1])
            self._adopting = None

    def rolled_back(self, message: str, reason: str) -> None:
        """Tell of a roll-back, whoever did it, once it was seen how it went."""
        self._tally.rollbacks += 1
        self._events.tell("ConfigRolledBack", f"{message}: {reason}", warning=True)
