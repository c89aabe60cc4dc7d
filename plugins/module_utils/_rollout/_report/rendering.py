# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Render plans as text. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from ..._nodeconfig.durations import describe_duration
from ..._text import count_of, first_names
from .._pool.policy import Policy
from ..plan import Plan, SkippedNode
from .tables import render_table

NAMES_SHOWN = 4
_WIDTH_NODES = 60


def render_plan(plan: Plan, policy: Policy | None = None) -> list[str]:
    """Return a plan as lines, for an operator to read before the rollout.

    policy: what else a wave needs, and what the change asks of nodes, is shown with it.
    """
    target = "the init config" if plan.target.is_init else f"revision {plan.revision} ({plan.target.name})"
    is_machines = plan.target.is_machines
    unmoved, limits = plan.unmoved, plan.limits
    noun = "machine" if is_machines else "node"
    lines = [f"{'Machines' if is_machines else 'Pool'} {plan.pool}: {count_of(plan.pool_size, noun)}, to {target}"]
    if not plan.target.is_published:
        lines[0] += ", which is not published yet"
    if not plan.waves:
        left_out = f", and {len(unmoved.skipped)} are left out" if unmoved.skipped else ""
        lines.append(
            f"Nothing to do: {len(unmoved.already_on_target)} of {plan.pool_size} "
            f"{'machines are as declared' if is_machines else 'nodes use it'} already{left_out}."
        )
    else:
        if plan.is_resumed:
            lines.append("This rollout was begun: it continues where it stopped.")
        lines.append("")
        rows = [
            (
                wave.name,
                str(len(wave.nodes)),
                describe_duration(wave.soak),
                "finished" if wave.finished else "",
                _some(wave.nodes),
            )
            for wave in plan.waves
        ]
        lines += render_table(("WAVE", "NODES", "SOAK", "STATE", "WHICH"), rows)
        lines.append("")
        failures = f"after more than {count_of(limits.failure_budget, 'failure')} (in the canary: at the first)"
        lines.append(
            f"At most {count_of(limits.max_unavailable, 'node')} unavailable at a time; halt "
            f"{failures if limits.failure_budget else 'at the first failure'}; "
            f"{describe_duration(limits.node_timeout)} for a node to answer; on failure {limits.on_failure}."
        )
        if plan.has_work:
            disruptions = _disruption_lines(plan)
            lines += [] if policy is None else [*disruptions, *_condition_lines(plan, policy)]
            on_top = "; drains and reboots come on top" if disruptions else ""
            lines.append(f"It takes about {describe_duration(plan.estimate)}{on_top}.")
    if unmoved.already_on_target and plan.waves:
        lines.append(
            f"Already there: {count_of(len(unmoved.already_on_target), 'node')} ({_some(unmoved.already_on_target)})"
        )
    if unmoved.vanished:
        lines.append(f"Vanished since it began: {count_of(len(unmoved.vanished), 'node')} ({_some(unmoved.vanished)})")
    lines += _section("Not covered by the canary:", plan.uncovered)
    lines += _section("Left out:", _skipped_lines(unmoved.skipped))
    lines += _section("Warnings:", plan.warnings)
    lines += _section("Refused:", plan.refusals)
    return lines


def _disruption_lines(plan: Plan) -> list[str]:
    """Return which nodes of the waves are drained, and which are rebooted."""
    moving = {name for wave in plan.waves if not wave.finished for name in wave.nodes}
    lines = []
    for names, verb in ((plan.to_drain, "Drains"), (plan.to_reboot, "Reboots")):
        nodes = [name for name in names if name in moving]
        if nodes:
            lines.append(f"{verb} {count_of(len(nodes), 'node')} ({_some(nodes)}).")
    return lines


def _condition_lines(plan: Plan, policy: Policy) -> list[str]:
    """Return what must agree before and after waves, beyond their nodes."""
    waves = [wave.name for wave in plan.waves if not wave.finished and policy.approval.is_needed(wave.name)]
    playbooks = [
        f"{playbook} {moment} each wave"
        for playbook, moment in ((policy.playbooks.before_wave, "before"), (policy.playbooks.after_wave, "after"))
        if playbook
    ]
    lines = []
    if policy.maintenance_windows.windows:
        lines.append("A wave begins only in a maintenance window.")
    if waves:
        lines.append(f"Waits for an approval before {first_names(waves, NAMES_SHOWN)}.")
    if policy.gates.names:
        lines.append(f"Gates: {first_names(policy.gates.names, NAMES_SHOWN)}.")
    if playbooks:
        lines.append(f"Runs {' and '.join(playbooks)}.")
    return lines


def _skipped_lines(skipped: Sequence[SkippedNode]) -> list[str]:
    by_reason: dict[str, list[str]] = {}
    for node in skipped:
        by_reason.setdefault(node.reason, []).append(node.node)
    return [f"{_some(nodes)}: {reason}" for reason, nodes in sorted(by_reason.items())]


def _section(title: str, lines: Sequence[str]) -> list[str]:
    return [title, *(f"  {line}" for line in lines)] if lines else []


def _some(names: Sequence[str]) -> str:
    return first_names(names, NAMES_SHOWN, width=_WIDTH_NODES)
