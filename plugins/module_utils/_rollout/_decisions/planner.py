# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plan a rollout from nodes, pool, target and record. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ..._nodeconfig.config_status import Cause
from ..._text import count_of, first_names, sanitize
from .._drain.cordon import marking_pool
from .._nodes.node_goals import has_reached, unmet
from .._nodes.node_view import NodeView
from .._pool.policy import Policy
from .._pool.pool_file import Pool
from .._record.record import COMPLETE, MAX_FAILED_NODES, Record, Rollout
from ..goals import Goal, MachineGoal
from ..plan import (
    BROKEN,
    BROKEN_CANARY,
    BROKEN_WAVES,
    CANARY,
    Plan,
    PlanLimits,
    Proof,
    SkippedNode,
    Target,
    UnmovedNodes,
    Wave,
    replace_canary,
    wave_name,
)
from ._canary import CanaryChoice, canary_refusals, choose_canary, has_labels, kinds_of_change, spread_over_zones
from .skipped import skip_reason

ADOPTION_SECONDS = 6.0  # for one node to fetch, restart and answer: measured on a real kubelet, which restarts
_NAMES_SHOWN = 5
_FIELDS_SHOWN = 10
_FAILING_CAUSES = (Cause.FAILING, Cause.SUSPECT)  # while ConfigOK is False: also last-known-good fails


def is_broken(view: NodeView) -> bool:
    """Return whether a rollout can only help a node: the node is not Ready, or one of its components is failing now.

    A healthy node that merely refused its last config, or rolled it back, is not broken. The state of a component
    that crashes in a loop may be unknown, so the cause in the agent's status counts as well.
    """
    is_failing = view.answer.status is not None and (
        (view.answer.status.cause in _FAILING_CAUSES and view.answer.config_ok == "False")
        or any(component.state == "failing" for component in view.answer.status.components.values())
    )
    return view.ready is not True or (is_failing and view.answer.config_ok != "True")


def is_down_for_another_reason(view: NodeView) -> bool:
    """Return whether a node is not Ready although it is fine with its config. A config may not help it."""
    return view.ready is not True and view.answer.config_ok == "True"


def target_has_passed(target: Target, record: Record, already_on_target: Iterable[NodeView]) -> bool:
    """Return whether nodes have already passed on the target, so that broken nodes can move first."""
    complete = [revision for revision in record.revisions if revision.result == COMPLETE]
    if target.is_machines:  # a machine that needs no change has proven nothing
        return any(revision.is_of(target) for revision in complete)
    if target.is_init or any(
        view.ready is True and view.answer.status is not None and not view.answer.status.in_trial
        for view in already_on_target
    ):
        return True
    return any(revision.uid and revision.uid == target.uid for revision in complete) or any(
        revision.content_hash and revision.content_hash == target.content_hash for revision in complete
    )


def make_plan(
    nodes: Sequence[NodeView],
    pool: Pool,
    target: Target,
    record: Record,
    *,
    left_out: Mapping[str, str] | None = None,
    last: Collection[str] = (),
) -> Plan:
    """Plan the rollout that moves the pool to target, or the rest of a rollout that has started.

    Every node is in exactly one of the plan's parts: a wave, already_on_target, skipped, or vanished. The order of the
    nodes does not matter. left_out: nodes that a new rollout skips for another reason, with the reason. last: nodes
    that a new rollout moves after all others.
    """
    views = {view.name: view for view in sorted(nodes, key=lambda view: view.name)}
    policy = pool.policy
    running = _rollout_to_resume(record, target)
    size = running.size if running else len(views)
    sorter = _NodeSorter(pool.name, record.lets_nodes_forget(target), running is not None, left_out or {})
    waves = _resume_waves(running, views, sorter, policy, target) if running else ()
    for name in views:
        if name not in sorter.sorted_names:
            sorter.sort(views[name], target)
    has_passed = target_has_passed(target, record, sorter.already_on_target)
    chooses_canary = not running or _new_nodes_need_canary(waves, sorter)
    if running:
        waves = _add_new_nodes(waves, sorter, policy, target, size)
        uncovered: tuple[str, ...] = ()
        warnings: list[str] = []
    else:
        sorter.delete_first_if_alone()
        waves, uncovered, warnings = _cut_waves(sorter, pool, target, size, last, broken_first=has_passed)
    capacity = _capacity(waves, views, target, size)
    # Fewer nodes than at the start of a rollout allow fewer to be unavailable.
    max_unavailable = policy.max_unavailable.as_limit(min(capacity, len(views)))
    # The failures are counted from the record, which keeps a limited number of them.
    failure_budget = min(policy.failure_budget.as_limit(size), MAX_FAILED_NODES - 1)
    has_work = any(not wave.finished for wave in waves)
    # Machines that are declared as before are another revision if they have to be changed for it.
    is_declared = target.is_machines and has_work
    revision = record.declared_revision(target) if is_declared else record.revision_of(target)
    in_waves = {name for wave in waves for name in wave.nodes}
    in_broken_wave = {view.name for view in sorter.broken}
    repairable = {name for name in in_waves if not (name in in_broken_wave and is_down_for_another_reason(views[name]))}
    refusals = _refusals(pool, target, record, views, repairable, size, capacity) if has_work or not views else []
    if has_work and chooses_canary:
        movable = (*sorter.to_move, *sorter.already_on_target) if sorter.to_move else ()
        candidates = [view.name for view in movable]
        refusals += canary_refusals([*views.values()], policy.canary.cover, policy.canary.labels, candidates)
    return Plan(
        pool=pool.name,
        selector=pool.selector,
        target=target,
        revision=0 if target.is_init else revision.number if revision else record.next_revision_number(),
        pool_size=size,
        waves=waves,
        unmoved=UnmovedNodes(
            tuple(view.name for view in sorter.already_on_target if view.name not in in_waves),
            tuple(sorter.skipped),
            tuple(sorter.vanished),
            tuple(left_out or ()),
        ),
        limits=PlanLimits(max_unavailable, failure_budget, policy.answer.timeout, policy.on_failure),
        proof=Proof(has_passed, any(view.ready is True for view in sorter.already_on_target)),
        uncovered=uncovered,
        refusals=tuple(refusals),
        warnings=(*warnings, *_warnings(policy, target, views, has_work)),
        estimate=_estimate(waves, max_unavailable),
        is_resumed=running is not None,
    )


@dataclass
class _NodeSorter:
    """Sorts nodes into the parts of a plan, one by one. is_resumed: the nodes are new to a rollout that has begun."""

    pool: str
    forget_bad: bool
    is_resumed: bool
    left_out: Mapping[str, str]
    sorted_names: set[str] = field(default_factory=set)
    to_move: list[NodeView] = field(default_factory=list)
    broken: list[NodeView] = field(default_factory=list)
    to_delete: list[NodeView] = field(default_factory=list)
    already_on_target: list[NodeView] = field(default_factory=list)
    skipped: list[SkippedNode] = field(default_factory=list)
    vanished: list[str] = field(default_factory=list)

    def sort(self, view: NodeView, target: Target) -> None:
        self.sorted_names.add(view.name)
        reason = skip_reason(view, target, forget_bad=self.forget_bad) or self.left_out.get(view.name)
        goal = target.goal(view.name)
        is_deleted = goal is not None and goal.is_deletion
        if reason is None and self.is_resumed and is_broken(view) and not is_deleted:
            reason = "it is broken, and appeared after the rollout began: run it again afterwards"
        is_reached = target.is_published and goal is not None and has_reached(view if view.uid else None, goal)
        if is_reached and not self._is_left_half_done(view, goal) and (is_deleted or not view.deleting):
            self.already_on_target.append(view)
        elif reason is not None:
            self.skipped.append(SkippedNode(view.name, reason))
        elif goal is not None and self._is_unchanged(view, goal):
            self.already_on_target.append(view)
        elif is_deleted:
            self.to_delete.append(view)
        elif is_broken(view):
            self.broken.append(view)
        else:
            self.to_move.append(view)

    def _is_unchanged(self, view: NodeView, goal: Goal) -> bool:
        """Return whether a machine is as declared, even if its node is down: a run has nothing to do with it."""
        if not goal.changes_machine or goal.has_work_on_host or (self.forget_bad and view.answer.config_ok == "False"):
            return False
        is_as_declared = view.is_assigned(goal.source) and not unmet(view, goal)
        return is_as_declared and not self._is_left_half_done(view, goal)

    def _is_left_half_done(self, view: NodeView, goal: Goal | None) -> bool:
        """Return whether a rollout that is over has left a machine cordoned: its host may be half changed."""
        return goal is not None and goal.changes_machine and marking_pool(view) == self.pool

    def delete_first_if_alone(self) -> None:
        """Let machines be deleted with a canary and waves where nothing else is to be done."""
        if not self.to_move and not self.broken:
            self.to_move, self.to_delete = self.to_delete, []


def _rollout_to_resume(record: Record, target: Target) -> Rollout | None:
    rollout = record.open_rollout
    return rollout if rollout is not None and rollout.is_for(target) else None


def _is_leaving(view: NodeView, target: Target) -> bool:
    """Return whether a Node is on its way out, and not by its rollout."""
    goal = target.goal(view.name)
    return bool(view.leaving) and not (goal is not None and goal.makes_or_deletes_node)


def _resume_waves(
    running: Rollout, views: dict[str, NodeView], sorter: _NodeSorter, policy: Policy, target: Target
) -> tuple[Wave, ...]:
    """Return the frozen waves with the nodes that exist, and replacements for vanished canaries."""
    waves = []
    for number, wave in enumerate(running.waves):
        present = tuple(name for name in wave.nodes if name in views and not _is_leaving(views[name], target))
        sorter.vanished.extend(name for name in wave.nodes if name not in views)
        sorter.sorted_names.update(present)
        waves.append(Wave(wave.name, present, wave.soak, number < running.waves_done))
    position = running.waves_done
    if position == len(waves) or waves[position].name != CANARY:
        return tuple(waves)
    vanished_count = len(running.waves[position].nodes) - len(waves[position].nodes)
    return _replace_vanished_canaries(waves, position, vanished_count, views, target, policy)


def _replace_vanished_canaries(
    waves: list[Wave],
    position: int,
    vanished_count: int,
    views: dict[str, NodeView],
    target: Target,
    policy: Policy,
) -> tuple[Wave, ...]:
    """Replace canaries that have vanished by nodes of later waves."""
    canary = waves[position]
    later = [views[name] for wave in waves[position + 1 :] if wave.name not in BROKEN_WAVES for name in wave.nodes]
    choice = choose_canary(
        [view for view in later if not is_broken(view) and skip_reason(view, target) is None],
        vanished_count,
        policy.canary.cover,
        policy.canary.labels,
        existing=[views[name] for name in canary.nodes],
    )
    return replace_canary(tuple(waves), position, canary.nodes + choice.nodes)


def _new_nodes_need_canary(waves: tuple[Wave, ...], sorter: _NodeSorter) -> bool:
    """Return whether nodes that have appeared since get a canary: all waves so far are those of broken nodes."""
    return bool(sorter.to_move) and bool(waves) and all(wave.name in BROKEN_WAVES for wave in waves)


def _add_new_nodes(
    waves: tuple[Wave, ...], sorter: _NodeSorter, policy: Policy, target: Target, size: int
) -> tuple[Wave, ...]:
    """Return the waves with the nodes that have appeared since, in the last wave.

    A wave of broken nodes takes none of them, since no failure stops it. After it, they get a wave of their own, and a
    canary if there was none.
    """
    new_nodes = tuple(view.name for view in (*spread_over_zones(sorter.to_move), *sorter.to_delete))
    if not new_nodes or not waves:
        return waves
    last = waves[-1]
    if last.name not in BROKEN_WAVES:
        return (*waves[:-1], Wave(last.name, last.nodes + new_nodes, last.soak, False))
    canary: tuple[str, ...] = ()
    if _new_nodes_need_canary(waves, sorter):
        canary = _choose_canary(sorter, policy, size, target).nodes
    rest = tuple(name for name in new_nodes if name not in canary)
    new_waves = (Wave(CANARY, canary, policy.canary_soak(target.trial)), Wave(wave_name(1), rest, policy.soak))
    return (*waves, *(wave for wave in new_waves if wave.nodes))


def _cut_waves(
    sorter: _NodeSorter, pool: Pool, target: Target, size: int, last: Collection[str], *, broken_first: bool
) -> tuple[tuple[Wave, ...], tuple[str, ...], list[str]]:
    """Return the waves of a new rollout, the combinations that its canary does not cover, and warnings."""
    policy = pool.policy
    waves: list[Wave] = []
    warnings: list[str] = []
    canary_soak = policy.canary_soak(target.trial)
    canary = _choose_canary(sorter, policy, size, target, last)
    needs_canary = not broken_first and not canary.nodes
    broken_waves = _cut_lane(sorter.broken, policy, size, canary_soak if needs_canary else None)
    if broken_first:
        waves += broken_waves
    if canary.nodes:
        waves.append(Wave(CANARY, canary.nodes, canary_soak))
    if not broken_first:
        waves += broken_waves
    if len(canary.nodes) > 1 and len(canary.nodes) == len(sorter.to_move) == size:
        warnings.append(f"the canary of {len(canary.nodes)} is the whole pool")
    chosen = set(canary.nodes)
    rest = [view.name for view in spread_over_zones(sorter.to_move) if view.name not in chosen]
    rest.sort(key=lambda name: name in last)
    reached = len({*chosen, *(view.name for view in (*sorter.already_on_target, *sorter.broken))})
    number = 0
    for goal in (*policy.waves, None):
        count = len(rest) if goal is None else min(len(rest), goal.as_goal(size) - reached)
        if count > 0:
            number += 1
            waves.append(Wave(wave_name(number), tuple(rest[:count]), policy.soak))
            rest = rest[count:]
            reached += count
    if sorter.to_delete:  # last, when the capacity of what is created is there
        deleted = tuple(view.name for view in spread_over_zones(sorter.to_delete))
        waves.append(Wave(wave_name(number + 1), deleted, policy.soak))
    return tuple(waves), canary.uncovered, warnings


def _cut_lane(broken: Sequence[NodeView], policy: Policy, size: int, canary_soak: float | None) -> list[Wave]:
    """Return the waves of the broken nodes.

    canary_soak: seconds, for a canary of their own where no other node shows first that the config is good; else None.
    """
    canary: tuple[str, ...] = ()
    if canary_soak is not None:
        canary = choose_canary(broken, max(1, policy.canary.count.as_goal(size)), policy.canary.cover, {}).nodes
    rest = tuple(view.name for view in broken if view.name not in canary)
    waves = (Wave(BROKEN_CANARY, canary, canary_soak or 0.0), Wave(BROKEN, rest, policy.soak))
    return [wave for wave in waves if wave.nodes]


def _choose_canary(
    sorter: _NodeSorter, policy: Policy, size: int, target: Target, last: Collection[str] = ()
) -> CanaryChoice:
    """Choose the canary among the nodes to move, and the nodes that are in their trial on the target.

    Of Machines, it has one of each kind of change as far as the count goes, the heaviest first. last: the nodes that
    are in it only if there is no other.
    """
    count = max(1, policy.canary.count.as_goal(size))
    cover, labels = policy.canary.cover, policy.canary.labels
    candidates = [*sorter.to_move, *_candidates_in_trial(sorter, labels)]
    if any(view.name not in last and has_labels(view, labels) for view in candidates):
        candidates = [view for view in candidates if view.name not in last]
    kinds = kinds_of_change(sorter.to_move, target)
    of_kinds = [
        view
        for members in kinds.values()
        for view in members
        if view.name in choose_canary(members, 1, cover, labels).nodes
    ][:count]
    rest = [view for view in candidates if view not in of_kinds]
    choice = choose_canary(rest, count - len(of_kinds), cover, labels, existing=of_kinds)
    chosen = {*(view.name for view in of_kinds), *choice.nodes}
    uncovered = [
        f"{kind} ({count_of(len(members), 'machine')})"
        for kind, members in kinds.items()
        if not chosen & {view.name for view in members}
    ]
    return CanaryChoice((*(view.name for view in of_kinds), *choice.nodes), (*uncovered, *choice.uncovered))


def _candidates_in_trial(sorter: _NodeSorter, labels: Mapping[str, str]) -> list[NodeView]:
    """Return nodes that are candidates although they use the target already.

    These are the nodes in their trial, which have not passed yet; they count only when no node to move has the labels.
    """
    if not sorter.to_move or any(has_labels(view, labels) for view in sorter.to_move):
        return []
    return [view for view in sorter.already_on_target if view.in_trial]


def _capacity(waves: Iterable[Wave], views: Mapping[str, NodeView], target: Target, size: int) -> int:
    """Return the number of nodes that maxUnavailable is about.

    Machines that are yet to be created carry nothing, so that they do not count while Nodes are drained or configured.
    """
    existing = {name for name, view in views.items() if view.uid}
    moving = {name for wave in waves if not wave.finished for name in wave.nodes}
    if not any(_is_touched(views[name], target.goals.get(name)) for name in existing & moving):
        return size
    return min(size, len(existing))


def _is_touched(view: NodeView, goal: MachineGoal | None) -> bool:
    """Return whether a machine gets more than labels and taints."""
    return goal is not None and (goal.needs_host or goal.needs_drain or not view.is_assigned(goal.source))


def _refusals(
    pool: Pool,
    target: Target,
    record: Record,
    views: dict[str, NodeView],
    repairable: set[str],
    size: int,
    capacity: int,
) -> list[str]:
    """Return why a plan must not be carried out.

    repairable: the nodes of waves that do not count as down. capacity: the number that maxUnavailable is about.
    """
    policy = pool.policy
    refusals = []
    if not views:
        return [
            "there is no Machine to plan for"
            if target.is_machines
            else f"no Node matches the selector {pool.selector!r} of pool {pool.name}"
        ]
    if record.rollout is not None and record.rollout.target.is_machines is not target.is_machines:
        kinds = {True: "a rollout of Machines", False: "a pool"}
        owner, other = kinds[not target.is_machines], kinds[target.is_machines]
        refusals.append(f"the record {pool.name} is that of {owner}: give {other} another name")
    refusal = record.refusal(target)
    if refusal is not None:
        refusals.append(refusal)
    limit = policy.max_unavailable.as_limit(capacity)
    if limit >= capacity > 1:
        nodes = f"all {capacity} nodes of pool {pool.name}"
        refusals.append(f"maxUnavailable {policy.max_unavailable} allows everything: {nodes} at once")
    if policy.failure_budget.as_limit(size) >= size > 1:
        refusals.append(
            f"failureBudget {policy.failure_budget} allows everything: all {size} nodes of pool {pool.name} could fail"
        )
    # Nodes that the rollout may repair do not count: a broken pool can be fixed.
    not_ready = [name for name, view in views.items() if view.is_down and name not in repairable]
    if len(not_ready) >= limit and any(views[name].ready is True for name in repairable if name in views):
        nodes = f"{count_of(len(not_ready), 'node')} {'is' if len(not_ready) == 1 else 'are'}"
        refusals.append(
            f"{nodes} down already ({first_names(not_ready, _NAMES_SHOWN)}), and maxUnavailable "
            f"{policy.max_unavailable} of {capacity} is {limit}: no other node may be moved; bring them back, or allow "
            "more"
        )
    if target.trial is not None:
        needed = policy.answer.crash_loop(target.trial)
        if policy.answer.timeout < needed:
            refusals.append(f"nodeTimeout {policy.answer.timeout:g}s is shorter than a crash loop takes, {needed:g}s")
    return refusals


def _warnings(policy: Policy, target: Target, views: dict[str, NodeView], has_work: bool) -> Iterable[str]:
    if not has_work:
        return
    if target.trial is not None and policy.canary_soak(target.trial) < target.trial.duration:
        yield (
            f"THE CANARY'S SOAK OF {policy.canary_soak(target.trial):g}s IS SHORTER THAN THE TRIAL OF "
            f"{target.trial.duration:g}s: what fails later in its trial fails on all waves"
        )
    missing: Counter[str] = Counter()
    for view in views.values():
        if view.answer.status is not None and view.answer.status.components:
            missing.update(set(target.components) - set(view.answer.status.components))
    for component, count in sorted(missing.items()):
        yield f"{count} of {len(views)} nodes do not run {component}: they ignore that part of the bundle"
    yield from _shadowed_fields(target, views.values())


def _shadowed_fields(target: Target, views: Iterable[NodeView]) -> Iterator[str]:
    """Yield a sentence for each field that a flag or a drop-in of nodes overrides, as their agents report it."""
    nodes_by_field: dict[tuple[str, str], list[str]] = {}
    for view in views:
        for name, component in view.answer.status.components.items() if view.answer.status is not None else ():
            for shadowed in component.shadowed if name in target.components else ():
                nodes_by_field.setdefault((name, shadowed), []).append(view.name)
    fields = sorted(nodes_by_field.items())
    for (component_name, shadowed), names in fields[:_FIELDS_SHOWN]:
        nodes = f"{count_of(len(names), 'node')} ({first_names(names, _NAMES_SHOWN)})"
        yield f"{component_name} {sanitize(shadowed)} overrides the bundle on {nodes}"
    if fields[_FIELDS_SHOWN:]:
        yield f"{count_of(len(fields) - _FIELDS_SHOWN, 'more field')} overrides the bundle on some nodes"


def _estimate(waves: Iterable[Wave], max_unavailable: int) -> float:
    at_once = max(1, max_unavailable)
    return sum(-(-len(wave.nodes) // at_once) * ADOPTION_SECONDS + wave.soak for wave in waves if not wave.finished)
