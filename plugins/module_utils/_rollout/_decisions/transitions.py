# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The transitions of a rollout, as changes of its record. Pure: the runner writes each one before it acts on it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from ..._text import count_of
from .. import LockLost, RolloutError, RolloutRefused
from .._nodes.node_goals import has_reached
from .._nodes.node_view import NodeView
from .._record._control import Control
from .._record.record import (
    ASK_OPERATOR,
    ASK_OPERATOR_OF_MACHINES,
    COMPLETE,
    DRIFTED,
    HALTED,
    MAX_FAILED_NODES,
    PAUSED,
    PLANNED,
    SIGN_AGAIN,
    SOAKING,
    SUPERSEDED,
    UNPROVEN,
    FailedNode,
    PresentWave,
    PreviousMachine,
    Record,
    Rollout,
    RolloutStart,
    moving_phase,
)
from ..plan import BROKEN_CANARY, BROKEN_WAVES, CANARY, Plan, Target, Wave, replace_canary
from ._ending import complete, with_missed
from .control_requests import abort_rollout
from .planner import is_broken, is_down_for_another_reason
from .skipped import skip_reason
from .wave_limits import WaveOutcome, WindowStep


def start_rollout(record: Record, plan: Plan, views: Sequence[NodeView], now: str) -> Record:
    """Freeze the plan's waves, unless the record is in this rollout or has completed it. Raises RolloutRefused."""
    rollout = record.rollout
    forget_bad = record.lets_nodes_forget(plan.target)
    if rollout is not None and rollout.is_for(plan.target):
        planned = {name for wave in plan.waves for name in wave.nodes}
        has_nodes_to_move = any(view.name in planned and _needs_move(view, plan.target, forget_bad) for view in views)
        has_nodes_to_move = has_nodes_to_move or bool(_missing_machines(plan.target, planned, views))
        if not rollout.has_ended or (rollout.phase == COMPLETE and not has_nodes_to_move):
            return record
    refusal = record.refusal(plan.target)
    if refusal is not None:
        raise RolloutRefused([refusal])
    record = _mark_superseded(record)
    by_name = {view.name: view for view in views}
    started = Rollout(
        revision=plan.revision,
        target=plan.target,
        phase=PLANNED,
        waves=plan.waves,
        size=plan.pool_size,
        started_at=now,
        changed_at=now,
        start=RolloutStart(
            selector=plan.selector,
            forget_bad=forget_bad,
            already_on_target=plan.unmoved.already_on_target,
            previous_sources={
                name: by_name[name].active for wave in plan.waves for name in wave.nodes if name in by_name
            },
            previous_machines=_previous_machines(plan, views),
        ),
    )
    return replace(record.with_clearing_used(plan.target), rollout=started)


def _missing_machines(target: Target, names: Iterable[str], views: Iterable[NodeView]) -> list[str]:
    """Return the machines of these names that have no Node, and are to have one."""
    present = {view.name for view in views}
    goals = {name: target.goal(name) for name in names if name not in present} if target.is_machines else {}
    return [name for name, goal in goals.items() if goal is not None and not goal.is_deletion]


def _previous_machines(plan: Plan, views: Iterable[NodeView]) -> dict[str, PreviousMachine]:
    """Return the Nodes that the machines of the waves have when their rollout starts."""
    if not plan.target.is_machines:
        return {}
    names = {name for wave in plan.waves for name in wave.nodes}
    return {view.name: _previous_machine(view, plan.target) for view in views if view.name in names}


def _previous_machine(view: NodeView, target: Target) -> PreviousMachine:
    """Return what a Node was; the goal can know more of its versions than the Node reports."""
    goal = target.goals.get(view.name)
    known = {} if goal is None else goal.previous
    runtime_name, runtime_version = known.get("runtime") or view.system.runtime
    kubelet = str(known.get("kubelet") or view.system.kubelet_version)
    return PreviousMachine(view.uid, kubelet, str(runtime_name), str(runtime_version))


def hold(record: Record, reason: str, *, runner: str, now: str) -> Record:
    """Record that this runner waits, before a wave or in it, and for what."""
    rollout = current_rollout(record)
    if rollout.is_rolling_back:
        return record
    held = replace(rollout, phase=PAUSED, reason=reason, runner=runner, changed_at=now)
    return replace(record, rollout=held).with_result(rollout.revision, PAUSED)


def go_on(record: Record, wave: str, *, now: str) -> Record:
    """Record that the wave in which the runner has waited moves again."""
    rollout = current_rollout(record)
    if rollout.phase != PAUSED:
        return record
    return replace(record, rollout=replace(rollout, phase=moving_phase(wave), reason="", changed_at=now))


def enter_wave(
    record: Record, plan: Plan, position: int, views: Sequence[NodeView], *, runner: str, now: str
) -> Record:
    """Enter the wave at this position, for the first time or again: phase, runner, and nodes that are not Ready.

    The last wave takes in nodes that have appeared since the waves were frozen. The wave of broken nodes does not: the
    plan's waves after it are appended, and nodes that appear later are left to the next rollout.
    """
    rollout = current_rollout(record)
    waves = _append_new_waves(rollout, plan)
    sources = dict(rollout.start.previous_sources)
    known = {name for wave in waves for name in wave.nodes}
    sources.update({view.name: view.active for view in views if view.name in known and view.name not in sources})
    if position == len(waves) - 1 and waves[position].name not in BROKEN_WAVES:
        new_nodes = [
            view
            for view in _new_nodes(rollout, plan.target, waves, sorted(views, key=lambda view: view.name))
            if not is_broken(view) and view.name not in plan.unmoved.left_out
        ]
        waves = (*waves[:-1], replace(waves[-1], nodes=waves[-1].nodes + tuple(view.name for view in new_nodes)))
        sources.update({view.name: view.active for view in new_nodes})
    present_wave = rollout.present_wave
    if not present_wave.assigned_up_to:  # it is entered for the first time
        present_wave = PresentWave(0, tuple(view.name for view in views if view.ready is not True))
    if waves[position].name == CANARY:
        # A machine that is created, replaced or deleted may have no Node.
        present = {view.name for view in views} | plan.target.machines_to("create", "replace", "delete")
        waves, assigned_up_to = _replace_vanished_canaries(replace(rollout, waves=waves), plan, position, present)
        present_wave = replace(present_wave, assigned_up_to=assigned_up_to)
    begun = {name for wave in rollout.waves for name in wave.nodes}  # their Nodes may be new ones of this rollout
    late = _previous_machines(replace(plan, waves=waves), [view for view in views if view.name not in begun])
    entered = replace(
        _strike_out_vanished(rollout, waves[position]).without_failed_nodes(frozenset(waves[position].nodes)),
        phase=moving_phase(waves[position].name),
        waves=waves,
        start=replace(
            rollout.start,
            previous_sources=sources,
            previous_machines={**rollout.start.previous_machines, **late},
        ),
        present_wave=present_wave,
        runner=runner,
        reason="",
        changed_at=now,
    )
    return replace(record, rollout=entered)


def _strike_out_vanished(rollout: Rollout, wave: Wave) -> Rollout:
    """Return the rollout in which nodes that this wave has lost are gone, also if the run that lost them was killed."""
    before = next((present.nodes for present in rollout.waves if present.name == wave.name), ())
    known = {failed.node: failed for failed in rollout.failed_nodes}
    lost = [name for name in before if name not in wave.nodes and name not in known]
    gone = {name: FailedNode(name, "gone", wave.name, "the Node was deleted, or has left the pool") for name in lost}
    return rollout.with_failed_nodes({**known, **gone}) if gone else rollout


def _append_new_waves(rollout: Rollout, plan: Plan) -> tuple[Wave, ...]:
    """Return the rollout's waves, then the plan's waves of other names, with the nodes that are in no wave yet."""
    names = {wave.name for wave in rollout.waves}
    known = {name for wave in rollout.waves for name in wave.nodes}
    added = [
        replace(wave, nodes=tuple(name for name in wave.nodes if name not in known))
        for wave in plan.waves
        if wave.name not in names
    ]
    return (*rollout.waves, *(wave for wave in added if wave.nodes))


def _replace_vanished_canaries(
    rollout: Rollout, plan: Plan, position: int, present: Collection[str]
) -> tuple[tuple[Wave, ...], int]:
    """Return the waves with the plan's replacements for canaries that have vanished, and the new assigned_up_to.

    Without replacements, a run after the pause continues with the present canaries, which must pass.
    """
    nodes = rollout.waves[position].nodes
    later = {name for wave in rollout.waves[position + 1 :] for name in wave.nodes}
    planned = [name for wave in plan.waves if wave.name == CANARY for name in wave.nodes]
    replacements = tuple(name for name in planned if name in later)
    present_canaries = tuple(name for name in nodes if name in present)
    if not replacements and not (present_canaries and rollout.phase == PAUSED):
        return rollout.waves, rollout.present_wave.assigned_up_to
    assigned_up_to = sum(1 for name in nodes[: rollout.present_wave.assigned_up_to] if name in present)
    return replace_canary(rollout.waves, position, present_canaries + replacements), assigned_up_to


def start_rollback(record: Record, views: Sequence[NodeView], *, runner: str, now: str) -> Record:
    """Record who rolls back, and which nodes: those on the failed config that have not rolled it back by themselves.

    An earlier run may have recorded the nodes already, and may have moved some of them.
    """
    rollout = current_rollout(record)
    moved = rollout.start.previous_sources
    rolling_back = rollout.rolling_back or tuple(
        view.name for view in views if view.name in moved and _is_to_roll_back(view, rollout.target)
    )
    return replace(record, rollout=replace(rollout, rolling_back=rolling_back, runner=runner, changed_at=now))


def _is_to_roll_back(view: NodeView, target: Target) -> bool:
    """Return whether a node is still assigned the target, and has not rolled it back by itself."""
    goal = target.goal(view.name)
    if goal is None or view.assigned.source != goal.source:
        return False
    return not (view.answer.config_ok == "False" and view.has_answered(goal.source))


def require_own_rollout(record: Record, target: Target | None, runner: str) -> Record:
    """Return the record while this runner, which moves the pool to target, may write it.

    Raises LockLost, RolloutError.
    """
    rollout = current_rollout(record)
    if target is None or not rollout.is_for(target) or rollout.has_ended:
        raise RolloutError(
            f"the rollout of pool {record.pool} was changed by another client: "
            f"it is {rollout.phase}, to {rollout.target.name}"
        )
    return require_owner(record, runner)


def require_owner(record: Record, runner: str) -> Record:
    """Return the record if this runner was the last to move it, also after its rollout has ended. Raises LockLost."""
    rollout = current_rollout(record)
    if rollout.runner != runner:
        raise LockLost(f"this run stalled, and pool {record.pool} was taken over by {rollout.runner}")
    return record


def before_assigning(
    record: Record,
    position: int,
    reached: int,
    failed_nodes: Mapping[str, FailedNode],
    *,
    lookahead: int,
    now: str,
) -> Record:
    """Record that the first ``reached`` nodes of the wave may have been assigned, and ``lookahead`` nodes after them.

    The lookahead makes one write cover a whole window instead of one node.
    """
    rollout = current_rollout(record)
    nodes = rollout.waves[position].nodes
    if reached <= rollout.present_wave.assigned_up_to:
        return record
    return replace(
        record,
        rollout=replace(
            rollout.with_failed_nodes(failed_nodes),
            phase=moving_phase(rollout.waves[position].name),
            present_wave=replace(rollout.present_wave, assigned_up_to=min(len(nodes), reached + lookahead)),
            changed_at=now,
        ),
    )


def mark_soaking(record: Record, failed_nodes: Mapping[str, FailedNode], *, now: str) -> Record:
    """Record that all nodes of the wave are assigned and only their soak is left."""
    rollout = current_rollout(record).with_failed_nodes(failed_nodes)
    return replace(record, rollout=replace(rollout, phase=SOAKING, changed_at=now))


def save_soak(record: Record, seconds: Mapping[str, int]) -> Record:
    """Record for how long nodes of the wave have soaked, so that a later run need not wait for it again."""
    rollout = current_rollout(record)
    present_wave = rollout.present_wave
    soaked = {name: count for name, count in {**present_wave.soaked_seconds, **seconds}.items() if count}
    return replace(record, rollout=replace(rollout, present_wave=replace(present_wave, soaked_seconds=soaked)))


def broken_nodes_to_ignore(rollout: Rollout, position: int, not_ready: Collection[NodeView]) -> frozenset[str]:
    """Return the broken nodes that hold up no other wave: all before their wave, then those that failed in it.

    not_ready: the nodes of the pool that are not Ready. A node that the wave has repaired counts like any other, and so
    does one whose config is not at fault.
    """
    down_otherwise = {view.name for view in not_ready if is_down_for_another_reason(view)}
    later_broken = {name for wave in rollout.waves[position + 1 :] if wave.name in BROKEN_WAVES for name in wave.nodes}
    failed_names = {
        failed.node for failed in rollout.failed_nodes if failed.wave in BROKEN_WAVES and failed.kind != DRIFTED
    }
    if len(rollout.failed_nodes) >= MAX_FAILED_NODES:  # not all are kept, so all broken nodes count as failed
        failed_names = {name for wave in rollout.waves[:position] if wave.name in BROKEN_WAVES for name in wave.nodes}
    return frozenset((later_broken | {view.name for view in not_ready if view.name in failed_names}) - down_otherwise)


def finish_wave(
    record: Record,
    plan: Plan,
    position: int,
    step: WindowStep,
    failed_nodes: Mapping[str, FailedNode],
    *,
    now: str,
    untrusting: Collection[str] = (),
    views: Iterable[NodeView] = (),
) -> Record:
    """Record how a wave ended: done, halted (then the config is remembered as bad), or paused.

    A canary of broken nodes of which none has passed is the last wave: nothing shows that the config is good.

    untrusting: nodes that refuse the config because they trust no signer of it. The config is not at fault: once it is
    signed, they are assigned it again. views: the nodes of the pool at the end of the last wave.
    """
    rollout = replace(current_rollout(record).with_failed_nodes(failed_nodes), reason=step.full_reason, changed_at=now)
    if step.outcome is WaveOutcome.HALT:
        tried = rollout.without_failed_nodes(frozenset(untrusting))
        is_only_untrusted = rollout.failures > 0 and not tried.failures
        confirmed = not is_only_untrusted and _is_config_at_fault(tried, rollout.waves[position])
        question = ASK_OPERATOR_OF_MACHINES if rollout.target.is_machines else ASK_OPERATOR
        advice = SIGN_AGAIN if is_only_untrusted else question
        reason = step.full_reason if confirmed else f"{step.full_reason}; {advice}"
        halted = replace(rollout, phase=HALTED, reason=reason, is_rolling_back=plan.limits.on_failure == "rollback")
        control = record.control if halted.is_rolling_back else record.control.at_end()
        record = replace(record, rollout=halted, control=control)
        if not is_only_untrusted:
            record = record.with_bad_config(rollout.target, step.full_reason, now, confirmed=confirmed)
        return record.with_result(rollout.revision, HALTED)
    if step.outcome is WaveOutcome.ABORT:
        return abort_rollout(replace(record, rollout=rollout), now)
    if step.outcome is WaveOutcome.PAUSE:
        return replace(record, rollout=replace(rollout, phase=PAUSED)).with_result(rollout.revision, PAUSED)
    after_wave = replace(
        rollout,
        phase=moving_phase(rollout.waves[position].name),
        waves_done=position + 1,
        present_wave=replace(rollout.present_wave, assigned_up_to=0, soaked_seconds={}),
        reason="",
    )
    is_proven = rollout.waves[position].name != BROKEN_CANARY or after_wave.has_passed
    if is_proven and after_wave.waves_done < len(after_wave.waves):
        return replace(record, rollout=after_wave)
    return complete(replace(record, control=record.control.at_end()), plan, with_missed(after_wave, plan, views))


def finish_rollback(
    record: Record, step: WindowStep, count: int, failed_nodes: Mapping[str, FailedNode], *, now: str
) -> Record:
    """Record that the nodes are back on their previous config, or (after a pause) that some are not yet."""
    rollout = current_rollout(record)
    # Drifted nodes are not rolled back.
    drifted = {failed.node: failed for failed in rollout.failed_nodes if failed.kind == DRIFTED}
    rollout = rollout.with_failed_nodes({**drifted, **failed_nodes})
    if step.outcome is WaveOutcome.ABORT:
        return abort_rollout(replace(record, rollout=rollout), now)
    if step.outcome is WaveOutcome.DONE:
        phrase = f"{count_of(count, 'node')} {'was' if count == 1 else 'were'} taken back"
        rollout = replace(rollout, is_rolling_back=False, reason=f"{rollout.reason}; {phrase}")
        record = replace(record, control=record.control.at_end())
    return replace(record, rollout=replace(rollout, changed_at=now))


def complete_rollout(record: Record, plan: Plan, now: str) -> Record:
    """Record that a plan without work is complete, unless its rollout is complete already or stays open."""
    rollout = record.rollout
    if rollout is not None and rollout.is_for(plan.target):
        if rollout.phase == COMPLETE:
            return complete(record, plan, rollout)
        if _stays_open(record, rollout, plan):
            return record
    if rollout is None or not rollout.is_for(plan.target) or rollout.has_ended:
        record = _mark_superseded(record)
        rollout = Rollout(
            plan.revision,
            plan.target,
            PLANNED,
            (),
            plan.pool_size,
            now,
            now,
            RolloutStart(selector=plan.selector, already_on_target=plan.unmoved.already_on_target),
        )
    completed = replace(
        rollout,
        waves_done=len(rollout.waves),
        present_wave=replace(rollout.present_wave, assigned_up_to=0),
        changed_at=now,
        reason="",
    )
    return complete(record, plan, completed)


def _stays_open(record: Record, rollout: Rollout, plan: Plan) -> bool:
    """Return whether a rollout is not complete although its plan has no work.

    It waits for an operator to clear the config, no node uses the target, or nodes of its waves are neither on the
    target nor to be moved.
    """
    if rollout.has_ended and record.lets_nodes_forget(plan.target):
        return False
    if record.refusal(plan.target) is not None:
        return True
    if rollout.phase == UNPROVEN and not plan.proof.is_used:
        return True
    skipped = {node.node for node in plan.unmoved.skipped}
    return rollout.is_rolling_back or any(name in skipped for wave in rollout.waves for name in wave.nodes)


def _is_config_at_fault(rollout: Rollout, wave: Wave) -> bool:
    """Return whether a failure is the config's: of several nodes, a single one may be broken itself.

    A canary of one node counts as one of several where other nodes use the config already.
    """
    is_only_canary = wave.name == CANARY and len(wave.nodes) == 1 and not rollout.start.already_on_target
    return rollout.failures > 1 or is_only_canary


def _mark_superseded(record: Record) -> Record:
    """Return the record in which a rollout that has not ended is superseded by another one.

    What people requested of it ends with it. A pause that was requested of a pool at rest is for the next rollout.
    """
    rollout = record.open_rollout
    if rollout is None:
        return replace(record, control=record.control.for_new_rollout())
    return replace(record, control=Control()).with_result(rollout.revision, SUPERSEDED)


def late_nodes(rollout: Rollout, plan: Plan, views: Iterable[NodeView]) -> tuple[str, ...]:
    """Return the nodes that have appeared too late for this rollout, and need it."""
    late = _new_nodes(rollout, plan.target, rollout.waves, views)
    return tuple(view.name for view in late if view.name not in plan.unmoved.left_out)


def _new_nodes(rollout: Rollout, target: Target, waves: Iterable[Wave], views: Iterable[NodeView]) -> list[NodeView]:
    """Return the nodes that are in no wave, and need the rollout. target: the rollout's, with its goals."""
    known = {name for wave in waves for name in wave.nodes}
    return [view for view in views if view.name not in known and _needs_move(view, target, rollout.start.forget_bad)]


def _needs_move(view: NodeView, target: Target, forget_bad: bool) -> bool:
    goal = target.goal(view.name)
    if goal is None or has_reached(view, goal):
        return False
    return skip_reason(view, target, forget_bad=forget_bad) is None


def current_rollout(record: Record) -> Rollout:
    """Return the rollout of a record. Raises RolloutError when the record was deleted."""
    if record.rollout is None:
        raise RolloutError(f"the record of pool {record.pool} was deleted while it was being moved")
    return record.rollout
