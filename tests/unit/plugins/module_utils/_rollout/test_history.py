# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The history of a pool as a table, as kubectl rollout history shows one."""

from __future__ import annotations

from dataclasses import replace

from ansible_collections.configok.node.plugins.module_utils._rollout._record.record import Record, Revision, Rollout
from ansible_collections.configok.node.plugins.module_utils._rollout._report.pool_status import (
    render_history,
    revision_history,
)
from ansible_collections.configok.node.plugins.module_utils._rollout.plan import Target
from ansible_collections.configok.node.plugins.modules import rollout_history_info
from support.ansible_runs.modules import run_module
from support.rollouts.world import MakeWorld

BUNDLE = Target("workers-0a1b2c3d4e", "configok-system", "5f1c7f1e-0b53-4b3c-8f3c-6a6f0c9a1d11")
REVISIONS = (
    Revision(
        1, "workers-1", "configok-system", "u1", "", "2026-11-18T08:00:00.123456Z", "alice", "first", "Complete", "x"
    ),
    Revision(2, "workers-2", "configok-system", "u2", "", "2026-11-20T09:30:00Z", "", "", "Halted"),
    Revision(3, "workers-3", "configok-system", "u3", "", "2026-11-24T10:00:00.000000Z", "bob", "more\x1b[2J pods"),
)


def record(target: Target, revision: int) -> Record:
    rollout = Rollout(revision, target, "Complete", (), 3, "2026-11-25T10:00:00.5Z", "changed")
    return Record("workers", REVISIONS, rollout=rollout)


def test_the_newest_revision_comes_first_and_the_current_one_is_marked() -> None:
    assert render_history(record(BUNDLE, 2)) == [
        "REVISION   CHANGE-CAUSE    AUTHOR   TIME                   RESULT             CURRENT",
        "3          more [2J pods   bob      2026-11-24T10:00:00Z   <none>",
        "2          <none>          <none>   2026-11-20T09:30:00Z   Halted             *",
        "1          first           alice    2026-11-18T08:00:00Z   Complete, pruned",
    ]
    assert [revision["pruned"] for revision in revision_history(record(BUNDLE, 2))] == ["", "", "x"]


def test_a_pool_on_the_init_config_is_on_revision_0() -> None:
    table = render_history(record(Target.init(), 0))
    assert table[-1].split() == ["0", "the", "init", "config", "2026-11-25T10:00:00Z", "Complete", "*"]
    assert sum("*" in line for line in table) == 1


def test_a_pool_without_revisions_says_so() -> None:
    sentence = "Pool workers has no revisions: nothing was published for it."
    assert render_history(Record("workers")) == [sentence]
    assert render_history(replace(record(BUNDLE, 2), revisions=())) == [sentence]


def test_the_module_returns_revisions_and_table(make_world: MakeWorld) -> None:
    world = make_world(3)
    world.rollout(world.publish(50))
    world.server.start()  # the module asks over HTTP
    arguments = {"host": world.server.url, "api_key": "admin", "pool": "workers"}
    result = run_module(rollout_history_info.main, arguments)
    assert [(entry["number"], entry["result"], entry["current"]) for entry in result["history"]] == [
        (1, "Complete", True)
    ]
    assert result["text"][0].startswith("REVISION")
    assert result["changed"] is False
    assert run_module(rollout_history_info.main, {**arguments, "pool": "other"})["history"] == []
