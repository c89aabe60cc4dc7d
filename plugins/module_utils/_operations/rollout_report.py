# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read what the HTML report of a pool shows: record, nodes, and what its rollout changes on them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from .._componentconfig.compare import summary_of
from .._kube.api_client import Client
from .._kube.api_errors import Forbidden, NotFound
from .._kube.api_paths import config_map
from .._machines._changes.runtimes import is_runtime
from .._machines._status import MachineStatus, config_text
from .._nodeconfig.bundle import Bundle, InvalidBundle
from .._rollout._nodes.node_list import list_nodes
from .._rollout._nodes.node_view import NodeView
from .._rollout._nodes.reported_versions import is_version
from .._rollout._record.record import Record, Rollout
from .._rollout._record.record_store import read_record
from .._rollout._report.pool_report import ChangeGroup, FieldRow, MachineEntry, PoolReport
from .._rollout._report.pool_status import nodes_of
from .._rollout._run.pool_lock import current_holder
from .._rollout.plan import Target
from .._rollout.timing import Clock
from ._machine_plan.machine_changes import MachineSelection, failures_of, read_statuses
from ._pool_nodes import read_pool_nodes
from .bundle_changes import NodeGroup, Overrides, SourceDocument, denied_findings, group_changes

_MACHINES_NOTE = "What it changes on each machine is in the plan of configok.node.machines."


def read_pool_report(
    client: Client,
    pool: str,
    selector: str | None,
    *,
    overrides: Overrides | None = None,
    clock: Clock | None = None,
    selection: MachineSelection | None = None,
) -> PoolReport:
    """Read the record of a pool, its nodes, and what its rollout changes on them.

    selector: of its Nodes, None for those of the Machines. selection: the Machines to show, None for none. If the
    runner of the pool may be dead, this takes as long as the lock of the pool holds. Raises MachinesError,
    RolloutError, KubeError.
    """
    record = read_record(client, pool)
    machines = () if selection is None else _machine_entries(client, selection, record)
    names = [machine.name for machine in machines] if selector is None else None
    views = nodes_of(record, list_nodes(client, selector=selector or "", names=names))
    rollout, report = record.rollout, PoolReport(record, views, machines=machines)
    if rollout is None:
        return report
    if rollout.target.is_machines:
        return replace(report, changes_note=_MACHINES_NOTE, moved_by=_moved_by(client, pool, rollout, clock))
    try:
        groups, findings = _changes(client, views, rollout, overrides)
        report = replace(report, changes=tuple(map(_change_group, groups)), findings=findings)
    except (NotFound, Forbidden, InvalidBundle) as error:
        note = f"What it changes is not known, since the bundle {rollout.target.name} cannot be read: {error}"
        report = replace(report, changes_note=note)
    return replace(report, moved_by=_moved_by(client, pool, rollout, clock))


def _machine_entries(client: Client, selection: MachineSelection, record: Record) -> tuple[MachineEntry, ...]:
    return tuple(map(_machine_entry, read_statuses(client, selection, record.pool, failures_of(record))))


def _machine_entry(status: MachineStatus) -> MachineEntry:
    kubelet, runtime = status.kubelet_desired, status.runtime_desired
    is_kubelet = is_version(kubelet, status.kubelet_observed, kubelet)
    return MachineEntry(
        status.name,
        status.phase.value,
        status.kubelet_observed,
        "" if is_kubelet else kubelet,
        str(status.runtime_observed or ""),
        "" if is_runtime(runtime, status.runtime_observed, runtime) else str(runtime or ""),
        config_text(status),
        status.config_ok,
        status.action,
        status.reason,
    )


def _moved_by(client: Client, pool: str, rollout: Rollout, clock: Clock | None) -> str | None:
    """Return the runner that moves a rollout, "" for none, None for one that has ended or is not known."""
    return None if rollout.has_ended else current_holder(client, pool, clock or Clock())


def _changes(
    client: Client, views: Iterable[NodeView], rollout: Rollout, overrides: Overrides | None
) -> tuple[Sequence[NodeGroup], Sequence[str]]:
    """Return what the rollout changes on the nodes of its waves, and the fields that these nodes deny."""
    documents = _documents(client, rollout.target)
    pool_nodes = read_pool_nodes(client, _views_before(views, rollout))
    denied = denied_findings(
        pool_nodes, {component: SourceDocument(component, text) for component, text in documents.items()}
    )
    return group_changes(pool_nodes, documents, overrides), [str(finding) for finding in denied]


def _documents(client: Client, target: Target) -> dict[str, str]:
    if target.is_init or target.is_machines:
        return {}
    return dict(Bundle.from_config_map(client.get(config_map(target.namespace, target.name)), target.source).documents)


def _views_before(views: Iterable[NodeView], rollout: Rollout) -> list[NodeView]:
    """Return the nodes of the waves as they were when the rollout started."""
    sources = rollout.start.previous_sources
    return [
        replace(view, answer=view.answer._replace(status=view.answer.status._replace(active=sources[view.name])))
        for view in views
        if view.answer.status is not None and view.name in sources
    ]


def _change_group(group: NodeGroup) -> ChangeGroup:
    if group.changes is None:
        return ChangeGroup(group.nodes, None)
    rows = tuple(
        FieldRow(component, change.change.path, *change.shown, str(change.disruption))
        for component, change in group.changes
    )
    return ChangeGroup(group.nodes, rows, summary_of([change for _component, change in group.changes]))
