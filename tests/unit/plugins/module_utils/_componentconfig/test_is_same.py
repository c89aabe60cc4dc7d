# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Two configs are the same only if the component's defaults make them so."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema._defaults import apply_defaults
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.kinds import (
    Kind,
    find_kind,
    kinds,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig.compare import effective_diff
from ansible_collections.configok.node.plugins.module_utils._componentconfig.drop_ins import is_same_with_drop_ins
from support.configs.kubelet import KUBELET_KIND
from support.configs.objects import configs, minors_of
from support.fuzz.settings import fuzz

EVICTION = {
    "memory.available": "100Mi",
    "nodefs.available": "10%",
    "nodefs.inodesFree": "5%",
    "imagefs.available": "15%",
    "imagefs.inodesFree": "5%",
}
PROXY = {"apiVersion": "kubeproxy.config.k8s.io/v1alpha1", "kind": "KubeProxyConfiguration"}


def is_same(old: Any, new: Any, minor: int | None, drop_ins: Sequence[Any] = ()) -> bool:
    return is_same_with_drop_ins(drop_ins, old, new, "" if minor is None else f"1.{minor}")


@pytest.mark.parametrize(
    "change",
    [
        {"maxPods": 110},
        {"maxPods": None},
        {"clusterDNS": []},
        {"clusterDNS": None},
        {"kubeReserved": {}},
        {"evictionSoft": {}},
        {"evictionHard": None},
        {"authentication": {"x509": {}}},
        {"authentication": {"webhook": {"cacheTTL": "120s"}}},
        {"runtimeRequestTimeout": "120s"},
        {"enforceNodeAllocatable": ["pods"]},
        {"maxPods": 0},
        {"registerWithTaints": []},
    ],
    ids=str,
)
def test_what_the_component_does_anyway_is_the_same(change: dict[str, Any]) -> None:
    assert is_same(KUBELET_KIND, {**KUBELET_KIND, **change}, 35)
    assert is_same({**KUBELET_KIND, **change}, KUBELET_KIND, 35)


@pytest.mark.parametrize(
    "change",
    [
        {"evictionHard": {}},
        {"enforceNodeAllocatable": []},
        {"tracing": {}},
        {"userNamespaces": {}},
        {"featureGates": {"NodeSwap": None}},  # null in a map is the zero value: false
        {"evictionHard": {"memory.available": None}},
        {"maxPods": 111},
        {"maxPods": "110"},
        {"oomScoreAdj": 0},  # a pointer in Go: 0 is a value
        {"unknown": {}},
        {"unknown": None},
        {"authentication": {"unknown": 1}},
        {"registerWithTaints": [{"unknown": {}}]},
    ],
    ids=str,
)
def test_what_changes_the_component_or_may_change_it_is_different(change: dict[str, Any]) -> None:
    assert not is_same(KUBELET_KIND, {**KUBELET_KIND, **change}, 35)
    assert not is_same({**KUBELET_KIND, **change}, KUBELET_KIND, 35)


def test_a_field_that_is_not_known_differs_at_any_depth() -> None:
    taint = {"key": "a", "effect": "NoSchedule"}
    same = [{**KUBELET_KIND, "registerWithTaints": [{**taint, "unknown": value}]} for value in (1, 1, None)]
    assert is_same(same[0], same[1], 35)
    assert not is_same(same[0], same[2], 35)
    assert not is_same(same[0], {**KUBELET_KIND, "registerWithTaints": [taint]}, 35)


def test_a_default_that_a_later_version_changes_is_different_since_the_file_outlives_an_upgrade() -> None:
    written = {**KUBELET_KIND, "failCgroupV1": False}
    assert not effective_diff(KUBELET_KIND, written, (34, 34))
    assert not is_same(KUBELET_KIND, written, 34)
    assert is_same(KUBELET_KIND, {**KUBELET_KIND, "failCgroupV1": True}, 35)
    assert not is_same(KUBELET_KIND, {**KUBELET_KIND, "failCgroupV1": True}, None)
    assert is_same(KUBELET_KIND, {**KUBELET_KIND, "maxPods": 110}, None)


@pytest.mark.parametrize("minor", [19, 99])
def test_a_version_that_the_data_do_not_know_compares_plain_values(minor: int) -> None:
    assert not is_same(KUBELET_KIND, {**KUBELET_KIND, "maxPods": 110}, minor)
    assert is_same({**KUBELET_KIND, "maxPods": 110}, {"maxPods": 110.0, **KUBELET_KIND}, minor)


def test_kinds_that_differ_or_are_not_known_compare_plain_values() -> None:
    assert not is_same(KUBELET_KIND, PROXY, 35)
    assert is_same({"kind": "X", "a": []}, {"a": [], "kind": "X"}, 35)
    assert not is_same({"kind": "X", "a": []}, {"kind": "X"}, 35)
    assert not is_same({"kind": "X", "a": None}, {"kind": "X"}, 35)
    assert not is_same({"a": date(2026, 1, 1)}, {"a": date(2026, 1, 1)}, 35)
    assert not is_same([], {}, 35)


@pytest.mark.parametrize("kind", [kind for kind in kinds() if kind.component in ("kubelet", "kube-proxy")], ids=str)
def test_an_empty_value_is_absent_only_where_no_default_and_no_pointer_stands(kind: Kind) -> None:
    """Every list and map of the data at every minor, against what the data say of it."""
    head = {"apiVersion": kind.api_version, "kind": kind.kind}
    for minor in minors_of(kind):
        for name, field in kind.fields.items():
            type_name = str(field.get("type"))
            if not field.get("since", 0) <= minor <= field.get("last", minor) or not type_name.startswith(
                ("list<", "map<")
            ):
                continue
            empty: Any = [] if type_name.startswith("list<") else {}
            meaningful = any(key in field for key in ("default", "defaults", "nullable", "nullables"))
            assert is_same(head, {**head, name: empty}, minor) is not meaningful, (name, minor)


@pytest.mark.parametrize("component", ["kubelet", "kube-proxy"])
@fuzz(20)
@given(st.data())
def test_a_config_is_the_same_as_its_defaulted_form_where_no_later_default_differs(
    component: str, data: st.DataObject
) -> None:
    head = KUBELET_KIND if component == "kubelet" else PROXY
    kind = find_kind(head["apiVersion"], head["kind"])
    assert kind is not None
    minor = max(minors_of(kind))
    config = data.draw(configs(kind, minor))
    assert is_same(config, apply_defaults(config, kind, minor), minor)


@pytest.mark.parametrize(
    ("change", "drop_ins", "same"),
    [
        ({"nodeStatusReportFrequency": "5m"}, [{"maxPods": 5}], True),
        ({"nodeStatusReportFrequency": "5m"}, [{"nodeStatusUpdateFrequency": "20s"}], False),
        ({"nodeStatusReportFrequency": "300s"}, [{"nodeStatusReportFrequency": "1m"}], True),
        ({"evictionHard": EVICTION}, [{"evictionHard": {"memory.available": "1Gi"}}], True),
        ({"maxPods": 110}, ["maxPods: 5"], False),
        ({"maxPods": 110}, [{"maxPods": "a", "featureGates": 1, "evictionHard": []}], True),
    ],
    ids=str,
)
def test_two_configs_are_the_same_only_with_the_drop_ins_over_them_too(
    change: dict[str, Any], drop_ins: list[Any], same: bool
) -> None:
    assert is_same(KUBELET_KIND, {**KUBELET_KIND, **change}, 35, drop_ins) is same
    assert is_same({**KUBELET_KIND, **change}, KUBELET_KIND, 35, drop_ins) is same


def test_nothing_but_a_kubelet_has_drop_ins() -> None:
    assert is_same(PROXY, {**PROXY, "clusterCIDR": ""}, 35, ["no mapping"])
