# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Any annotations and conditions of a Node, and any ConfigMap, are read or refused with an error message."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._agent._state.desired_state import (
    DesiredKind,
    read_desired_state,
)
from ansible_collections.configok.node.plugins.module_utils._agent._state.records import (
    LOCAL_CONFIG,
    AnsweredAssignment,
)
from ansible_collections.configok.node.plugins.module_utils._agent.node_watch import annotations_of
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import (
    Assignment,
    ConfigSource,
    InvalidAssignment,
    InvalidConfigSource,
    next_id,
)
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle import (
    Bundle,
    InvalidBundle,
    build_bundle,
    content_hash,
)
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle_trial import (
    InvalidTrial,
    Trial,
)
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.config_status import (
    ComponentStatus,
    ConfigStatus,
    SignerStatus,
    TrustStatus,
    read_condition,
    read_status,
)
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.durations import (
    InvalidDuration,
    setting_duration,
)
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.well_known import (
    ANNOTATION_ASSIGNMENT,
    ANNOTATION_CONFIG_SOURCE,
    ANNOTATION_CONFIG_STATUS,
)
from support.fuzz.hostile import JSON_VALUES, TEXTS, json_texts, mutated, parse_twice
from support.fuzz.settings import fuzz

SOURCE = ConfigSource("configok-system", "workers-0123456789", "00000000-0000-0000-0000-000000000001")
STATUS = ConfigStatus(
    assignment=7,
    assigned=SOURCE,
    active=SOURCE,
    error="an error",
    cause="CrashLoop",
    in_trial=True,
    components={"kubelet": ComponentStatus("v1.35.0", "0123456789", "healthy", "drift", ("maxPods (--max-pods)",))},
    ignored=("other",),
    agent_version="0.1.0",
    trust=TrustStatus("require", {"workers": 3}, (SignerStatus("SHA256:x", "alice"),), "a problem"),
)
BUNDLE = build_bundle("workers", {"kubelet": "maxPods: 5\n", "kube-proxy": "{}\n"}, trial=Trial(60.0, 2))
BUNDLE["metadata"]["uid"] = SOURCE.uid
NODE: dict[str, Any] = {
    "kind": "Node",
    "metadata": {
        "name": "n1",
        "uid": "u1",
        "resourceVersion": "5",
        "annotations": {
            ANNOTATION_CONFIG_SOURCE: SOURCE.encode(),
            ANNOTATION_ASSIGNMENT: '{"id":7,"forgetBad":true}',
            ANNOTATION_CONFIG_STATUS: STATUS.encode(),
        },
    },
    "status": {"conditions": [{"type": "Ready", "status": "True"}, {"type": "ConfigOK", "status": "False"}]},
}


@fuzz(150)
@given(json_texts(SOURCE.to_dict()))
def test_any_config_source_is_parsed_or_refused(text: str) -> None:
    outcome = parse_twice(ConfigSource.parse, text, refused=InvalidConfigSource)
    if outcome.error is None:
        assert ConfigSource.parse(outcome.value.encode()) == outcome.value


@fuzz(100)
@given(json_texts({"id": 7, "forgetBad": True, "confirmAfter": 120}))
def test_any_assignment_is_parsed_or_refused(text: str) -> None:
    outcome = parse_twice(Assignment.parse, text, refused=InvalidAssignment)
    if outcome.error is None:
        assert Assignment.parse(outcome.value.encode()) == outcome.value
        assert next_id({ANNOTATION_ASSIGNMENT: text}, 3) > max(outcome.value.id, 3)


@fuzz(200)
@given(json_texts(json.loads(STATUS.encode())))
def test_any_config_status_is_parsed_or_refused(text: str) -> None:
    outcome = parse_twice(ConfigStatus.parse, text, refused=ValueError)
    if outcome.error is None:
        assert ConfigStatus.parse(outcome.value.encode()) == outcome.value


@fuzz(100)
@given(json_texts({"trialDuration": "10m", "crashLoopThreshold": 3}))
def test_any_trial_is_parsed_or_refused(text: str) -> None:
    outcome = parse_twice(Trial.parse, text, refused=InvalidTrial)
    if outcome.error is None:
        again = Trial.parse(outcome.value.encode())
        assert again.crash_loop_threshold == outcome.value.crash_loop_threshold
        assert again.duration == pytest.approx(outcome.value.duration, abs=0.001)


@fuzz(100)
@given(TEXTS | JSON_VALUES)
def test_any_duration_is_parsed_or_refused(value: Any) -> None:
    outcome = parse_twice(setting_duration, value, "it", refused=InvalidDuration)
    assert outcome.error is not None or 0 <= outcome.value <= 30 * 24 * 3600


@fuzz(200)
@given(mutated(BUNDLE), st.booleans())
def test_any_bundle_is_read_or_refused(config_map: Any, pinned: bool) -> None:
    source = ConfigSource(BUNDLE["metadata"]["namespace"], BUNDLE["metadata"]["name"], SOURCE.uid) if pinned else None
    outcome = parse_twice(Bundle.from_config_map, config_map, source, refused=InvalidBundle)
    if outcome.error is None:
        assert outcome.value.documents == {"kubelet": "maxPods: 5\n", "kube-proxy": "{}\n"}


@fuzz(100)
@given(mutated(BUNDLE["data"]))
def test_bundle_that_was_named_by_what_it_holds(data: Any) -> None:
    """Written by a publisher: the hash is right, with any content."""
    named = {**BUNDLE, "data": data, "metadata": {**BUNDLE["metadata"], "annotations": {}}}
    if isinstance(data, dict):
        named["metadata"]["name"] = f"workers-{content_hash(data)[:10]}"
    parse_twice(Bundle.from_config_map, named, refused=InvalidBundle)


@fuzz(200)
@given(json_texts(SOURCE.to_dict()), json_texts(7), json_texts(json.loads(STATUS.encode())), st.booleans())
def test_what_a_node_is_asked(source: str, assignment: str, status: str, known: bool) -> None:
    """Any annotations get one answer, and never to an id lower than the highest answered one."""
    node = {
        "metadata": {
            **NODE["metadata"],
            "annotations": {
                ANNOTATION_CONFIG_SOURCE: source,
                ANNOTATION_ASSIGNMENT: assignment,
                ANNOTATION_CONFIG_STATUS: status,
            },
        }
    }
    answered = AnsweredAssignment("u1", 7) if known else AnsweredAssignment()
    desired = parse_twice(
        lambda: read_desired_state(annotations_of(node), answered, LOCAL_CONFIG, "configok-system")
    ).value
    assert isinstance(desired.kind, DesiredKind)
    assert desired.answered.id >= answered.id
    assert (desired.kind == DesiredKind.INVALID) == bool(desired.cause)
    assert (
        desired.source is None or desired.kind == DesiredKind.INVALID or desired.source.namespace == "configok-system"
    )


@fuzz(200)
@given(mutated(NODE["status"]), json_texts(json.loads(STATUS.encode())))
def test_what_a_node_says(status: Any, text: str) -> None:
    """The control side reads it, and any node can write it."""
    node = {"metadata": {"annotations": {ANNOTATION_CONFIG_STATUS: text}}, "status": status}
    condition = parse_twice(read_condition, node).value
    assert condition is None or condition["type"] == "ConfigOK"
    parsed = parse_twice(read_status, node).value
    assert parsed is None or isinstance(parsed, ConfigStatus)
