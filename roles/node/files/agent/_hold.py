# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""hold, release: keep the agent and the timer from writing manifests while another program does."""

from __future__ import annotations

import re

from ._agent._agent_configuration import AgentConfiguration
from ._agent._hold import Hold, HoldFile
from ._agent._restore_timer import RestoreTimer
from ._agent._state.active_config import in_trial
from ._agent._store._durable_files import LOCK_WAIT, locked
from ._agent._store._store import Store
from ._agent._system_clock import SystemClock
from ._nodeconfig.durations import InvalidDuration, setting_duration
from ._output import UnusableInput, complain, show

__all__ = ["end_hold", "take_hold"]

_OK, _REFUSED = 0, 1
_OWNER = re.compile(r"[a-z0-9][a-z0-9.-]{0,62}\Z")
_LONGEST = 24 * 3600  # seconds


def take_hold(configuration: AgentConfiguration, store: Store, owner: str, duration: str) -> int:
    """Take or extend a hold and print it; return 0, or 1 if it is refused. Raises UnusableInput, LockTimeout, OSError.

    It is refused during a trial of a static Pod, which only the agent or the timer may end, and while another owner
    has it.
    """
    seconds = _seconds(duration)
    if not _OWNER.match(owner):
        raise UnusableInput(f"{owner[:80]!r}: an owner is lower case letters, digits, - and ., such as kubeadm")
    file, now = HoldFile(configuration.run_directory), SystemClock().since_boot()
    with locked(store.lock, wait=LOCK_WAIT):
        present = file.read(now)
        if _is_of_another(present, owner, now):
            return _REFUSED
        component = _component_on_trial(configuration, store, only_written=present is not None)
        if component:
            complain(f"options of {component} are on trial: wait until configok-agent status shows no trial")
            return _REFUSED
        hold = Hold(owner, int(now) + seconds)
        file.write(hold)
    show(hold.sentence(now))
    return _OK


def end_hold(configuration: AgentConfiguration, store: Store, owner: str) -> int:
    """End an owner's hold; return 0, or 1 if another owner has it. Raises LockTimeout, OSError."""
    file, now = HoldFile(configuration.run_directory), SystemClock().since_boot()
    with locked(store.lock, wait=LOCK_WAIT):
        present = file.read(now)
        if _is_of_another(present, owner, now):
            return _REFUSED
        file.remove()
    show("nothing holds the manifests")
    return _OK


def _is_of_another(hold: Hold | None, owner: str, now: float) -> bool:
    """Return whether another owner has the hold, and print that."""
    if hold is None or hold.owner == owner:
        return False
    complain(hold.sentence(now))
    return True


def _component_on_trial(configuration: AgentConfiguration, store: Store, *, only_written: bool) -> str:
    """Return a static Pod whose options are on trial, "" if there is none.

    only_written: leave out options that are not in the manifest. Those of a config that was assigned during a hold are
    written after it.
    """
    pods = [name for name, component in configuration.components.items() if component.manifest]
    records = store.read_records()
    current = records.current
    is_in_trial = not only_written and in_trial(current, records.last_known_good)
    for name in pods:
        if RestoreTimer(store, name).armed() or (is_in_trial and current is not None and current.covers(name)):
            return name
    return ""


def _seconds(duration: str) -> int:
    try:
        seconds = int(setting_duration(duration))
    except InvalidDuration as error:
        raise UnusableInput(f"--for {duration[:80]}: must be a duration such as 30m or 90s") from error
    if not 1 <= seconds <= _LONGEST:
        raise UnusableInput(f"--for {duration[:80]}: must be from 1s to 24h")
    return seconds
