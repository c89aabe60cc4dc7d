# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What moves a pool: policy, planner, gate, window, record, lock, engine. Private to configok.node: no compatibility is promised.

Import from the file that defines a name. What modules use:

    _policy         parse_pool(value) -> Pool; parse_policy(value, *, trial=None) -> Policy; both raise InvalidPool(.errors)
    _node_view      NodeView; node_view(node) -> NodeView
    _observe        observe(client, *, selector="", names=None) -> list[NodeView]
    _target         Target.of_bundle(bundle); Target.of_config_map(config_map), published or not; Target.init()
    _record         Record (pool, revisions, bad, rollout); Revision
    _record_store   read_record(client, pool_name) -> Record (an empty one where there is none, also without the namespace)
    _planner        plan(nodes, pool, target, record) -> Plan
    _plan           Plan (refusals, warnings, waves, already, left_out, ...), .changes, .to_dict(), Plan.from_dict(value)
    _plan_text      render(plan) -> list[str]
    _publish        publish(client, config_map, *, clock, check=False) -> Published(config_map, target, revision, changed)
    _assign         assign(client, source_or_none, *, names=None, selector="", forget_bad=False, check=False) -> list[Assigned]
    _engine         move_wave(client, plan, wave_name, *, runner, progress, clock=Clock(), lease_duration=15.0) -> WaveResult
    _progress       Progress (what the callback is given: .line, .bar)
    _history        undo_revision(record, to_revision=None) -> Revision | None (None: init); read_target(client, revision) -> Target;
                    history(record) -> list[dict]
    _status         node_facts(view) -> dict; pool_status(record, nodes) -> dict
    _errors         RolloutError and what is below it
"""

from __future__ import annotations
