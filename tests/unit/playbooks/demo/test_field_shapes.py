# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest

from embedded_apiserver.field_shapes import Mismatch, round_trip
from embedded_apiserver.resources import RESOURCES, Resource

BY_KIND = {resource.kind: resource for resource in RESOURCES}
METADATA = {"name": "a", "creationTimestamp": None}


@pytest.mark.parametrize("resource", RESOURCES, ids=lambda resource: resource.kind)
def test_round_trip_of_a_round_trip_is_the_same(resource: Resource) -> None:
    once = round_trip(resource, {"metadata": {"name": "a", "labels": {}, "unknown": 1}, "unknown": 1}, None)
    assert once["kind"] == resource.kind
    assert once["metadata"] == METADATA
    assert "unknown" not in once
    assert round_trip(resource, once, None) == once
    assert round_trip(resource, once, once) == once


def test_fields_of_each_sort() -> None:
    body = {
        "metadata": {"name": "a"},
        "spec": {"unschedulable": False, "taints": [], "providerID": "", "unknown": 1},
        "status": {"capacity": {"cpu": 4}, "conditions": [{"type": "A", "reason": "", "unknown": 1}]},
    }
    written = round_trip(BY_KIND["Node"], body, None)
    assert written["spec"] == {}
    assert written["status"]["capacity"] == {"cpu": "4"}
    assert written["status"]["conditions"] == [
        {"type": "A", "status": "", "lastHeartbeatTime": None, "lastTransitionTime": None}
    ]
    lease = round_trip(BY_KIND["Lease"], {"metadata": {}, "spec": {"leaseTransitions": 0, "holderIdentity": ""}}, None)
    assert lease["spec"] == {"leaseTransitions": 0, "holderIdentity": ""}  # pointers: zero is kept


@pytest.mark.parametrize(
    ("time", "written"),
    [
        ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z"),
        ("2026-01-02T03:04:05.999Z", "2026-01-02T03:04:05Z"),
        ("2026-01-02T03:04:05-05:30", "2026-01-02T08:34:05Z"),
    ],
)
def test_times(time: str, written: str) -> None:
    event = round_trip(BY_KIND["Event"], {"metadata": {}, "firstTimestamp": time}, None)
    assert event["firstTimestamp"] == written


@pytest.mark.parametrize(
    ("kind", "fields", "where"),
    [
        ("ConfigMap", {"data": {"a": 1}}, "data.a"),
        ("ConfigMap", {"data": []}, "data"),
        ("ConfigMap", {"immutable": "yes"}, "immutable"),
        ("ConfigMap", {"binaryData": {"a": "*"}}, "binaryData.a"),
        ("ConfigMap", {"metadata": []}, "metadata"),
        ("Node", {"spec": {"taints": {}}}, "spec.taints"),
        ("Node", {"spec": {"unschedulable": 1}}, "spec.unschedulable"),
        ("Node", {"status": {"conditions": [{"lastHeartbeatTime": "now"}]}}, "status.conditions[0].lastHeartbeatTime"),
        ("Event", {"count": True}, "count"),
        ("Event", {"firstTimestamp": "2026-13-02T03:04:05Z"}, "firstTimestamp"),
        ("Lease", {"spec": {"renewTime": "2026-01-02T03:04:05Z"}}, "spec.renewTime"),
    ],
)
def test_wrong_types_are_refused(kind: str, fields: dict[str, Any], where: str) -> None:
    with pytest.raises(Mismatch, match=f"^{where.replace('[', '.').replace(']', '.')}"):
        round_trip(BY_KIND[kind], {"metadata": {}, **fields}, None)
