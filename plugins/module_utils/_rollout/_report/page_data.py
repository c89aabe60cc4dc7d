# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the page of a report shows, as plain data for its template; what a page says of itself. Pure."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ..._text import count_of
from .._record._control import Control
from .._record.record import PAUSED, Record, Rollout
from .pool_report import (
    STATES,
    Lane,
    NodeEntry,
    PoolReport,
    lane_title,
    lanes,
    left_out,
    node_entries,
    notes,
    problems,
)

_MAX_HEAD = 8192  # characters of a page in which its metadata are
_GENERATED = re.compile(r'<meta name="generated" content="([0-9TZ:.+-]{1,40})">')
_SUMMARY = re.compile(r'<meta name="description" content="([^"]{0,1000})">')


def page_data(report: PoolReport) -> dict[str, Any]:
    """Return what the page shows, as data that JSON can express; it does not depend on the time of the page."""
    record, rollout = report.record, report.record.rollout
    entries = node_entries(report)
    columns = lanes(report, entries)
    skipped = [lane for lane in columns if rollout is not None and lane.title == "Left out"]
    return {
        "pool": record.pool,
        "summary": _summary(report, entries),
        "size": len(report.views),
        "latest": None if record.latest is None else {"number": record.latest.number, "name": record.latest.name},
        "rollout": None if rollout is None else _rollout_data(report, rollout),
        "control": _control_data(record.control),
        "problems": [problem._asdict() for problem in problems(report, entries)],
        "lanes": [_lane_data(lane) for lane in columns],
        "machines": [machine._asdict() for machine in report.machines],
        "changes": [
            {**group._asdict(), "fields": None if group.fields is None else [row._asdict() for row in group.fields]}
            for group in report.changes
        ],
        "changes_note": report.changes_note,
        "left_out": [
            {"reason": reason, "nodes": names} for lane in skipped for reason, names in left_out(report, lane)
        ],
        "notes": notes(report),
        "revisions": _revisions_data(record),
        "refused": [dict(vars(bad)) for bad in record.bad_configs],
        "cleared": [dict(vars(cleared)) for cleared in record.cleared_configs],
    }


def report_summary(report: PoolReport) -> str:
    """Return the state of the pool in one sentence."""
    return _summary(report, node_entries(report))


def _summary(report: PoolReport, entries: Mapping[str, NodeEntry]) -> str:
    record, rollout = report.record, report.record.rollout
    counts = Counter(entry.state for entry in entries.values())
    where = "never rolled out"
    if rollout is not None:
        target = f"revision {rollout.revision}" if rollout.revision else "the init config"
        where = f"{target}, {rollout.phase}"
    states = ", ".join(f"{counts[state]} {STATES[state][0]}" for state in STATES if counts[state])
    size = count_of(len(report.views), "node")
    return f"Pool {record.pool}: {where}, {size}" + (f": {states}" if states else "")


def _rollout_data(report: PoolReport, rollout: Rollout) -> dict[str, Any]:
    revision = report.record.revision_of(rollout.target)
    return {
        "phase": rollout.phase,
        "reason": rollout.reason,
        "revision": rollout.revision,
        "target": rollout.target.name,
        "published": None if revision is None else {"cause": revision.cause, "author": revision.author},
        "started": rollout.started_at,
        "changed": rollout.changed_at,
        "has_ended": rollout.has_ended,
        "runner": rollout.runner,
        "runner_state": _runner_state(report, rollout),
        "selector": rollout.start.selector,
        "waves": [lane_title(wave.name) for wave in rollout.waves],
        "timeline": [dict(vars(entry)) for entry in rollout.timeline],
    }


def _runner_state(report: PoolReport, rollout: Rollout) -> str:
    if rollout.has_ended:
        return ""
    if report.moved_by is None:
        return "whether it still runs is not known"
    if rollout.phase == PAUSED:
        return "waits to continue" if report.moved_by else "no runner waits: run it again to continue"
    return "moves the pool now" if report.moved_by else "no runner moves the pool: run it again to continue"


def _control_data(control: Control) -> dict[str, Any]:
    """Return what people request of the rollout, and which waves they have approved."""
    return {
        "request": control.request if control.is_pause or control.is_abort else "",
        "by": control.by,
        "time": control.time,
        "reason": control.reason,
        "approved": sorted(control.approved_waves),
        "approved_by": control.approved_by,
        "approved_at": control.approved_at,
        "approval_reason": control.approval_reason,
    }


def _lane_data(lane: Lane) -> dict[str, Any]:
    return {"title": lane.title, "progress": lane.progress, "nodes": [_node_data(node) for node in lane.nodes]}


def _node_data(node: NodeEntry) -> dict[str, Any]:
    return {
        "name": node.name,
        "state": node.state,
        "zone": node.zone,
        "reason": node.reason,
        "config": node.config,
        "kubelet": node.view.system.kubelet_version if node.view else "",
    }


def _revisions_data(record: Record) -> Sequence[dict[str, Any]]:
    """Return the revisions, the newest first."""
    rollout = record.rollout
    current, phase = (None, "") if rollout is None else (rollout.revision, rollout.phase)
    return [
        {
            "number": revision.number,
            "name": revision.name,
            "time": revision.time,
            "author": revision.author,
            "cause": revision.cause,
            "result": revision.result or (phase if revision.number == current else "not rolled out"),
            "is_current": revision.number == current,
        }
        for revision in reversed(record.revisions)
    ]


def generated_time(page: str) -> str:
    """Return when a page was generated, "" for a text that is not a report."""
    match = _GENERATED.search(page, 0, _MAX_HEAD)
    return "" if match is None else match.group(1)


def page_summary(page: str) -> str:
    """Return the sentence of a page on the state of its pool, "" for a text that is not a report."""
    match = _SUMMARY.search(page, 0, _MAX_HEAD)
    return "" if match is None else html.unescape(match.group(1))
