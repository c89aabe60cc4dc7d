# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Any content of a pool file, a record or a Node is read, or refused with a message for each error."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given

from ansible_collections.configok.node.plugins.module_utils._rollout import InvalidPool, InvalidRecord
from ansible_collections.configok.node.plugins.module_utils._rollout._decisions.skipped import agent_fits
from ansible_collections.configok.node.plugins.module_utils._rollout._pool.pool_file import parse_policy, parse_pool
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record_store import decode_record
from support.fuzz.hostile import JSON_VALUES, TEXTS, json_texts, mutated, parse_twice
from support.fuzz.settings import fuzz

POOL: dict[str, Any] = {
    "pool": "workers",
    "selector": "node-role.kubernetes.io/worker",
    "documents": {"kubelet": {"maxPods": 50}},
    "trial": {"trialDuration": "10m", "crashLoopThreshold": 2},
    "policy": {
        "canary": {"count": 1, "cover": ["zone"], "labels": {"a": "b"}, "soak": "1m"},
        "waves": ["10%", 5, "100%"],
        "maxUnavailable": "10%",
        "failureBudget": 1,
        "nodeTimeout": "30m",
        "onFailure": "rollback",
    },
    "kubernetesVersions": ["1.35"],
    "changeCause": "because",
}
RECORD = {
    "format": 1,
    "pool": "workers",
    "rollout": None,
    "bad": [{"uid": "u", "name": "n", "time": "t", "reason": "r"}],
    "revisions": [{"number": 1, "name": "n", "uid": "u", "hash": "h", "time": "t", "author": "a", "cause": "c"}],
}


@fuzz(250)
@given(mutated(POOL) | JSON_VALUES)
def test_pools(value: Any) -> None:
    outcome = parse_twice(parse_pool, value, refused=InvalidPool)
    if isinstance(outcome.error, InvalidPool):
        assert all("\n" not in error or "\n" in repr(value) or "\\n" in repr(value) for error in outcome.error.errors)
    else:
        assert outcome.value.selector


@fuzz(150)
@given(mutated(POOL["policy"]))
def test_any_policy_is_parsed_or_refused(value: Any) -> None:
    parse_twice(parse_policy, value, refused=InvalidPool)


@fuzz(150)
@given(json_texts(RECORD) | mutated(RECORD).map(json.dumps))
def test_records(text: str) -> None:
    data = {"record.json": text, "record": text, "nodes": text}
    parse_twice(decode_record, {"metadata": {"name": "workers"}, "data": data}, refused=InvalidRecord)


@fuzz(100)
@given(TEXTS)
def test_any_version_of_an_agent_is_compared(text: str) -> None:
    assert parse_twice(agent_fits, text).value in (True, False)
