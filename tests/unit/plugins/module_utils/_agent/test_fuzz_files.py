# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fuzzed files of the agent and of its host: each is decoded, or refused with an error message."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from typing import Any
from unittest import mock

from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._agent._agent_configuration import (
    InvalidConfiguration,
    parse_configuration,
)
from ansible_collections.configok.node.plugins.module_utils._agent._reporting.status_writer import read_report
from ansible_collections.configok.node.plugins.module_utils._agent._state.records import (
    AnsweredAssignment,
    AssignmentFailure,
    ConfigRecord,
    DamagedFile,
    RecordTrust,
    decode_floors,
    encode_floors,
)
from ansible_collections.configok.node.plugins.module_utils._agent._state.start_history import (
    BadConfig,
    End,
    Start,
    decode_bad_configs,
    decode_startups,
    encode_bad_configs,
    encode_startups,
)
from ansible_collections.configok.node.plugins.module_utils._agent._store._durable_files import DurableFiles
from ansible_collections.configok.node.plugins.module_utils._agent._store._rendered_files import (
    UndecodableConfig,
    decode_values,
    field_paths,
    policy_in_state_file,
    state_file_keys,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._codec.document import Document
from ansible_collections.configok.node.plugins.module_utils._componentconfig._rules._host_cgroups import cgroup_paths
from ansible_collections.configok.node.plugins.module_utils._componentconfig._scalars.numbers import parse_cpu_list
from ansible_collections.configok.node.plugins.module_utils._componentconfig.check import config_at
from ansible_collections.configok.node.plugins.module_utils._host import host_facts
from ansible_collections.configok.node.plugins.module_utils._host._cgroups import read_cgroup
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import ConfigSource
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle_trial import Trial
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.config_status import SignerStatus
from ansible_collections.configok.node.plugins.module_utils._systemd.time_span import parse_time_span
from support.configs.kubelet import KUBELET_KIND
from support.fuzz.hostile import JSON_VALUES, TEXTS, damaged, json_texts, lines_of, mutated, parse_twice
from support.fuzz.settings import fuzz

SOURCE = ConfigSource("configok-system", "workers-0123456789", "00000000-0000-0000-0000-000000000001")
RECORD = ConfigRecord(
    SOURCE, "ab" * 32, 7, "u1", "t", "b1", 12.5, Trial(60.0, 2), 3.0, True, {"kubelet": "cd"}, ("other",)
)
TRUST = RecordTrust("workers", 7, 3, (SignerStatus("SHA256:x", "alice"),), "a problem")
FLOORS = {"workers": 7, "gateways": 10**15}
ANSWERED = AnsweredAssignment(
    "u1", 7, SOURCE, AssignmentFailure("CrashLoop", SOURCE.uid, "text", 3, 120.0, "t", "b1", 9.0)
)
STARTS = [Start("i1", "b1", 1.0, "t", "c", End("exit-code", "exited", "1", 2.0, "t")), Start("i2", "b1", 3.0)]
BAD = {SOURCE.uid: BadConfig("t", "reason", "CrashLoop")}
CONFIGURATION: dict[str, Any] = {
    "apiVersion": "agent.config.configok.dev/v1alpha1",
    "kind": "AgentConfiguration",
    "nodeName": "n1",
    "kubeconfig": "/etc/kubernetes/kubelet.conf",
    "settlingTime": "500ms",
    "unhealthyThreshold": 3,
    "metricsFile": "/var/lib/node_exporter/configok.prom",
    "metricsAddress": "127.0.0.1:9999",
    "components": {
        "kubelet": {
            "initConfig": "/etc/init.yaml",
            "version": "v1.35.2",
            "versionCommand": ["kubelet", "--version"],
            "additionalDeniedFields": ["authentication.*"],
            "healthURL": "http://127.0.0.1:10248/healthz",
            "lease": True,
        }
    },
}
HOST = [
    *("Filename", "\t", " ", "\n", "/swap", "0", "-", "3", ",", "MemTotal: ", " 5 kB"),
    *("[plugins", "]", "SystemdCgroup = true"),
]
REPORT = {
    "agentVersion": "0.1.0",
    "pid": 5,
    "startedAt": "t",
    "configOK": {"status": "True", "message": "m", "reason": "r", "cause": "Good"},
    "written": True,
    "writtenAt": "t",
    "apiTrouble": "",
}


def changes(data: bytes) -> st.SearchStrategy[dict[str, Any]]:
    """Generate other values for some fields of a record."""
    return st.dictionaries(st.sampled_from(sorted(json.loads(data))), JSON_VALUES)


def changes_of(field: str, value: Mapping[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Generate changes within one field of a record."""
    return mutated(value).map(lambda changed: {field: changed})


def resealed(data: bytes, change: Any) -> bytes:
    """Return a record with changed fields and a matching hash, as only an edit by hand leaves it."""
    from ansible_collections.configok.node.plugins.module_utils._agent._state import records

    value = {**json.loads(data), **change}
    return json.dumps({**value, "hash": records._content_hash(value)}).encode()


@fuzz(150)
@given(damaged(RECORD.encode()) | changes(RECORD.encode()) | changes_of("trust", TRUST.to_dict()))
def test_records(damage: Any) -> None:
    data = damage if isinstance(damage, bytes) else resealed(RECORD.encode(), damage)
    outcome = parse_twice(ConfigRecord.decode, data, refused=DamagedFile)
    if outcome.error is None:
        assert repr(ConfigRecord.decode(outcome.value.encode())) == repr(outcome.value)


@fuzz(150)
@given(damaged(encode_floors(FLOORS)) | changes(encode_floors(FLOORS)) | changes_of("floors", FLOORS))
def test_damaged_floors_are_refused_or_read(damage: Any) -> None:
    data = damage if isinstance(damage, bytes) else resealed(encode_floors(FLOORS), damage)
    outcome = parse_twice(decode_floors, data, refused=DamagedFile)
    if outcome.error is None:
        assert decode_floors(encode_floors(outcome.value)) == outcome.value


@fuzz(150)
@given(damaged(ANSWERED.encode()) | changes(ANSWERED.encode()))
def test_a_damaged_answered_assignment_is_refused_or_read(damage: Any) -> None:
    data = damage if isinstance(damage, bytes) else resealed(ANSWERED.encode(), damage)
    outcome = parse_twice(AnsweredAssignment.decode, data, refused=DamagedFile)
    if outcome.error is None:
        assert repr(AnsweredAssignment.decode(outcome.value.encode())) == repr(outcome.value)


@fuzz(150)
@given(damaged(encode_startups(STARTS)) | json_texts(json.loads(encode_startups(STARTS))))
def test_damaged_startups_are_refused_or_read(data: bytes | str) -> None:
    outcome = parse_twice(decode_startups, data, refused=DamagedFile)
    if outcome.error is None:
        assert repr(decode_startups(encode_startups(outcome.value))) == repr(outcome.value)


@fuzz(150)
@given(damaged(encode_bad_configs(BAD)) | json_texts(json.loads(encode_bad_configs(BAD))))
def test_damaged_bad_configs_are_refused_or_read(data: bytes | str) -> None:
    outcome = parse_twice(decode_bad_configs, data, refused=DamagedFile)
    if outcome.error is None:
        assert decode_bad_configs(encode_bad_configs(outcome.value)) == outcome.value


@fuzz(200)
@given(json_texts(CONFIGURATION) | mutated(CONFIGURATION).map(lambda value: json.dumps(value, indent=1)))
def test_a_damaged_agent_configuration_is_refused_or_read(text: str) -> None:
    outcome = parse_twice(partial(parse_configuration, file="agent.yaml"), text, refused=InvalidConfiguration)
    if isinstance(outcome.error, InvalidConfiguration):
        assert all(error.startswith("agent.yaml") for error in outcome.error.errors)
    else:
        assert outcome.value.components


@fuzz(100)
@given(json_texts({"policyName": "static", "entries": {}}))
def test_any_state_file_is_read(text: str) -> None:
    assert isinstance(parse_twice(policy_in_state_file, text.encode("utf-8", "surrogatepass")).value, str)


@fuzz(150)
@given(mutated({"cpuManagerPolicy": "static", "memoryManagerPolicy": "None", "kubeReserved": {"cpu": "1"}}))
def test_the_fields_of_any_config_are_read(values: Any) -> None:
    parse_twice(state_file_keys, "kubelet", values)
    parse_twice(field_paths, values)


@fuzz(150)
@given(json_texts({"maxPods": 5}) | lines_of(["a: ", "b", "\n", "- ", "  ", "&x ", "*x", "{", "}"]))
def test_init_configs_and_drop_ins(text: str) -> None:
    # PyYAML needs half a minute for a megabyte; no config is a tenth of that.
    parse_twice(decode_values, text[:4000], "the drop-in", refused=UndecodableConfig)


@fuzz(100)
@given(json_texts(REPORT))
def test_any_report_is_read(text: str) -> None:
    with mock.patch.object(DurableFiles, "read", return_value=text.encode("utf-8", "surrogatepass")):
        parse_twice(read_report, "/nowhere")


@fuzz(150)
@given(lines_of(HOST))
def test_any_files_of_the_host_are_read(text: str) -> None:
    assert all(isinstance(swap, str) for swap in parse_twice(host_facts._swaps, text).value)
    assert all(isinstance(cpu, int) for cpu in parse_twice(parse_cpu_list, text).value)
    assert parse_twice(host_facts._memory, text).value >= 0
    parse_twice(host_facts._of_containerd, text)
    parse_twice(lambda text: host_facts._of_crio([text]), text)
    assert (parse_twice(parse_time_span, text).value or 0) >= 0


@fuzz(50)
@given(TEXTS)
def test_any_name_of_a_control_group_stays_below_the_root(name: str) -> None:
    for field in ("cgroupRoot", "kubeReservedCgroup"):
        config = {**KUBELET_KIND, "enforceNodeAllocatable": ["kube-reserved"], field: name}
        effective = config_at(Document(config, "config"), 31)
        assert effective is not None
        for path in cgroup_paths(effective):
            assert path.startswith("/")
            assert ".." not in path.split("/")
            read_cgroup("/", path)
