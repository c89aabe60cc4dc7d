# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Roll out a pool: one object from the pool file to the outcome."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Any, Literal, NamedTuple

from ..._componentconfig.option_check import OPTION_CHECK
from ..._kube.api_client import Client
from ..._nodeconfig.bundle import Bundle
from ..._nodeconfig.option_denials import OPTION_DENIALS
from ..._rollout import RolloutError
from ..._rollout._decisions.planner import make_plan
from ..._rollout._decisions.statements import StatementOptions
from ..._rollout._decisions.trust_review import TrustReview, end_warnings
from ..._rollout._decisions.wave_limits import Progress
from ..._rollout._drain.disruption_plan import plan_disruption
from ..._rollout._drain.drain_preview import preview_drains
from ..._rollout._nodes.node_view import NodeView
from ..._rollout._pool.maintenance_windows import parse_time
from ..._rollout._pool.pool_file import Pool
from ..._rollout._record.record import ABORTED, Record
from ..._rollout._record.record_store import read_record
from ..._rollout._record.revisions import find_undo_revision, read_target, target_of
from ..._rollout._report.pool_status import pool_status, render_status
from ..._rollout._run.run_options import RunOptions
from ..._rollout._run.runner import PoolRunner
from ..._rollout._run.wave_run import WaveResult
from ..._rollout.plan import BROKEN_WAVES, Plan, Target
from ..._rollout.timing import current_time
from .._overlaps import Overlap, find_overlaps, machine_rollouts, overlap_warnings
from .._pool_nodes import PoolNodes, read_pool_records
from .._publishing import (
    Publication,
    Release,
    prepare,
    read_documents,
    read_layered_document,
    render_release,
    version_warnings,
)
from .._signing import Endorser, SigningOptions, SshKeygen
from ..bundle_changes import SourceDocument
from ..option_validator import OptionValidator
from ._api_servers import OtherApiServers, find_api_servers
from ._control_plane_changes import (
    faulty_kubelets,
    find_outage,
    lost_list_items,
    several_stages,
    unguarded_changes,
    unjudged_leaders,
)
from ._leaders import find_leaders
from ._target_changes import TargetChanges, compare_target
from ._trust_plan import is_trusted_by, review_plan

Operation = Literal["rollout", "undo", "reconcile"]
_OPTION_VALIDATOR = OptionValidator(OPTION_CHECK, OPTION_DENIALS)


class PlannedRollout(NamedTuple):
    """A plan, and what the cluster says about it.

    overlaps: None when other pools may not be read. trust: what the nodes will say of the bundle's signatures. servers:
    which a run asks while the API server of its kubeconfig restarts.
    """

    plan: Plan
    overlaps: Sequence[Overlap] | None
    changes: TargetChanges
    trust: TrustReview = TrustReview()
    servers: OtherApiServers = OtherApiServers()

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as plain data for users."""
        return {
            "waves": [{**vars(wave), "nodes": list(wave.nodes)} for wave in self.plan.waves],
            "already_on_target": list(self.plan.unmoved.already_on_target),
            "skipped": [dict(vars(skipped)) for skipped in self.plan.unmoved.skipped],
            "to_drain": list(self.plan.to_drain),
            "to_reboot": list(self.plan.to_reboot),
            "warnings": list(self.plan.warnings),
            "overlaps": None
            if self.overlaps is None
            else [{"pool": overlap.pool, "nodes": list(overlap.nodes)} for overlap in self.overlaps],
            "estimate": self.plan.estimate,
            "trust": self.trust.to_dict(),
            "api_servers": list(self.servers.urls),
        }


def plan(
    client: Client,
    pool: Pool,
    target: Target,
    record: Record,
    views: Sequence[NodeView],
    *,
    release: Release | None,
    check: bool = False,
    ssh_keygen: SshKeygen | None = None,
) -> PlannedRollout:
    """Plan the rollout of a target from the pool's nodes, its record and the other pools.

    check: also look for pods that would refuse a drain; a rollout finds them node by node.
    release: knows its changes; without one, the target is compared with what the nodes use. ssh_keygen: verifies for
    nodes that use it, too. Raises RolloutError, KubeError, InvalidBundle.
    """
    others = read_pool_records(client, pool.name)
    overlaps = find_overlaps(client, others, pool.selector)
    if release is None:
        changes = compare_target(client, views, target, pool.disruption_overrides, _OPTION_VALIDATOR)
    else:
        draft, lines = release.draft, render_release(release)
        changes = TargetChanges(
            draft.groups, (), lines, draft.before, draft.after, draft.pool_nodes, release.bundle, draft.left_out
        )
    now = parse_time(current_time()).timestamp()
    endorsement = None if release is None else release.endorsement
    trust = review_plan(changes, target, record, now=now, endorsement=endorsement, ssh_keygen=ssh_keygen)
    disruption = plan_disruption(
        changes.groups, len(changes.pool_nodes.views), reboot=pool.policy.reboot, forbid=pool.policy.disruptions.forbid
    )
    left_out = {**changes.left_out, **disruption.left_out, **trust.left_out}
    leaders = find_leaders(client, pool.policy.gates.leadership, views)
    planned = make_plan(views, pool, target, record, left_out=left_out, last={*leaders.nodes.values()})
    moving = {name for wave in planned.waves if not wave.finished for name in wave.nodes}
    moved_views = [view for view in views if view.name in moving]
    # A release is validated for the versions of the pool file, or else of the nodes; an older bundle is not.
    checks_versions = release is None or pool.kubernetes_versions
    unfit = version_warnings(changes.after, moved_views, _OPTION_VALIDATOR) if checks_versions else ()
    machines = machine_rollouts(others, moving) if planned.has_work else []
    components = {*changes.before, *changes.after}
    outage = find_outage(
        client, changes.groups, components, moving, is_allowed=pool.policy.disruptions.allow_api_outage
    )
    servers = find_api_servers(client, pool.policy) if planned.has_work else OtherApiServers()
    drains = preview_drains(client, moving & set(disruption.to_drain), pool.policy.drain) if check else ()
    planned = replace(
        planned,
        refusals=(
            *planned.refusals,
            *changes.refusals,
            *outage.refusals,
            *(leaders.refusals if planned.has_work else ()),
            *unguarded_changes(changes.groups, components, moving, pool.policy),
            *((*disruption.refusals, *trust.refusals) if planned.has_work else ()),
            *(() if planned.is_resumed else machines),  # that one waits for a rollout that has begun
        ),
        warnings=(
            *planned.warnings,
            *(release.warnings if release is not None else ()),
            *trust.warnings,
            *_left_out_warnings(left_out, moving),
            *(end_warnings(trust, now=now, estimate=planned.estimate) if planned.has_work else ()),
            *unfit,
            *disruption.warnings,
            *outage.warnings,
            *((*leaders.warnings, *leaders.left_out(planned)) if planned.has_work else ()),
            *unjudged_leaders(changes.groups, components, moving, pool.policy),
            *lost_list_items(client, changes.groups, components, moving, changes.after),
            *several_stages(changes.groups, components, moving),
            *faulty_kubelets(changes.groups, components, moved_views),
            *servers.warnings,
            *drains,
            *_approval_warnings(pool, planned),
            *overlap_warnings(overlaps),
            *others.unreadable,
            *(machines if planned.is_resumed else ()),
        ),
        to_drain=disruption.to_drain,
        to_reboot=disruption.to_reboot,
    )
    return PlannedRollout(planned, overlaps, changes, trust, servers)


def _left_out_warnings(left_out: Mapping[str, str], moving: Iterable[str]) -> list[str]:
    """Return a sentence for a node that would be left out, if it were not in the waves of a rollout that has begun."""
    return [f"{name} will fail: {left_out[name]}" for name in moving if name in left_out]


def _approval_warnings(pool: Pool, planned: Plan) -> list[str]:
    """Return a sentence if the policy needs an approval before waves that the plan does not have."""
    names = [wave.name for wave in planned.waves]
    missing = [name for name in pool.policy.approval.waves if name not in (*names, *BROKEN_WAVES)]
    if not missing or not planned.has_work:
        return []
    return [f"policy.approval.before names {', '.join(missing)}, and this rollout has only {', '.join(names)}"]


class PoolRollout:
    """One rollout of a pool: prepare, plan, run. A context manager: it watches the pool's Nodes while it is open.

    check: publish nothing; then do not run. ssh_keygen: signs; None when the pool is not signed. passphrase: of the
    pool's signing key, if it is encrypted.
    """

    def __init__(
        self,
        client: Client,
        pool: Pool,
        options: RunOptions,
        *,
        check: bool = False,
        ssh_keygen: SshKeygen | None = None,
        passphrase: str = "",
    ) -> None:
        self._client = client
        self._pool = pool
        self._report = options.report
        self._check = check
        self._ssh_keygen = ssh_keygen
        self._passphrase = passphrase
        self._runner = PoolRunner(client, pool, options)

    def __enter__(self) -> PoolRollout:
        self._runner.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._runner.__exit__(kind, value, trace)

    def prepare(self, component: str, directory: str, author: str) -> Release:
        """Merge, validate, compare and publish the pool's config.

        component: which the layers configure. directory: which their paths are relative to. Raises ConfigRefused,
        UnusableDocument, InvalidBundle, RolloutError, KubeError.
        """
        pool = self._pool
        publication = Publication(
            pool.name,
            self._documents(component, directory),
            pool.kubernetes_versions,
            pool.disruption_overrides,
            pool.trial if pool.sets_trial else None,
            change_cause=pool.change_cause,
            author=author,
            check=self._check,
            validator=_OPTION_VALIDATOR,
        )
        endorser = self._endorser(directory)
        return prepare(
            self._client,
            publication,
            self._runner.nodes(),
            now=current_time(),
            endorser=endorser,
            refusals_of=None if self._check else self._refusals_of,  # the plan of a check has them, with all else
            trusted_by=self._is_trusted_by,
        )

    def _refusals_of(self, bundle: Bundle, pool_nodes: PoolNodes, record: Record) -> Sequence[str]:
        """Return why nodes would refuse a bundle. Once it is published, its annotations may be out of reach."""
        changes = TargetChanges((), (), (), {}, {}, pool_nodes, bundle)
        now = parse_time(current_time()).timestamp()
        return review_plan(changes, target_of(bundle), record, now=now, ssh_keygen=self._ssh_keygen).refusals

    def _is_trusted_by(self, bundle: Bundle, pool_nodes: PoolNodes) -> bool:
        """Return whether nodes trust a bundle that another party has published."""
        now = parse_time(current_time()).timestamp()
        return is_trusted_by(bundle, pool_nodes, now=now, ssh_keygen=self._ssh_keygen)

    def _endorser(self, directory: str) -> Endorser | None:
        signing = self._pool.signing
        options = SigningOptions(
            _located(signing.key, directory),
            self._passphrase,
            _located(signing.statement_file, directory),
            tuple(_located(path, directory) for path in signing.signature_files),
            StatementOptions(
                signing.sequence,
                signing.floor,
                signing.not_after,
                self._pool.policy.revision_history_limit,
                signing.cluster,
            ),
        )
        if self._ssh_keygen is None or not options.wants_statement:
            return None
        return Endorser(options, self._ssh_keygen, now=current_time(), check=self._check)

    def plan(self, release: Release) -> PlannedRollout:
        """Plan the rollout of a release. Raises RolloutError, KubeError."""
        return self._plan(release.target, read_record(self._client, self._pool.name), release)

    def plan_undo(self, to_revision: int | None) -> PlannedRollout:
        """Plan the undo to a revision, by default to the last good one. Raises RolloutError, KubeError."""
        record = read_record(self._client, self._pool.name)
        target = read_target(self._client, find_undo_revision(record, to_revision))
        return self._plan(target, record, None)

    def plan_reconcile(self) -> PlannedRollout:
        """Plan to move the nodes that are not on the target of the last rollout. Raises RolloutError, KubeError."""
        record = read_record(self._client, self._pool.name)
        if record.rollout is None:
            raise RolloutError(f"pool {self._pool.name} was never rolled out: run configok.node.rollout first")
        if record.rollout.phase == ABORTED:
            raise RolloutError(
                f"the last rollout of pool {self._pool.name} was {record.rollout.reason}; nothing is reconciled until "
                "you run configok.node.rollout or configok.node.undo"
            )
        target = record.rollout.target
        if not target.is_init:
            revision = record.revision_of(target)
            if revision is None:
                raise RolloutError(
                    f"{target.name} is not a revision of pool {self._pool.name}: run configok.node.rollout"
                )
            target = read_target(self._client, revision)
        return self._plan(target, record, None)

    @property
    def has_changed(self) -> bool:
        """Return whether run has changed anything so far, also after an error."""
        return self._runner.has_changed

    def run(self, planned: PlannedRollout) -> list[WaveResult]:
        """Move the pool; the errors are those of PoolRunner.run."""
        self._client.ask_also(planned.servers.urls, self._report_turn)
        return self._runner.run(planned.plan)

    def _report_turn(self, left: str, asked: str) -> None:
        self._report(Progress("", f"the API server {left} does not answer: asking {asked}"))

    def status_lines(self) -> list[str]:
        """Return the state of the pool and of its nodes as a table. Raises RolloutError, KubeError."""
        views = self._runner.nodes()
        status = pool_status(read_record(self._client, self._pool.name), views)
        return render_status(status, views, status["not_fine"])

    def _plan(self, target: Target, record: Record, release: Release | None) -> PlannedRollout:
        return plan(
            self._client,
            self._pool,
            target,
            record,
            self._runner.nodes(),
            release=release,
            check=self._check,
            ssh_keygen=self._ssh_keygen,
        )

    def _documents(self, component: str, directory: str) -> dict[str, SourceDocument]:
        if self._pool.layers:
            files = [os.path.join(directory, os.path.expanduser(layer)) for layer in self._pool.layers]
            return {component: read_layered_document(files, component)}
        if self._pool.documents:
            return read_documents(self._pool.documents, None)
        raise RolloutError(f"pool {self._pool.name} has no config: give layers or documents in the pool file")


def _located(path: str, directory: str) -> str:
    return os.path.join(directory, os.path.expanduser(path)) if path else ""
