# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps of a rollout, as changes of its record. Pure: the engine writes each before it is done.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from ._node_view import NodeView
from ._plan import BROKEN, CANARY, Plan, Target, Wave, replace_canary
from ._planner import skip_reason
from ._record import (
    COMPLETE,
    DRIFTED,
    HALTED,
    MAX_FAILED_NODES,
    PAUSED,
    PLANNED,
    SOAKING,
    UNPROVEN,
    FailedNode,
    Record,
    Rollout,
    moving_phase,
)
from ._rollout_errors import LockLost, RolloutError, RolloutRefused
from ._window import WindowStep

__all__ = [
    "before_assigning",
    "start_rollout",
    "finish_wave",
    "enter_wave",
    "require_own_rollout",
    "require_owner",
    "current_rollout",
    "complete_rollout",
    "save_soak",
    "mark_soaking",
    "broken_nodes_to_ignore",
    "start_rollback",
    "finish_rollback",
]

_SUPERSEDED = "Superseded"
_QUESTION = (
    "no other node failed: if the node is at fault, clear the config with configok.node.forget and run it again; "
    "if the config is at fault, publish another, or undo"
)


def start_rollout(record: Record, plan: Plan, views: Sequence[NodeView], now: str) -> Record:
    """Freeze the plan's waves, unless the record is in (or has completed) just this rollout. Raises RolloutRefused."""
    rollout = record.rollout
    forget_bad = record.lets_nodes_forget(plan.target)
    if rollout is not None and rollout.is_for(plan.target):
        planned = {name for wave in plan.waves for name in wave.nodes}
        left = any(view.name in planned and _is_to_move(view, plan.target, forget_bad) for view in views)
        if not rollout.has_ended or (rollout.phase == COMPLETE and not left):
            return record
    refusal = record.refusal(plan.target)
    if refusal is not None:
        raise RolloutRefused([refusal])
    record = _superseding(record)
    by_name = {view.name: view for view in views}
    begun = Rollout(
        revision=plan.revision,
        target=plan.target,
        phase=PLANNED,
        waves=plan.waves,
        size=plan.pool_size,
        selector=plan.selector,
        started_at=now,
        changed_at=now,
        previous_sources={name: by_name[name].active for wave in plan.waves for name in wave.nodes if name in by_name},
        forget_bad=forget_bad,
        already_on_target=plan.already_on_target,
    )
    return replace(record.with_clearing_used(plan.target), rollout=begun)


def enter_wave(
    record: Record, plan: Plan, position: int, views: Sequence[NodeView], *, runner: str, now: str
) -> Record:
    """Enter the wave at that place, for the first time or again: phase, runner, and who is down before it begins.

    The last wave takes in what has appeared since the waves were frozen. The lane of broken nodes does not: what the
    plan puts behind it gets waves of its own, and what appears later is left to the next rollout.
    """
    rollout = current_rollout(record)
    waves = _with_later_waves(rollout, plan)
    before = dict(rollout.previous_sources)
    known = {name for wave in waves for name in wave.nodes}
    before.update({view.name: view.active for view in views if view.name in known and view.name not in before})
    if position == len(waves) - 1 and waves[position].name != BROKEN:
        late = [
            view
            for view in sorted(views, key=lambda one: one.name)
            if view.name not in known and _is_to_move(view, rollout.target, rollout.forget_bad)
        ]
        waves = (*waves[:-1], replace(waves[-1], nodes=waves[-1].nodes + tuple(view.name for view in late)))
        before.update({view.name: view.active for view in late})
    again, cursor = rollout.assigned_up_to > 0, rollout.assigned_up_to
    if waves[position].name == CANARY:
        waves, cursor = _with_replacements(replace(rollout, waves=waves), plan, position, {view.name for view in views})
    not_ready = tuple(view.name for view in views if view.ready is not True)
    entered = replace(
        rollout.without_failed_nodes(frozenset(waves[position].nodes)),
        phase=moving_phase(waves[position].name),
        waves=waves,
        assigned_up_to=cursor,
        previous_sources=before,
        soaked_seconds=rollout.soaked_seconds if again else {},
        runner=runner,
        reason="",
        changed_at=now,
        not_ready_at_start=rollout.not_ready_at_start if again else not_ready,
    )
    return replace(record, rollout=entered)


def _with_later_waves(rollout: Rollout, plan: Plan) -> tuple[Wave, ...]:
    """Return the waves, and behind them those that the plan has for nodes which no wave has."""
    names = {wave.name for wave in rollout.waves}
    known = {name for wave in rollout.waves for name in wave.nodes}
    added = [
        replace(wave, nodes=tuple(name for name in wave.nodes if name not in known))
        for wave in plan.waves
        if wave.name not in names
    ]
    return (*rollout.waves, *(wave for wave in added if wave.nodes))


def _with_replacements(
    rollout: Rollout, plan: Plan, place: int, present: Collection[str]
) -> tuple[tuple[Wave, ...], int]:
    """Return the waves in which the plan's replacements stand for canaries that have vanished, and the cursor.

    Where there is no replacement, a run after the pause goes on with the canaries that are left: these must pass.
    """
    nodes = rollout.waves[place].nodes
    later = {name for wave in rollout.waves[place + 1 :] for name in wave.nodes}
    planned = [name for wave in plan.waves if wave.name == CANARY for name in wave.nodes]
    fresh = tuple(name for name in planned if name in later)
    kept = tuple(name for name in nodes if name in present)
    if not fresh and not (kept and rollout.phase == PAUSED):
        return rollout.waves, rollout.assigned_up_to
    cursor = sum(1 for name in nodes[: rollout.assigned_up_to] if name in present)
    return replace_canary(rollout.waves, place, kept + fresh), cursor


def start_rollback(record: Record, views: Sequence[NodeView], *, runner: str, now: str) -> Record:
    """Say who takes nodes back, and which: those on the failed config; those that refused it went back by themselves.

    An earlier run may have written which, and may have moved some of them already.
    """
    rollout = current_rollout(record)
    rolling_back = rollout.rolling_back or tuple(
        view.name
        for view in views
        if view.name in rollout.previous_sources
        and view.source == rollout.target.source
        and not (view.config_ok == "False" and view.has_answered(rollout.target.source))
    )
    return replace(record, rollout=replace(rollout, rolling_back=rolling_back, runner=runner, changed_at=now))


def require_own_rollout(record: Record, plan: Plan, runner: str) -> Record:
    """Return the record if it is still this runner's to write. Raises LockLost, RolloutError."""
    rollout = current_rollout(record)
    if not rollout.is_for(plan.target) or rollout.has_ended:
        raise RolloutError(
            f"the rollout of pool {plan.pool} was changed by somebody else: "
            f"it is {rollout.phase}, to {rollout.target.name}"
        )
    return require_owner(record, runner)


def require_owner(record: Record, runner: str) -> Record:
    """Return the record if this runner was the last to move it, even when its last step ended it. Raises LockLost."""
    rollout = current_rollout(record)
    if rollout.runner != runner:
        raise LockLost(f"this run stalled, and pool {record.pool} was taken over by {rollout.runner}")
    return record


def before_assigning(
    record: Record,
    position: int,
    names: Collection[str],
    failed_nodes: Mapping[str, FailedNode],
    *,
    lookahead: int,
    now: str,
) -> Record:
    """Say that these nodes of the wave may have been assigned, and up to ``ahead`` more: a window, not a node, is a
    write.
    """
    rollout = current_rollout(record)
    wave = rollout.waves[position].nodes
    wanted = set(names)
    reached = max((number + 1 for number, name in enumerate(wave) if name in wanted), default=0)
    if reached <= rollout.assigned_up_to:
        return record
    return replace(
        record,
        rollout=replace(
            rollout.with_failed_nodes(failed_nodes),
            phase=moving_phase(rollout.waves[position].name),
            assigned_up_to=min(len(wave), reached + lookahead),
            changed_at=now,
        ),
    )


def mark_soaking(record: Record, failed_nodes: Mapping[str, FailedNode], *, now: str) -> Record:
    """Say that all nodes of the wave are assigned and only their soak is waited for."""
    return replace(
        record, rollout=replace(current_rollout(record).with_failed_nodes(failed_nodes), phase=SOAKING, changed_at=now)
    )


def save_soak(record: Record, seconds: Mapping[str, int]) -> Record:
    """Say for how long nodes of the wave have soaked: a run that goes on with it need not wait for that again."""
    rollout = current_rollout(record)
    now = {name: count for name, count in {**rollout.soaked_seconds, **seconds}.items() if count}
    return replace(record, rollout=replace(rollout, soaked_seconds=now))


def broken_nodes_to_ignore(rollout: Rollout, position: int, not_ready: Iterable[NodeView]) -> frozenset[str]:
    """Return the nodes of the lane that hold up no other wave: all while the lane is to come, then those it left down.

    down: the nodes of the pool that are not Ready. One that the lane has repaired counts like any other.
    """
    to_come = {name for wave in rollout.waves[position + 1 :] if wave.name == BROKEN for name in wave.nodes}
    left = {one.node for one in rollout.failed_nodes if one.wave == BROKEN and one.kind != DRIFTED}
    if len(rollout.failed_nodes) >= MAX_FAILED_NODES:  # not all are kept: which nodes it left down is not known
        left = {name for wave in rollout.waves[:position] if wave.name == BROKEN for name in wave.nodes}
    return frozenset(to_come | {view.name for view in not_ready if view.name in left})


def finish_wave(
    record: Record, plan: Plan, position: int, step: WindowStep, failed_nodes: Mapping[str, FailedNode], *, now: str
) -> Record:
    """Write down how a wave ended: through, halted (what failed is remembered), or paused."""
    rollout = replace(current_rollout(record).with_failed_nodes(failed_nodes), reason=step.full_reason, changed_at=now)
    if step.outcome == "halt":
        confirmed = _is_confirmed(rollout, rollout.waves[position])
        reason = step.full_reason if confirmed else f"{step.full_reason}; {_QUESTION}"
        halted = replace(rollout, phase=HALTED, reason=reason, is_rolling_back=plan.on_failure == "rollback")
        record = replace(record, rollout=halted).with_bad_config(rollout.target, reason, now, confirmed=confirmed)
        return record.with_result(rollout.revision, HALTED)
    if step.outcome == "pause":
        return replace(record, rollout=replace(rollout, phase=PAUSED)).with_result(rollout.revision, PAUSED)
    through = replace(
        rollout,
        phase=moving_phase(rollout.waves[position].name),
        waves_done=position + 1,
        assigned_up_to=0,
        reason="",
        soaked_seconds={},
    )
    if through.waves_done < len(through.waves):
        return replace(record, rollout=through)
    return _completed(record, plan, through)


def finish_rollback(
    record: Record, step: WindowStep, count: int, failed_nodes: Mapping[str, FailedNode], *, now: str
) -> Record:
    """Write down that the other nodes are back on what they had, or (a pause) that some are not yet."""
    rollout = current_rollout(record)
    drifted = {one.node: one for one in rollout.failed_nodes if one.kind == DRIFTED}  # those are not taken back
    rollout = rollout.with_failed_nodes({**drifted, **failed_nodes})
    if step.outcome == "done":
        back = f"{count} {'node was' if count == 1 else 'nodes were'} taken back"
        rollout = replace(rollout, is_rolling_back=False, reason=f"{rollout.reason}; {back}")
    return replace(record, rollout=replace(rollout, changed_at=now))


def complete_rollout(record: Record, plan: Plan, now: str) -> Record:
    """Write down that a plan without anything to do is complete, unless its rollout says so or stands where it is."""
    rollout = record.rollout
    if rollout is not None and rollout.is_for(plan.target):
        if rollout.phase == COMPLETE:
            return _completed(record, plan, rollout)
        if _stands(record, rollout, plan):
            return record
    if rollout is None or not rollout.is_for(plan.target) or rollout.has_ended:
        record = _superseding(record)
        rollout = Rollout(
            plan.revision,
            plan.target,
            PLANNED,
            (),
            plan.pool_size,
            now,
            now,
            selector=plan.selector,
            already_on_target=plan.already_on_target,
        )
    done = replace(rollout, waves_done=len(rollout.waves), assigned_up_to=0, changed_at=now, reason="")
    return _completed(record, plan, done)


def _stands(record: Record, rollout: Rollout, plan: Plan) -> bool:
    """Return whether a rollout is not complete although its plan has nothing to do: it waits for an operator to clear
    the config, or nodes of its waves are neither on the target nor to be moved.
    """
    if rollout.has_ended and record.lets_nodes_forget(plan.target):
        return False
    if record.refusal(plan.target) is not None:
        return True
    left_out = {one.node for one in plan.skipped}
    return rollout.is_rolling_back or any(name in left_out for wave in rollout.waves for name in wave.nodes)


def _completed(record: Record, plan: Plan, rollout: Rollout) -> Record:
    """Return the record in which a rollout is complete; its revision is so only when a node has passed on it."""
    result = COMPLETE if plan.target_has_passed or rollout.has_passed else UNPROVEN
    return replace(record, rollout=replace(rollout, phase=COMPLETE)).with_result(rollout.revision, result)


def _is_confirmed(rollout: Rollout, wave: Wave) -> bool:
    """Return whether a failure is the config's: one node of several may lie, or be broken.

    A canary of one node is one of several where other nodes use the config already.
    """
    return rollout.failures > 1 or (wave.name == CANARY and len(wave.nodes) == 1 and not rollout.already_on_target)


def _superseding(record: Record) -> Record:
    """Return the record in which a rollout that is not over is Superseded, because another one takes its place."""
    rollout = record.rollout
    if rollout is None or rollout.has_ended:
        return record
    return record.with_result(rollout.revision, _SUPERSEDED)


def _is_to_move(view: NodeView, target: Target, forget_bad: bool) -> bool:
    return not view.is_on(target.source) and skip_reason(view, target, forget_bad=forget_bad) is None


def current_rollout(record: Record) -> Rollout:
    """Return the rollout that a record is in. Raises RolloutError when somebody has deleted it."""
    if record.rollout is None:
        raise RolloutError(f"the record of pool {record.pool} was deleted while it was being moved")
    return record.rollout
