# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The filter local_fields: selection of the fields that stay on the node."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.errors import AnsibleFilterError

from ansible_collections.configok.node.plugins.filter.local_fields import local_fields


def test_only_what_no_bundle_may_set() -> None:
    config = {
        "maxPods": 110,
        "staticPodPath": "/etc/kubernetes/manifests",
        "authentication": {"x509": {"clientCAFile": "/ca"}},
        "providerID": None,
    }
    assert local_fields(config, "kubelet") == {
        "staticPodPath": "/etc/kubernetes/manifests",
        "authentication": {"x509": {"clientCAFile": "/ca"}},
    }


def test_nested_fields_stay_nested_and_alone() -> None:
    config = {"clientConnection": {"kubeconfig": "/k", "qps": 5}, "mode": "ipvs"}
    assert local_fields(config, "kube-proxy") == {"clientConnection": {"kubeconfig": "/k"}}
    assert local_fields({"clientConnection": "odd"}, "kube-proxy") == {}


def test_a_relative_path_means_the_directory_of_its_file() -> None:
    config: dict[str, Any] = {
        "kind": "KubeletConfiguration",
        "staticPodPath": "../manifests",
        "tlsCertFile": "/pki/tls.crt",
    }
    config["authentication"] = {"x509": {"clientCAFile": "ca.crt"}}
    assert local_fields(config, "kubelet", directory="/etc/kubernetes/kubelet") == {
        "authentication": {"x509": {"clientCAFile": "/etc/kubernetes/kubelet/ca.crt"}},
        "staticPodPath": "/etc/kubernetes/manifests",
        "tlsCertFile": "/pki/tls.crt",
    }


def test_the_kind_counts_and_not_the_name() -> None:
    config = {"kind": "KubeletConfiguration", "maxPods": 110, "staticPodPath": "manifests"}
    assert local_fields(config, "kubelet-b", directory="/etc") == {"staticPodPath": "/etc/manifests"}
    assert local_fields({"kind": "CredentialProviderConfig", "providers": []}, "credentials") == {}


def test_what_this_node_allows_does_not_stay_and_what_it_denies_does() -> None:
    config = {"staticPodPath": "/m", "maxPods": 1, "authentication": {"x509": {"clientCAFile": "/ca"}, "webhook": {}}}
    options: dict[str, Any] = {"additionalDeniedFields": ["maxPods"], "allowedFields": ["authentication.x509"]}
    assert local_fields(config, "kubelet", options=options) == {
        "staticPodPath": "/m",
        "maxPods": 1,
        "authentication": {"webhook": {}},
    }
    assert local_fields(config, "kubelet", options={"allowedFields": ["*"]}) == {}


def test_unknown_components_have_none() -> None:
    assert local_fields({"staticPodPath": "/x"}, "other") == {}


def test_a_text_means_what_it_means_to_kubernetes() -> None:
    text = "registerNode: y\nproviderID: 1:20\nport: 1.025e4\nhostnameOverride: 2026-01-01\nmaxPods: 1\n"
    options = {"additionalDeniedFields": ["registerNode", "providerID", "port", "hostnameOverride"]}
    fields = local_fields(text, "kubelet", options=options)
    assert fields == {"registerNode": True, "providerID": "1:20", "port": 10250, "hostnameOverride": "2026-01-01"}
    assert isinstance(fields["port"], int)
    assert local_fields('{"staticPodPath": "m", "maxPods": 1}', "kubelet", "/etc") == {"staticPodPath": "/etc/m"}


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ("a: [", "^local_fields: the component config:[0-9]+: .*not valid YAML"),
        ('{"a": }', "^local_fields: the component config:1: .*not valid JSON"),
        ("- a", "needs a component config, not list"),
        ("", "not NoneType"),
        (["a"], "not list"),
    ],
)
def test_a_value_that_is_not_a_config_is_refused(config: Any, words: str) -> None:
    with pytest.raises(AnsibleFilterError, match=words):
        local_fields(config, "kubelet")
