# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What this node uses and why, from its own files alone: works without the API. Private to configok.node."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._clock import SystemClock
from ._configuration import AgentConfiguration
from ._decision import in_trial
from ._drift import Drift
from ._local import read_local
from ._lock import locked
from ._records import Record
from ._shadowed import shadowed
from ._store import Store, digest
from ._tracking import Start, is_crash

__all__ = ["describe", "render"]

_WAIT = 5.0


def describe(configuration: AgentConfiguration) -> dict[str, Any]:
    """Return what the node's own files say, as JSON-able data. Raises Locked, OSError.

    Keys: nodeName, dynamicConfig, using (record, source, left), current, lastKnownGood (null: never written, or
    damaged), inTrial, assignment (id, source, outcome), badConfigs (uid -> time, reason, kind), components (name ->
    unit, version, config, crashes, lastStart, shadowed (fields that a flag or a drop-in wins over), drift (the file
    that the init config came from, where it has changed since)), damaged (files that were set aside).
    """
    clock = SystemClock()
    store = Store(configuration.state_directory, now=clock.now)
    with locked(store.lock, wait=_WAIT):
        local = read_local(configuration, store, clock)
        damaged = store.set_aside()
    snapshot, drift = local.snapshot, Drift(configuration)
    answered = snapshot.answered
    return {
        "nodeName": configuration.node_name,
        "dynamicConfig": configuration.dynamic_config,
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
        "components": {
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
        },
        "damaged": damaged,
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


def render(description: Mapping[str, Any]) -> str:
    """Return the description as a few lines for people."""
    using = description["using"]
    lines = [f"node             {description['nodeName']}", f"using            {using['record']}, {_name(using)}"]
    if not description["dynamicConfig"]:
        lines.append("                 dynamic configuration is turned off on this node")
    if description["inTrial"]:
        healthy, duration = using["healthySeconds"], using["trialDuration"]
        lines.append(f"                 in its trial, healthy for {healthy:.0f} of {duration:.0f} s")
    good = description["lastKnownGood"]
    lines.append(f"last-known-good  {'none on record' if good is None else _name(good)}")
    assignment = description["assignment"]
    if assignment["id"]:
        lines.append(f"assignment       {assignment['id']}, {_name(assignment)}")
    outcome = assignment["outcome"]
    if outcome is not None:
        lines.append(f"                 failed ({outcome['kind']}): {outcome['text']}")
    for name, component in description["components"].items():
        start = component["lastStart"]
        began = "no start on record"
        if start is not None:
            began = f"started {start['time']} with {start['config'] or 'no file'}"
        lines.append(f"{name:<16} {component['version']}, {began}, {component['crashes']} crashes since")
        lines += [f"                 shadowed: {field}" for field in component["shadowed"]]
        if component["drift"]:
            lines.append(f"                 {component['drift']} has changed since it became the init config")
    for uid, mark in description["badConfigs"].items():
        lines.append(f"bad config       {uid}, {mark['time']}: {mark['reason']}")
    lines += [f"damaged          {name} was set aside" for name in description["damaged"]]
    return "\n".join(lines)


def _name(what: Mapping[str, Any]) -> str:
    source = what["source"]
    if source is None:
        return "the local config"
    reference = source["configMap"]
    return f"{reference['name']} (UID: {reference['uid']})"
