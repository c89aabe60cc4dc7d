# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pools in the middle of a rollout, with nodes in every state: as data for the HTML report, and its page."""

from __future__ import annotations

import json
from dataclasses import replace

from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_view import NodeView
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record import (
    FailedNode,
    PresentWave,
    Record,
    Rollout,
    RolloutStart,
    TimelineEntry,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._report.page_data import page_data
from ansible_collections.configok.node.plugins.module_utils._rollout._report.pool_report import (
    ChangeGroup,
    FieldRow,
    MachineEntry,
    PoolReport,
)
from ansible_collections.configok.node.plugins.module_utils._rollout.plan import Target, Wave
from ansible_collections.configok.node.plugins.module_utils._text import sanitize_all
from ansible_collections.configok.node.plugins.plugin_utils._report_page import render_page
from support.rollouts.views import a_source, a_target, a_view

__all__ = ["GENERATED", "halted_report", "machines_report", "moving_report", "render_report"]

GENERATED = "2026-03-04T09:58:12.000000Z"
_ZONES = ("eu-west-1a", "eu-west-1b", "eu-west-1c")
_CRASH = (
    "using last-known-good (workers-0000000001): current (UID: 00000000-0000-4000-8000-000000000002) crashed 4 times "
    "during its trial"
)
_CRASH_REASON = "kubelet: failed to run Kubelet: unknown topology manager policy option: prefer-closest-numa-node"
_FIELDS = (
    FieldRow("kubelet", "maxPods", "110", "220", "restart"),
    FieldRow("kubelet", "topologyManagerPolicyOptions.prefer-closest-numa-nodes", None, "true", "restart-crash-risk"),
    FieldRow("kubelet", "containerLogMaxSize", "10Mi", "50Mi", "restart"),
    FieldRow("kubelet", "imageMaximumGCAge", "0s", "168h0m0s", "restart"),
)
_PREVIOUS, _TARGET = a_source(1), a_source(2)


def _record() -> Record:
    record = Record("workers")
    causes = (
        ("2026-01-12T08:11:40.000000Z", "alice", "first config from git", "Complete"),
        ("2026-03-04T09:02:00.000000Z", "bob", "denser nodes: 220 pods, NUMA-aware", ""),
    )
    for number, (time, author, cause, _result) in enumerate(causes, 1):
        record = record.with_revision(a_target(number), time=time, author=author, cause=cause)
    return record.with_result(1, "Complete")


def _names(count: int) -> list[str]:
    if count <= 60:
        return [f"worker-{number}" for number in range(1, count + 1)]
    return [f"ip-10-{number // 65536}-{number // 256 % 256}-{number % 256}.internal" for number in range(count)]


def _waves(names: list[str]) -> tuple[Wave, ...]:
    canary = min(3, len(names) // 3)
    first, second = canary + max(1, len(names) // 10), canary + max(3, len(names) * 3 // 10)
    return (
        Wave("canary", tuple(names[:canary]), 660.0),
        Wave("wave 1", tuple(names[canary:first]), 120.0),
        Wave("wave 2", tuple(names[first:second]), 120.0),
        Wave("wave 3", tuple(names[second:]), 120.0),
    )


def _entries(*phases: tuple[str, str, str]) -> tuple[TimelineEntry, ...]:
    return tuple(
        TimelineEntry(f"2026-03-04T{time}.000000Z", phase, reason, "" if phase == "Planned" else "bob@control-1")
        for time, phase, reason in phases
    )


_BEGINNING = (
    ("09:02:10", "Planned", ""),
    ("09:02:11", "Canary", ""),
    ("09:04:30", "Soaking", ""),
    ("09:15:30", "Canary", ""),
    ("09:15:30", "Wave 1", ""),
    ("09:21:02", "Paused", "worker-5: no answer for 5m: run it again when the node is back"),
    ("09:33:40", "Wave 1", ""),
    ("09:37:15", "Soaking", ""),
    ("09:39:15", "Wave 1", ""),
    ("09:39:16", "Wave 2", ""),
)


def _rollout(names: list[str], target: Target) -> Rollout:
    return Rollout(
        revision=2,
        target=target,
        phase="Wave 2",
        waves=_waves(names),
        size=len(names),
        started_at="2026-03-04T09:02:10.000000Z",
        changed_at="2026-03-04T09:39:16.000000Z",
        start=RolloutStart("node-role.kubernetes.io/worker", previous_sources=dict.fromkeys(names, _PREVIOUS)),
        waves_done=2,
        present_wave=PresentWave(assigned_up_to=1),
        runner="bob@control-1 (4711)",
        timeline=_entries(*_BEGINNING),
    )


def _view(name: str, number: int, **changes: object) -> NodeView:
    version = "v1.35.2" if number % 4 else "v1.34.6"
    return a_view(name, **{"zone": _ZONES[number % 3], "kubelet_version": version, **changes})


def moving_report(count: int) -> PoolReport:
    """Return a pool whose second wave is moving: some nodes passed, one is pending, the rest is not moved."""
    names = _names(count)
    rollout = _rollout(names, a_target(2))
    done = sum(len(wave.nodes) for wave in rollout.waves[:2])
    views = []
    for number, name in enumerate(names):
        if number < done:
            views.append(_view(name, number, source=_TARGET))
        elif number < done + max(1, count // 100):
            views.append(_view(name, number, source=_TARGET, assigned_id=2, answered_id=1, active=_PREVIOUS))
        else:
            views.append(_view(name, number, source=_PREVIOUS))
    changes = (ChangeGroup(tuple(names), _FIELDS, "restart-crash-risk: the kubelet restarts, and may refuse to start"),)
    return PoolReport(replace(_record(), rollout=rollout), sorted(views, key=_name), changes, moved_by="bob@control-1")


def _name(view: NodeView) -> str:
    return view.name


def halted_report(count: int) -> PoolReport:
    """Return a pool that halted in its second wave, with nodes in every state."""
    names = _names(count)
    rollout = _rollout(names, a_target(2))
    done = sum(len(wave.nodes) for wave in rollout.waves[:2])
    reached = done + len(rollout.waves[2].nodes)
    outside = max(1, count // 200)
    failing = set(names[done : done + max(2, count // 250)])
    silent = set(names[-2 * outside : -outside] if count > 60 else names[1:2])
    views = []
    for number, name in enumerate(names):
        if name in failing:
            changes: dict[str, object] = {
                "source": _TARGET,
                "assigned_id": 2,
                "active": _PREVIOUS,
                "cause": "CrashLoop",
            }
            changes.update(config_ok="False", message=_CRASH, reason=_CRASH_REASON)
            views.append(_view(name, number, **changes))
        elif name in silent:
            views.append(
                _view(name, number, source=_PREVIOUS, ready=None, ready_reason="Kubelet stopped posting node status.")
            )
        elif number < done:
            views.append(_view(name, number, source=_TARGET))
        elif number < (done + reached) // 2:
            views.append(_view(name, number, source=_TARGET, in_trial=True))
        else:
            views.append(_view(name, number, source=_PREVIOUS))
    drifted = names[0]
    views = [view for view in views if view.name != drifted] + [_view(drifted, 0, source=a_source(7), assigned_id=5)]
    views += [_view(f"gpu-{number}", number, agent=False) for number in range(1, 1 + outside)]
    views.sort(key=_name)
    reason = f"{len(failing)} nodes failed, and the budget is 1: {min(failing)}: ConfigOK is False: {_CRASH_REASON}"
    rollout = replace(
        rollout,
        phase="Halted",
        reason=reason,
        changed_at="2026-03-04T09:47:03.000000Z",
        failed_nodes=(
            *(FailedNode(name, "failed", "wave 2", f"{_CRASH}: {_CRASH_REASON}") for name in sorted(failing)),
            FailedNode(names[done - 1], "unknown", "wave 1", "no answer for 5m"),
        ),
        timeline=_entries(*_BEGINNING, ("09:47:03", "Halted", reason)),
    )
    record = replace(_record(), rollout=rollout).with_bad_config(a_target(2), reason, rollout.changed_at)
    record = record.with_result(2, "Halted")
    cpu_manager = FieldRow("kubelet", "cpuManagerPolicy", "none", "static", "drain+state")
    drain = "drain+state: drain the node, and remove the state file of the CPU manager"
    changed = (
        ChangeGroup(tuple(names[1:]), _FIELDS, "restart-crash-risk: the kubelet restarts, and may refuse to start"),
        ChangeGroup(tuple(names[:1]), (*_FIELDS[:2], cpu_manager), drain),
    )
    finding = "kubelet.yaml:12: maxPods: 220 is above the 110 that Kubernetes is tested with"
    return PoolReport(record, views, changed, findings=(finding,))


def machines_report(count: int) -> PoolReport:
    """Return a rollout of machines that go to another kubelet, in its second wave, with machines in every phase."""
    names = _names(count)
    done = max(1, count * 3 // 10)
    machines = [
        MachineEntry(
            name,
            "Running" if number < done or number > done + 2 else "Updating",
            kubelet="1.35.2" if number < done else "1.34.6",
            kubelet_desired="" if number < done else "1.35.2",
            runtime="containerd 1.7.24" if number % 3 else "containerd 2.1.4",
            runtime_desired="containerd 2.1.4" if number % 3 and number % 5 == 0 else "",
            config=_TARGET.name,
            config_ok="True",
            action="none" if number < done else "update",
        )
        for number, name in enumerate(names)
    ]
    machines[0] = machines[0]._replace(
        phase="Failed", config_ok="False", reason=f"ConfigOK is False: {_CRASH}: {_CRASH_REASON}"
    )
    machines.append(
        MachineEntry("new-1", "Provisioning", kubelet_desired="1.35.2", action="create", reason="it has no Node yet")
    )
    machines.append(MachineEntry("old-1", "Deleting", kubelet="1.33.9", runtime="cri-o 1.33.1", action="delete"))
    return replace(moving_report(count), machines=machines)


def render_report(report: PoolReport, generated: str) -> str:
    """Return the page of a report, whose data have come from a host as JSON."""
    return render_page(json.loads(json.dumps(sanitize_all(page_data(report)))), generated)
