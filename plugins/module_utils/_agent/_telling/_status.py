# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What this node uses and why, as data: from its own files alone, so also without the API and without the daemon.
Private to configok.node."""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Iterator
from typing import Any

from .._basis._configuration import AgentConfiguration
from .._basis._version import AGENT_VERSION
from .._deciding._decision import in_trial
from .._deciding._local import Local, read_local
from .._judging._drift import Drift
from .._judging._shadowed import shadowed
from .._storage._lock import locked
from .._storage._records import Record
from .._storage._store import Store, digest
from .._storage._tracking import Start, is_crash
from .._storage._trouble import directory_faults
from .._system._clock import SystemClock
from .._system._nudge import is_heard
from ._report import read_report

__all__ = ["describe"]

_WAIT = 5.0
_CANNOT_LOCK = (errno.EROFS, errno.ENOSPC, errno.EDQUOT)  # where nobody can write, nobody writes while this reads


def describe(configuration: AgentConfiguration) -> dict[str, Any]:
    """Return what the node's own files and the daemon's report say, as JSON-able data. Raises Locked, OSError.

    The shape is described in docs/observing.md; what is added to it later comes under new keys.
    """
    clock = SystemClock()
    store = Store(configuration.state_directory, now=clock.now)
    faults = directory_faults(configuration.state_directory)
    with _locked(store.lock):
        local = read_local(configuration, store, clock)
        damaged = store.set_aside()
        components = _components(configuration, store, local)
    snapshot = local.snapshot
    answered = snapshot.answered
    report = read_report(configuration.run_directory)
    return {
        "nodeName": configuration.node_name,
        "agentVersion": AGENT_VERSION,
        "dynamicConfig": configuration.dynamic_config,
        "stateDirectory": configuration.state_directory,
        "daemon": {
            "running": is_heard(configuration.run_directory),
            "report": None if report is None else report.to_dict(),
        },
        "using": {"record": local.choice.name, "left": local.choice.left, **_record(local.current)},
        "current": None if snapshot.current is None else _record(snapshot.current),
        "lastKnownGood": None if snapshot.last_known_good is None else _record(snapshot.last_known_good),
        "inTrial": in_trial(local.current, snapshot.last_known_good),
        "assignment": {
            "id": answered.id,
            "source": None if answered.source is None else answered.source.to_dict(),
            "outcome": None if answered.outcome is None else answered.outcome.to_dict(),
        },
        "badConfigs": {uid: mark._asdict() for uid, mark in sorted(local.bad.items())},
        "components": components,
        "damaged": damaged,
        "faults": faults,
    }


@contextlib.contextmanager
def _locked(path: str) -> Iterator[None]:
    with contextlib.ExitStack() as held:
        try:
            held.enter_context(locked(path, wait=_WAIT))
        except OSError as error:
            if error.errno not in _CANNOT_LOCK:
                raise
        yield


def _components(configuration: AgentConfiguration, store: Store, local: Local) -> dict[str, Any]:
    drift = Drift(configuration)
    return {
        name: {
            "unit": component.unit,
            "version": local.versions[name],
            "config": store.config_path(name),
            "crashes": local.crashes[name],
            "lastStart": _start(local.last_start(name)),
            "shadowed": list(shadowed(store, name, digest(store.read_config(name) or b""))),
            "drift": drift.of(name),
        }
        for name, component in configuration.components.items()
    }


def _record(record: Record) -> dict[str, Any]:
    if record.source is None:
        return {"source": None}
    return {
        "source": record.source.to_dict(),
        "adoptedAt": record.adopted_at,
        "trialDuration": record.trial.duration,
        "crashLoopThreshold": record.trial.crash_loop_threshold,
        "healthySeconds": record.healthy,
    }


def _start(start: Start | None) -> dict[str, Any] | None:
    if start is None:
        return None
    return {"time": start.time, "config": start.config[:10], "crashed": start.end is not None and is_crash(start.end)}
