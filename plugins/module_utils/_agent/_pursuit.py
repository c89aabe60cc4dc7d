# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Does what the Node's annotations ask: adopts a config, or goes back to the init config. Private to configok.node."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from .._nodeconfig._assignment import ConfigSource
from ._basis._backoff import Backoff
from ._basis._configuration import AgentConfiguration
from ._basis._errand import PATIENCE
from ._basis._ports import Clock, Errand, Journal
from ._basis._tally import Tally
from ._deciding._decision import in_trial
from ._deciding._local import Local, read_local
from ._deciding._wish import Wish
from ._judging._prepare import STORE_WAIT, NotFetched, Preparation, Prepared, Refused
from ._storage._lock import Locked, locked
from ._storage._records import LOCAL, Answered, Outcome, Record, same_config
from ._storage._store import Store
from ._transaction import Transactions

__all__ = ["Followed", "Pursuit"]

# Says "adopting" before anything is touched. Given the record that is about to be used, and the local view.
Acknowledge = Callable[[Record, Local], None]


class Followed(NamedTuple):
    """What came of it: "" (nothing was done) | "adopted" | "pinned" | "unassigned" | "refused" | "waiting".

    detail, for people: the config, or why it was refused or is waited for.
    """

    done: str = ""
    detail: str = ""


class Pursuit:
    """Follows one wish after the other. Every method may raise OSError and Locked; then the next round tries again."""

    def __init__(
        self,
        configuration: AgentConfiguration,
        store: Store,
        transactions: Transactions,
        preparation: Preparation,
        clock: Clock,
        journal: Journal,
        backoff: Backoff,
        tally: Tally,
        errand: Errand,
    ) -> None:
        """errand: in which a bundle is prepared, which takes requests and children that may hang."""
        self._configuration = configuration
        self._store = store
        self._transactions = transactions
        self._preparation = preparation
        self._clock = clock
        self._journal = journal
        self._backoff = backoff
        self._tally = tally
        self._errand = errand
        self._pursued: object = None
        self._held = False  # a fetch waits for its time, as a Retry-After wants it
        self.fetch_error = ""

    @property
    def due(self) -> float:
        """When to fetch again, in seconds since boot; never, where nothing is waited for, or that wakes the daemon."""
        waits = self._held or self.fetch_error
        return self._backoff.until if waits and not self._errand.under_way else float("inf")

    def hurry(self, within: float) -> None:
        """The API answers again: fetch what could not be fetched within so many seconds."""
        self._backoff.hurry(self._clock.since_boot(), within)

    def follow(self, wish: Wish, local: Local, acknowledge: Acknowledge, *, known: bool = True) -> Followed:
        """Do what is asked, as far as it can be done now. known: whether the components' versions are, for judging."""
        self._held = False
        if (wish.source, wish.answered.id) != self._pursued:
            self._pursued = (wish.source, wish.answered.id)
            self._backoff.reset()
            self._errand.drop()
            self.fetch_error = ""
        if wish.kind == "adopt":
            return self._adopt(wish, local, acknowledge, known=known)
        self._errand.drop()
        self.fetch_error = ""
        if wish.kind == "unassign":
            acknowledge(LOCAL, local)
            with locked(self._store.lock, wait=STORE_WAIT):
                self._transactions.unassign(self._read(), wish.answered)
            return Followed("unassigned", "the local config")
        if wish.kind == "keep":
            self._keep(wish, local)
        elif wish.answered != local.snapshot.answered and (
            wish.kind == "lost" or (wish.kind in ("local", "invalid") and wish.answered.id)
        ):
            self._answer(wish.answered)
        return Followed()

    def _keep(self, wish: Wish, local: Local) -> None:
        """What is assigned is what is used; a new assignment of it is answered, and restarts no trial."""
        if wish.forget_bad and wish.new and wish.source is not None and wish.source.uid in local.bad:
            with locked(self._store.lock, wait=STORE_WAIT):
                self._transactions.forget(wish.source.uid)
        if wish.answered == local.snapshot.answered and not local.choice.left:
            return
        with locked(self._store.lock, wait=STORE_WAIT):
            record = self._read().current
            self._store.write_current(record._replace(assignment=wish.answered.id, node_uid=wish.answered.node_uid))
            self._transactions.answer(wish.answered)

    def _adopt(self, wish: Wish, local: Local, acknowledge: Acknowledge, *, known: bool) -> Followed:
        source = wish.source
        if source is None:
            return Followed()
        mark = local.bad.get(source.uid)
        if mark is not None and wish.new and wish.forget_bad:
            with locked(self._store.lock, wait=STORE_WAIT):
                self._transactions.forget(source.uid)
            mark = None
        if mark is not None:
            reason = mark.reason
            return self._refuse(wish.answered, Outcome("KnownBad", source.uid, reason, time=mark.time))
        if wish.answered != local.snapshot.answered:
            self._answer(wish.answered)  # on disk before it is said
        if not self._errand.under_way and not self._backoff.due(self._clock.since_boot()):
            self._held = True
            return Followed("waiting", self.fetch_error)
        if not known and not self._errand.under_way:
            return Followed("waiting", self.fetch_error)  # the daemon is woken when they are
        try:
            prepared = self._prepared(source)
        except NotFetched as error:
            self._backoff.failed(self._clock.since_boot(), error.retry_after, transient=error.transient)
            self.fetch_error = str(error)
            self._tally.errors["fetch"] += 1
            self._journal("warning", f"the config cannot be had: {error}", uid=source.uid)
            return Followed("waiting", self.fetch_error)
        except Refused as error:
            self.fetch_error = ""
            for finding in error.findings:
                said = f"finding: {finding.get('path')}: {finding.get('message')}"
                self._journal("warning", said, uid=source.uid, level_of_finding=finding.get("level"))
            return self._refuse(wish.answered, Outcome("InvalidConfig", source.uid, str(error), time=self._clock.now()))
        if prepared is None:
            return Followed("waiting", self.fetch_error)
        self.fetch_error = ""
        return self._use(prepared, wish.answered, local, acknowledge)

    def _prepared(self, source: ConfigSource) -> Prepared | None:
        """Return the bundle, ready to be adopted; None while that is under way. Raises what preparing it raises."""
        patience = 0.0
        if not self._errand.under_way:
            self._errand.start(partial(self._preparation.prepare, source))
            patience = PATIENCE
        if not self._errand.wait(patience):
            return None
        try:
            prepared: Prepared = self._errand.take()
        except (OSError, Locked) as error:
            # Soon again: it costs one request, and a disk is often full for a moment only.
            raise NotFetched(f"this node's own files: {error}", transient=True) from error
        return prepared

    def _use(self, prepared: Prepared, answered: Answered, local: Local, acknowledge: Acknowledge) -> Followed:
        record = prepared.record(assignment=answered.id, node_uid=answered.node_uid, clock=self._clock)
        current, good = local.snapshot.current, local.snapshot.last_known_good
        if current is not None and current.source is not None and same_config(record, current):
            # The same content under another uid (deleted and restored): pinned anew, nothing begins again.
            pinned = current._replace(source=record.source, assignment=record.assignment, node_uid=record.node_uid)
            with locked(self._store.lock, wait=STORE_WAIT):
                self._store.write_current(pinned)
                if not in_trial(current, good):
                    self._store.write_last_known_good(pinned)
            return Followed("pinned", _name(prepared.bundle.source))
        acknowledge(record, local)
        with locked(self._store.lock, wait=STORE_WAIT):
            record = record._replace(since_boot=self._clock.since_boot())
            self._transactions.adopt(self._read(), record)
            self._transactions.tidy(self._read())
        return Followed("adopted", _name(prepared.bundle.source))

    def _refuse(self, answered: Answered, outcome: Outcome) -> Followed:
        self._answer(answered.failed(outcome))
        return Followed("refused", f"(UID: {outcome.uid}): {outcome.text}")

    def _answer(self, answered: Answered) -> None:
        with locked(self._store.lock, wait=STORE_WAIT):
            self._transactions.answer(answered)

    def _read(self) -> Local:
        return read_local(self._configuration, self._store, self._clock)


def _name(source: ConfigSource) -> str:
    return f"{source.name} (UID: {source.uid})"
