# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The phase of a Machine."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._machines._changes.config_inputs import ConfigInputs
from ansible_collections.configok.node.plugins.module_utils._machines._changes.plan_change import plan_change
from ansible_collections.configok.node.plugins.module_utils._machines._changes.types import (
    MachineAction,
    MachineChange,
)
from ansible_collections.configok.node.plugins.module_utils._machines._objects.types import CLUSTER_API, Runtime
from ansible_collections.configok.node.plugins.module_utils._machines._status._phases import (
    MachineStatus,
    statuses_of,
    summarize,
    to_dict,
)
from ansible_collections.configok.node.plugins.module_utils._machines._status._rendering import config_text
from support.rollouts.declared_machines import SOURCE, a_machine, an_observed, surroundings

INPUTS = ConfigInputs(pools={"workers": SOURCE}, bundles={SOURCE: {}})


def planned(declared: dict[str, Any], node: Any, **options: Any) -> MachineChange:
    """Return the change of a machine."""
    return plan_change(a_machine(**declared), node, surroundings(inputs=INPUTS), **options)


def status_of(change: MachineChange, **rollout: Any) -> MachineStatus:
    return statuses_of([change], **rollout)[0]


CASES = [
    # declared, the Node, of the rollout, the phase, the action, the reason
    ({}, an_observed(), {}, "Running", "none", ""),
    ({}, None, {}, "Provisioning", "create", "it has no Node yet"),
    ({}, None, {"moving": ["worker-1"]}, "Provisioning", "create", ""),
    ({}, None, {"failed": {"worker-1": "the host said no"}}, "Failed", "create", "the host said no"),
    ({"kubelet_version": "1.35.0"}, an_observed(), {}, "Running", "update", ""),
    ({"kubelet_version": "1.35.0"}, an_observed(), {"moving": ["worker-1"]}, "Updating", "update", ""),
    (
        {"kubelet_version": "1.35.0"},
        an_observed(),
        {"failed": {"worker-1": "rolled back"}},
        "Failed",
        "update",
        "rolled back",
    ),
    ({}, an_observed(), {"failed": {"worker-1": "an earlier failure"}}, "Running", "none", ""),
    ({}, an_observed(ready="False"), {}, "Failed", "none", "its Node is not Ready"),
    ({}, an_observed(ready="Unknown"), {}, "Failed", "none", "its Node does not report"),
    ({}, an_observed(config_ok="False"), {}, "Failed", "none", "ConfigOK is False: using current: all well"),
    ({}, an_observed(config_ok="Unknown"), {}, "Running", "none", "ConfigOK is Unknown: using current: all well"),
    ({}, an_observed(has_agent=False), {}, "Running", "none", "no agent reports from it"),
    ({"state": "Absent"}, an_observed(), {}, "Deleting", "delete", ""),
    ({"state": "Absent"}, None, {}, "Deleting", "none", "it is deleted: its file can be removed"),
    (
        {"state": "Absent"},
        None,
        {"failed": {"worker-1": "apt failed"}},
        "Failed",
        "none",
        "apt failed; without a Node nothing is deleted: reset its host yourself",
    ),
    ({"state": "Absent"}, an_observed(), {"failed": {"worker-1": "a pod stays"}}, "Failed", "delete", "a pod stays"),
]


@pytest.mark.parametrize(("declared", "node", "rollout", "phase", "action", "reason"), CASES)
def test_node_change_and_record_make_the_phase(
    declared: dict[str, Any], node: Any, rollout: dict[str, Any], phase: str, action: str, reason: str
) -> None:
    status = status_of(planned(declared, node), **rollout)
    assert (status.phase.value, status.action, status.reason) == (phase, action, reason)


def test_a_refusal_is_the_reason() -> None:
    status = status_of(planned({"kubelet_version": "1.36.0"}, an_observed()))
    assert "newer than the API server" in status.reason


def test_what_an_interrupted_run_was_moving_is_updating() -> None:
    assert status_of(planned({}, an_observed(), unfinished=True)).phase.value == "Updating"


def test_a_node_without_a_file_says_so() -> None:
    orphan = MachineChange("worker-1", MachineAction.NONE, None, an_observed(source=SOURCE))
    status = status_of(orphan)
    assert (status.phase.value, status.reason) == ("Running", "no file declares it")
    assert (status.config_desired, status.config_observed) == ("", SOURCE.name)


@pytest.mark.parametrize(
    ("declared", "node", "desired", "observed", "text"),
    [
        ({}, an_observed(), "init", "init", "init"),
        ({"pool": "workers"}, an_observed(source=SOURCE), SOURCE.name, SOURCE.name, SOURCE.name),
        ({"pool": "workers"}, an_observed(), SOURCE.name, "init", f"init -> {SOURCE.name}"),
        ({}, an_observed(source=SOURCE), "init", SOURCE.name, f"{SOURCE.name} -> init"),
        ({"pool": "workers"}, None, SOURCE.name, "", SOURCE.name),
        ({"state": "Absent"}, an_observed(source=SOURCE), "", SOURCE.name, SOURCE.name),
        ({"state": "Absent"}, None, "", "", "<none>"),
    ],
)
def test_the_config_is_named(declared: dict[str, Any], node: Any, desired: str, observed: str, text: str) -> None:
    status = status_of(planned(declared, node))
    assert to_dict(status)["config"] == {"desired": desired, "observed": observed}
    assert config_text(status) == text


def test_the_config_of_a_machine_that_another_program_owns_is_not_declared() -> None:
    machine = a_machine(owner=CLUSTER_API)
    status = status_of(MachineChange("worker-1", MachineAction.NONE, machine, an_observed(source=SOURCE)))
    assert (status.config_desired, status.config_observed) == ("", SOURCE.name)


def test_the_status_is_plain_data() -> None:
    change = planned({"kubelet_version": "1.35.0", "runtime": Runtime("containerd", "1.7.25")}, an_observed())
    value = to_dict(status_of(change))
    assert json.loads(json.dumps(value)) == value
    assert value["nodeRef"] == {"name": "worker-1", "uid": "uid-of-worker-1"}
    assert value["versions"] == {
        "desired": {"kubelet": "1.35.0", "containerRuntime": {"name": "containerd", "version": "1.7.25"}},
        "observed": {"kubelet": "1.34.9", "containerRuntime": {"name": "containerd", "version": "1.7.24"}},
    }
    assert to_dict(status_of(replace(change, observed=None)))["nodeRef"] is None


def test_a_summary_has_numbers_and_what_needs_attention() -> None:
    fine, outdated = planned({}, an_observed()), planned({"kubelet_version": "1.35.0"}, an_observed())
    broken, missing = planned({}, an_observed(ready="False")), planned({}, None)
    value = summarize([status_of(change) for change in (fine, outdated, broken, missing)])
    assert json.loads(json.dumps(value)) == value
    assert value["total"] == 4
    assert value["phases"] == {"Provisioning": 1, "Running": 2, "Updating": 0, "Deleting": 0, "Failed": 1}
    assert value["actions"] == {"none": 2, "create": 1, "update": 1, "replace": 0, "delete": 0}
    assert value["attention"] == [to_dict(status_of(broken)), to_dict(status_of(missing))]


def test_a_summary_of_thousands_is_small() -> None:
    value = summarize([replace(status_of(planned({}, None)), name=f"n{number}") for number in range(5000)])
    assert (value["total"], len(value["attention"])) == (5000, 100)
    assert len(json.dumps(value)) < 50_000
