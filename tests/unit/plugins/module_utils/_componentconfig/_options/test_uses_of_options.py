# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Layers, comparisons, explanations and migrations of ComponentOptions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
import yaml

from ansible_collections.configok.node.plugins.module_utils._componentconfig import ConfigError
from ansible_collections.configok.node.plugins.module_utils._componentconfig._codec.yaml_text import encode
from ansible_collections.configok.node.plugins.module_utils._componentconfig._documents.flags_in_file import (
    flags_in_file,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig.compare import compare
from ansible_collections.configok.node.plugins.module_utils._componentconfig.convert import convert_document
from ansible_collections.configok.node.plugins.module_utils._componentconfig.explain import explain
from ansible_collections.configok.node.plugins.module_utils._componentconfig.load import Config, load
from ansible_collections.configok.node.plugins.module_utils._componentconfig.migrate import migrate
from support.configs.options import AUDIT_POLICY, KUBEADM_APISERVER, component_options


def config(*layers: Mapping[str, Any]) -> Config:
    return load([(f"layer{number}.yaml", json.dumps(layer)) for number, layer in enumerate(layers)])


def test_layers_replace_values_and_merge_maps_by_key() -> None:
    lower = component_options({"event-ttl": "1h", "feature-gates": {"A": True}, "enable-admission-plugins": ["X"]})
    upper = component_options({"feature-gates": {"B": False}, "enable-admission-plugins": ["Y"]})
    assert config(lower, upper).data["flags"] == {
        "event-ttl": "1h",
        "feature-gates": {"A": True, "B": False},
        "enable-admission-plugins": ["Y"],
    }


@pytest.mark.parametrize(
    ("layers", "removed"),
    [
        ([{"event-ttl": "1h"}, {"event-ttl": None}], {"event-ttl": None}),
        ([{"profiling": False}, {"event-ttl": None}], {"profiling": False, "event-ttl": None}),
        ([{"event-ttl": None}, {"event-ttl": "1h"}], {"event-ttl": "1h"}),
        ([{"event-ttl": None}, {"profiling": False}], {"profiling": False, "event-ttl": None}),
    ],
)
def test_null_removes_a_flag_of_the_manifest_and_stays_in_the_merged_options(
    layers: list[Mapping[str, Any]], removed: Mapping[str, Any]
) -> None:
    merged = config(*map(component_options, layers))
    assert merged.data["flags"] == removed
    assert yaml.safe_load(merged.text)["flags"] == removed
    origins = {".".join(map(str, origin.path)): origin.file for origin in merged.origins()}
    assert set(origins) == {"component", *(f"flags.{flag}" for flag in removed)}


def changes(before: Mapping[str, Any], after: Mapping[str, Any], version: str = "1.34") -> dict[str, str]:
    """Return the class of disruption of each field that differs."""
    differing = compare(config(before), config(after), (version, version)).changes
    return {change.change.path: change.disruption.name for change in differing}


SAME = [
    ({"audit-log-maxage": 30}, {"audit_log_maxage": "30"}),
    ({"request-timeout": "60s"}, {"request-timeout": "1m"}),
    ({"profiling": False}, {"profiling": "false"}),
    ({"feature-gates": {"A": True, "B": False}}, {"feature-gates": "B=false,A=true"}),
    ({"enable-admission-plugins": ["A", "B"]}, {"enable-admission-plugins": "A,B"}),
    ({"runtime-config": "apps/v1"}, {"runtime-config": {"apps/v1": True}}),
]


@pytest.mark.parametrize(("before", "after"), SAME)
def test_values_that_the_component_reads_alike_are_equal(before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
    assert changes(component_options(before), component_options(after)) == {}


def test_another_flag_asks_for_a_restart() -> None:
    before = component_options({"event-ttl": "1h", "feature-gates": {"A": True, "B": True}})
    after = component_options({"event-ttl": None, "feature-gates": {"A": False, "B": True}, "profiling": False})
    fields = ("flags.event-ttl", "flags.feature-gates.A", "flags.profiling")
    assert changes(before, after) == dict.fromkeys(fields, "restart")
    lines = compare(config(before), config(after)).lines
    assert any('flags.event-ttl: "1h" -> "(removed)"' in line for line in lines)


def authorization(*types: str, version: str = "v1") -> dict[str, Any]:
    content = {
        "apiVersion": f"apiserver.config.k8s.io/{version}",
        "kind": "AuthorizationConfiguration",
        "authorizers": [{"type": kind, "name": f"a{place}"} for place, kind in enumerate(types)],
    }
    return component_options(files={"authz.yaml": {"content": content}})


@pytest.mark.parametrize(
    ("before", "after", "version", "name"),
    [
        (authorization("Node", "RBAC"), authorization("Node", "RBAC", "Webhook"), "1.34", "live"),
        (authorization("Node", "RBAC"), authorization("Node"), "1.34", "restart"),
        (authorization("Node", "RBAC"), authorization("RBAC", "Node"), "1.34", "restart"),
        (
            authorization("Node", version="v1alpha1"),
            authorization("Node", "Webhook", version="v1alpha1"),
            "1.29",
            "restart",
        ),
    ],
)
def test_another_content_of_a_file_is_reloaded_where_the_component_can(
    before: Mapping[str, Any], after: Mapping[str, Any], version: str, name: str
) -> None:
    assert list(changes(before, after, version).values()) == [name]


def test_another_audit_policy_asks_for_a_restart() -> None:
    before, after = (
        component_options(files={"p": {"content": {**AUDIT_POLICY, "rules": [{"level": level}]}}})
        for level in ("Metadata", "Request")
    )
    assert list(changes(before, after).values()) == ["restart"]


def test_a_file_whose_reload_no_metric_shows_asks_for_a_restart() -> None:
    before, after = (
        component_options(files={"ca": {"flag": "client-ca-file", "content": text}}) for text in ("one", "other")
    )
    assert list(changes(before, after).values()) == ["restart"]


def test_a_flag_is_explained() -> None:
    facts = explain("flags.authentication_config", kind="kube-apiserver").facts
    assert facts["names_a_file"] == "AuthenticationConfiguration"
    assert facts["versions"] == "from 1.28"
    assert [(row["since"], row["value"]) for row in facts["disruption"]] == [("1.28", "restart"), ("1.30", "live")]
    assert explain("flags.event-ttl", kind="kube-apiserver").facts["bundle"] == "may set it"


def test_a_flag_that_a_component_does_not_have_is_not_explained() -> None:
    with pytest.raises(ConfigError, match="kube-apiserver has no flag --event-tt: did you mean event-ttl"):
        explain("flags.event-tt", kind="kube-apiserver")


def test_the_flags_of_a_manifest_become_options_where_a_bundle_may_set_them() -> None:
    own = ["--audit-log-maxage=30", "--feature-gates=AllAlpha=false", "--audit-log-path=/a", "--audit-policy-file=/p"]
    made = migrate("kube-apiserver", ["kube-apiserver", *KUBEADM_APISERVER, *own], version="1.34")
    assert yaml.safe_load(made.text) == component_options(
        {"audit-log-maxage": 30, "feature-gates": {"AllAlpha": False}}
    )
    assert made.findings == ()
    staying = {flag.name: flag.reason for flag in made.flags}
    assert staying["enable-admission-plugins"] == "kubeadm writes it"
    assert staying["audit-log-path"] == "a bundle may not set it"
    assert staying["audit-policy-file"] == "it names /p: put the content of this file under files"
    assert {flag.name for flag in made.dropped} == {"audit-log-maxage", "feature-gates"}
    assert len(made.flags) + len(made.dropped) == len(KUBEADM_APISERVER) + len(own)


def test_the_flags_of_etcd_become_options_but_for_what_kubeadm_writes() -> None:
    words = ["etcd", "--name=a", "--snapshot-count=10000", "--quota-backend-bytes=8589934592", "--log-level=warn"]
    made = migrate("etcd", words, version="1.34")
    assert yaml.safe_load(made.text)["flags"] == {"quota-backend-bytes": 8 << 30, "log-level": "warn"}
    reasons = {flag.name: flag.reason for flag in made.flags}
    assert reasons == {"name": "a bundle may not set it", "snapshot-count": "kubeadm writes it"}


def test_what_is_wrong_with_a_manifest_is_a_finding() -> None:
    made = migrate("kube-apiserver", ["kube-apiserver", "--audit-log-maxag=3", "--event-ttl=soon"], version="1.34")
    messages = [finding.message for finding in made.findings]
    assert any("--audit-log-maxag: kube-apiserver has no such flag" in message for message in messages)
    assert {flag.name for flag in made.flags} == {"event-ttl"}


OPTIONS = component_options({"event-ttl": "2h", "enable-admission-plugins": ["A", "B"], "profiling": None})


@pytest.mark.parametrize(
    ("version", "arguments"),
    [
        (
            "v1beta4",
            [{"name": "event-ttl", "value": "2h"}, {"name": "enable-admission-plugins", "value": "A,B"}],
        ),
        ("v1beta3", {"event-ttl": "2h", "enable-admission-plugins": "A,B"}),
    ],
)
def test_options_become_extra_arguments_of_kubeadm(version: str, arguments: Any) -> None:
    made = convert_document(OPTIONS, f"kubeadm.k8s.io/{version}")
    head = {"apiVersion": f"kubeadm.k8s.io/{version}", "kind": "ClusterConfiguration"}
    assert made.data == {**head, "apiServer": {"extraArgs": arguments}}
    assert [(loss.path, loss.reason) for loss in made.losses] == [
        (("flags", "profiling"), "kubeadm removes no flag that it writes itself")
    ]


def test_extra_arguments_come_back_as_the_same_options() -> None:
    flags = {"concurrent-gc-syncs": 30, "feature-gates": {"AllAlpha": False}}
    options = component_options(flags, component="kube-controller-manager")
    text = encode(convert_document(options, "kubeadm.k8s.io/v1beta4").data)
    words = flags_in_file(text, file="kubeadm.yaml", component="kube-controller-manager")
    assert words is not None
    assert yaml.safe_load(migrate("kube-controller-manager", ["", *words], version="1.34").text) == options


def test_the_content_of_a_file_is_lost_in_extra_arguments() -> None:
    made = convert_document(component_options(files={"p": {"content": AUDIT_POLICY}}), "kubeadm.k8s.io/v1beta4")
    assert [loss.path for loss in made.losses] == [("files", "p", "content")]
    (argument,) = made.data["apiServer"]["extraArgs"]
    assert argument == {"name": "audit-policy-file", "value": "/etc/kubernetes/configok/kube-apiserver/p"}


def test_a_flag_with_several_uses_is_lost_in_part_where_extra_arguments_are_a_map() -> None:
    options = component_options({"service-account-issuer": ["https://a", "https://b"]})
    made = convert_document(options, "kubeadm.k8s.io/v1beta3")
    assert [(loss.path, loss.value) for loss in made.losses] == [(("flags", "service-account-issuer"), ["https://a"])]
    assert convert_document(options, "kubeadm.k8s.io/v1beta4").losses == []


def test_a_layer_without_flags_removes_those_below() -> None:
    lower, upper = component_options({"event-ttl": None, "profiling": False}), {**component_options(), "flags": None}
    assert config(lower, upper).data.get("flags") is None
