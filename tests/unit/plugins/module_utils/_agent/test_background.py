# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What may hang is done beside, and nobody waits for it longer than he wants."""

from __future__ import annotations

import threading

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._background import BackgroundTask

LONG = 10.0


def test_what_is_done_in_time_wakes_nobody() -> None:
    woken = threading.Event()
    errand = BackgroundTask(woken.set)
    assert [errand.under_way] == [False]
    errand.start(lambda: 7)
    assert errand.under_way
    assert errand.wait(LONG)
    assert errand.take() == 7
    assert (errand.under_way, woken.is_set()) == (False, False)


def test_what_hangs_is_left_and_wakes_when_it_is_done() -> None:
    woken, let_go = threading.Event(), threading.Event()
    errand = BackgroundTask(woken.set)
    errand.start(lambda: let_go.wait(LONG))
    assert not errand.wait(0.0)
    assert errand.under_way
    with pytest.raises(RuntimeError, match="not done"):
        BackgroundTask(woken.set).take()
    let_go.set()
    assert woken.wait(LONG)
    assert errand.wait(0.0)
    assert errand.take() is True


def test_what_is_raised_is_raised_where_it_is_taken() -> None:
    errand = BackgroundTask(lambda: None)
    errand.start(lambda: 1 // 0)
    assert errand.wait(LONG)
    with pytest.raises(ZeroDivisionError):
        errand.take()
    assert not errand.under_way


def test_one_at_a_time_unless_it_is_dropped() -> None:
    let_go = threading.Event()
    errand = BackgroundTask(lambda: None)
    errand.start(lambda: let_go.wait(LONG))
    with pytest.raises(RuntimeError, match="under way"):
        errand.start(lambda: 1)
    errand.drop()
    errand.start(lambda: 2)
    assert errand.wait(LONG)
    assert errand.take() == 2
    let_go.set()
