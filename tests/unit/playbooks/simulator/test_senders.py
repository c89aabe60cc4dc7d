# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests of hollow nodes: answers are not held up."""

from __future__ import annotations

import threading

from fleet_simulator.senders import CONNECTIONS, Senders
from support.session.patience import LONGEST_WAIT


def test_an_answer_does_not_wait_for_other_requests() -> None:
    stop, release, answered = threading.Event(), threading.Event(), threading.Event()
    senders = Senders(stop)
    senders.start()
    try:
        for _number in range(2 * CONNECTIONS):
            senders.submit(release.wait)
        senders.submit(answered.set, is_answer=True)
        assert answered.wait(LONGEST_WAIT)
        assert not release.is_set()
    finally:
        stop.set()
        release.set()
        senders.join()


def test_after_stop_nothing_else_is_sent() -> None:
    stop, sent = threading.Event(), []
    senders = Senders(stop)
    senders.submit(lambda: sent.append("first"))
    stop.set()
    senders.start()
    senders.join()
    assert not sent
