# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the action plugins of a rollout share: signals."""

from __future__ import annotations

import os
import signal

import pytest

from ansible_collections.configok.node.plugins.plugin_utils._run import interruptible

SIGNALS = (signal.SIGINT, signal.SIGTERM)


def test_two_signals_at_once_interrupt_a_run_once() -> None:
    before = [signal.getsignal(number) for number in SIGNALS]
    with interruptible():
        signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        for number in SIGNALS:
            os.kill(os.getpid(), number)
        with pytest.raises(KeyboardInterrupt):
            signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)  # both are pending for one check of the interpreter
        for number in SIGNALS:  # the lock is released meanwhile
            signal.raise_signal(number)
    assert before == [signal.getsignal(number) for number in SIGNALS]
