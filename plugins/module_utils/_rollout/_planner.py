# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Planning a rollout: nodes, pool, target and record in, the plan out. Pure. Private to configok.node."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from .._nodeconfig._untrusted import sanitize
from ._canary import CanaryChoice, canary_refusals, choose_canary, has_labels, spread_over_zones
from ._node_view import NodeView
from ._plan import BROKEN, CANARY, Plan, SkippedNode, Target, Wave, replace_canary, wave_name
from ._pool_file import Policy, Pool, crash_loop_seconds
from ._record import COMPLETE, MAX_FAILED_NODES, Record, Rollout
from ._versions import COLLECTION_VERSION, agent_fits, is_kubernetes_version

__all__ = ["ADOPTION_SECONDS", "target_has_passed", "is_broken", "skip_reason", "make_plan"]

ADOPTION_SECONDS = 6.0  # what one node takes to fetch, restart and answer: measured on a real kubelet, which restarts
_NAMES_SHOWN = 5
_FAILING = ("Failing", "Suspect")  # causes: a component fails after its trial, or last-known-good fails as well


def skip_reason(view: NodeView, target: Target, *, forget_bad: bool = False) -> str | None:
    """Return why a node is not moved by a rollout to target, in a sentence; None when it is.

    forget_bad: a node that refused the target before is assigned it again.
    """
    if view.deleting:
        return "it is being deleted"
    refused = target.is_published and view.has_answered(target.source) and view.config_ok == "False"
    if refused and not forget_bad:
        return f"it was given this config before: {view.report}"
    if view.status_error:
        return view.report
    if view.kubelet_version and not is_kubernetes_version(view.kubelet_version):
        return f"its kubelet says that its version is {view.kubelet_version[:40]!r}"
    if not view.has_agent:
        return "no agent has ever reported from it"
    if view.status is not None and view.status.cause == "OptedOut":
        return "dynamic configuration is turned off on it"
    if view.status is not None and not agent_fits(view.status.agent_version):
        return f"its agent {sanitize(view.status.agent_version)} does not work with collection {COLLECTION_VERSION}"
    if view.ready is not True and view.config_ok == "True":
        return f"it was not ready before, and not for its config: {view.ready_reason}".rstrip(": ")
    return None


def is_broken(view: NodeView) -> bool:
    """Return whether a rollout can only help a node: it is not Ready, or a component of it is failing now.

    A healthy node that merely refused its last config, or went back from it, is not broken. The state of a component
    that crashes in a loop may be unknown, so the cause that the agent gives counts as well.
    """
    failing = view.status is not None and (
        view.status.cause in _FAILING or any(one.state == "failing" for one in view.status.components.values())
    )
    return view.config_ok != "True" and (view.ready is not True or failing)


def target_has_passed(target: Target, record: Record, already: Iterable[NodeView]) -> bool:
    """Return whether nodes have shown that they are good with target, so that broken nodes may have it at once."""
    if target.is_init or any(view.status is not None and not view.status.in_trial for view in already):
        return True
    complete = [one for one in record.revisions if one.result == COMPLETE]
    return any(one.uid and one.uid == target.uid for one in complete) or any(
        one.content_hash and one.content_hash == target.content_hash for one in complete
    )


def make_plan(nodes: Sequence[NodeView], pool: Pool, target: Target, record: Record) -> Plan:
    """Plan the rollout that takes the pool from where its nodes are to target, or what is left of one that was begun.

    Every node is in exactly one place: a wave, already, left_out (or, of nodes that vanished, gone). The same input in
    any order gives the same plan.
    """
    views = {view.name: view for view in sorted(nodes, key=lambda view: view.name)}
    policy = pool.policy
    revision = record.revision_of(target)
    running = _running(record, target)
    size = running.size if running else len(views)
    sorting = _Sorting(record.lets_nodes_forget(target))
    waves = _frozen(running, views, sorting, policy) if running else ()
    for name in views:
        if name not in sorting.placed:
            sorting.place(views[name], target)
    passed = target_has_passed(target, record, sorting.already)
    chooses_canary = not running or _late_need_canary(waves, sorting)
    if running:
        waves = _with_late(waves, sorting, policy, target, size)
        uncovered: tuple[str, ...] = ()
        warnings: list[str] = []
    else:
        waves, uncovered, warnings = _new_waves(sorting, pool, target, size, lane_first=passed)
    max_unavailable = policy.max_unavailable.at_most(size)
    # The budget is counted from the failures in the record, which is bounded.
    failure_budget = min(policy.failure_budget.at_most(size), MAX_FAILED_NODES - 1)
    moving = any(not wave.finished for wave in waves)
    in_waves = {name for wave in waves for name in wave.nodes}
    refusals = _refusals(pool, target, record, views, in_waves, size) if moving or not views else []
    if moving and chooses_canary:
        candidates = [view.name for view in (*sorting.to_move, *sorting.already)] if sorting.to_move else []
        refusals += canary_refusals([*views.values()], policy.canary.cover, policy.canary.labels, candidates)
    return Plan(
        pool=pool.name,
        target=target,
        revision=0 if target.is_init else revision.number if revision else record.next_revision_number(),
        pool_size=size,
        waves=waves,
        already_on_target=tuple(view.name for view in sorting.already if view.name not in in_waves),
        skipped=tuple(sorting.left_out),
        max_unavailable=max_unavailable,
        failure_budget=failure_budget,
        node_timeout=policy.node_timeout,
        on_failure=policy.on_failure,
        selector=pool.selector,
        uncovered=uncovered,
        vanished=tuple(sorting.gone),
        refusals=tuple(refusals),
        warnings=(*warnings, *_warnings(policy, target, views, moving)),
        estimate=_estimate(waves, max_unavailable),
        is_resumed=running is not None,
        target_has_passed=passed,
    )


@dataclass
class _Sorting:
    """Where each node belongs, found node by node."""

    forget_bad: bool
    placed: set[str] = field(default_factory=set)
    to_move: list[NodeView] = field(default_factory=list)
    broken: list[NodeView] = field(default_factory=list)
    already: list[NodeView] = field(default_factory=list)
    left_out: list[SkippedNode] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)

    def place(self, view: NodeView, target: Target) -> None:
        self.placed.add(view.name)
        reason = skip_reason(view, target, forget_bad=self.forget_bad)
        if target.is_published and view.is_on(target.source) and not view.deleting:
            self.already.append(view)
        elif reason is not None:
            self.left_out.append(SkippedNode(view.name, reason))
        elif is_broken(view):
            self.broken.append(view)
        else:
            self.to_move.append(view)


def _running(record: Record, target: Target) -> Rollout | None:
    rollout = record.rollout
    return rollout if rollout is not None and not rollout.has_ended and rollout.is_for(target) else None


def _frozen(running: Rollout, views: dict[str, NodeView], sorting: _Sorting, policy: Policy) -> tuple[Wave, ...]:
    waves = []
    for number, wave in enumerate(running.waves):
        there = tuple(name for name in wave.nodes if name in views and not views[name].deleting)
        sorting.gone.extend(name for name in wave.nodes if name not in views)
        sorting.placed.update(there)
        waves.append(Wave(wave.name, there, wave.soak, number < running.waves_done))
    place = running.waves_done
    if place == len(waves) or waves[place].name != CANARY:
        return tuple(waves)
    lost = len(running.waves[place].nodes) - len(waves[place].nodes)
    return _with_canaries(waves, place, lost, views, running.target, policy)


def _with_canaries(
    waves: list[Wave], place: int, lost: int, views: dict[str, NodeView], target: Target, policy: Policy
) -> tuple[Wave, ...]:
    """Replace canaries that have vanished by nodes of later waves."""
    canary = waves[place]
    later = [views[name] for wave in waves[place + 1 :] if wave.name != BROKEN for name in wave.nodes]
    choice = choose_canary(
        [view for view in later if not is_broken(view) and skip_reason(view, target) is None],
        lost,
        policy.canary.cover,
        policy.canary.labels,
        existing=[views[name] for name in canary.nodes],
    )
    return replace_canary(tuple(waves), place, canary.nodes + choice.nodes)


def _late_need_canary(waves: tuple[Wave, ...], sorting: _Sorting) -> bool:
    """Return whether nodes that have appeared since get a canary: all waves so far are the lane's."""
    return bool(sorting.to_move) and bool(waves) and all(wave.name == BROKEN for wave in waves)


def _with_late(
    waves: tuple[Wave, ...], sorting: _Sorting, policy: Policy, target: Target, size: int
) -> tuple[Wave, ...]:
    """Return the waves with the nodes that have appeared since: in the last one, but never in the lane.

    Nothing stops the lane, so after it they get a wave of their own, and a canary where there was none.
    """
    late = tuple(view.name for view in (*sorting.broken, *spread_over_zones(sorting.to_move)))
    if not late or not waves:
        return waves
    last = waves[-1]
    if last.name != BROKEN:
        return (*waves[:-1], Wave(last.name, last.nodes + late, last.soak, False))
    canary: tuple[str, ...] = ()
    if _late_need_canary(waves, sorting):
        canary = _choose_canary(sorting, policy, size).nodes
    rest = tuple(name for name in late if name not in canary)
    own = (Wave(CANARY, canary, policy.canary_soak(target.trial)), Wave(wave_name(1), rest, policy.soak))
    return (*waves, *(wave for wave in own if wave.nodes))


def _new_waves(
    sorting: _Sorting, pool: Pool, target: Target, size: int, *, lane_first: bool
) -> tuple[tuple[Wave, ...], tuple[str, ...], list[str]]:
    policy = pool.policy
    waves: list[Wave] = []
    warnings: list[str] = []
    canary_soak = policy.canary_soak(target.trial)
    lane = [Wave(BROKEN, tuple(view.name for view in sorting.broken), policy.soak)] if sorting.broken else []
    if lane_first:
        waves += lane
    canary = _choose_canary(sorting, policy, size)
    if canary.nodes:
        waves.append(Wave(CANARY, canary.nodes, canary_soak))
    if not lane_first:
        waves += lane
    if len(canary.nodes) > 1 and len(canary.nodes) == len(sorting.to_move) == size:
        warnings.append(f"the canary of {len(canary.nodes)} is the whole pool")
    chosen = set(canary.nodes)
    rest = [view.name for view in spread_over_zones(sorting.to_move) if view.name not in chosen]
    reached = len({*chosen, *(view.name for view in (*sorting.already, *sorting.broken))})
    number = 0
    for amount in (*policy.waves, None):
        part = len(rest) if amount is None else min(len(rest), amount.at_least(size) - reached)
        if part > 0:
            number += 1
            waves.append(Wave(wave_name(number), tuple(rest[:part]), policy.soak))
            rest = rest[part:]
            reached += part
    return tuple(waves), canary.uncovered, warnings


def _choose_canary(sorting: _Sorting, policy: Policy, size: int) -> CanaryChoice:
    """Choose the canary among the nodes that are to move, and those that are in their trial on the target."""
    count = max(1, policy.canary.count.at_least(size))
    candidates = [*sorting.to_move, *_in_trial(sorting, policy.canary.labels)]
    return choose_canary(candidates, count, policy.canary.cover, policy.canary.labels)


def _in_trial(sorting: _Sorting, labels: Mapping[str, str]) -> list[NodeView]:
    """Return the nodes that are the canary although they use the target already: those with its labels, when no node
    that is to move has them. While they are in their trial they have shown nothing yet.
    """
    if not sorting.to_move or any(has_labels(view, labels) for view in sorting.to_move):
        return []
    return [view for view in sorting.already if view.status is not None and view.status.in_trial]


def _refusals(
    pool: Pool, target: Target, record: Record, views: dict[str, NodeView], in_waves: set[str], size: int
) -> list[str]:
    policy = pool.policy
    refusals = []
    if not views:
        return [f"no Node matches the selector {pool.selector!r} of pool {pool.name}"]
    bad = record.refusal(target)
    if bad is not None:
        refusals.append(bad)
    limit = policy.max_unavailable.at_most(size)
    if limit >= size > 1:
        refusals.append(
            f"maxUnavailable {policy.max_unavailable} allows everything: all {size} nodes of pool {pool.name} at once"
        )
    if policy.failure_budget.at_most(size) >= size > 1:
        refusals.append(
            f"failureBudget {policy.failure_budget} allows everything: all {size} nodes of pool {pool.name} could fail"
        )
    # Nodes that the rollout itself may bring back do not stand in its way: a broken pool can be fixed.
    down = [name for name, view in views.items() if view.ready is not True and name not in in_waves]
    if len(down) >= limit and any(views[name].ready is True for name in in_waves if name in views):
        refusals.append(
            f"{_nodes(len(down))} down already ({_some(down)}), and maxUnavailable {policy.max_unavailable} "
            f"of {size} is {limit}: no other node may be moved"
        )
    if target.trial is not None:
        needed = crash_loop_seconds(policy, target.trial)
        if policy.node_timeout < needed:
            refusals.append(f"nodeTimeout {policy.node_timeout:g}s is shorter than a crash loop takes, {needed:g}s")
    return refusals


def _warnings(policy: Policy, target: Target, views: dict[str, NodeView], moving: bool) -> Iterable[str]:
    if not moving:
        return
    if target.trial is not None and policy.canary_soak(target.trial) < target.trial.duration:
        yield (
            f"THE CANARY'S SOAK OF {policy.canary_soak(target.trial):g}s IS SHORTER THAN THE TRIAL OF "
            f"{target.trial.duration:g}s: what fails later in its trial fails on all waves"
        )
    without: Counter[str] = Counter()
    for view in views.values():
        if view.status is not None and view.status.components:
            without.update(set(target.components) - set(view.status.components))
    for component, count in sorted(without.items()):
        yield f"{count} of {len(views)} nodes do not run {component}: they ignore that part of the bundle"


def _estimate(waves: Iterable[Wave], max_unavailable: int) -> float:
    at_once = max(1, max_unavailable)
    return sum(-(-len(wave.nodes) // at_once) * ADOPTION_SECONDS + wave.soak for wave in waves if not wave.finished)


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_NAMES_SHOWN])
    return shown if len(names) <= _NAMES_SHOWN else f"{shown} and {len(names) - _NAMES_SHOWN} more"


def _nodes(count: int) -> str:
    return "1 node is" if count == 1 else f"{count} nodes are"
