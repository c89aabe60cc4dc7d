# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Conversion to another version of a kind: the versions, and the resulting text."""

from __future__ import annotations

import re
from copy import deepcopy
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig import ConfigError
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.kinds import (
    find_kind,
    kinds,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig.convert import (
    convert,
    convert_document,
    readers_text,
    versions_of,
)
from support.releases.names import NEWEST_RELEASE, NEXT_RELEASE

LEADER = {"kind": "LeaderMigrationConfiguration", "leaderName": "a"}


APISERVER = "apiserver.config.k8s.io"
POD_SECURITY = "pod-security.admission.config.k8s.io"
KUBELET = "kubelet.config.k8s.io"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("apiserver.k8s.io/v1alpha1 AdmissionConfiguration", f"{APISERVER}/v1 AdmissionConfiguration"),
        (f"{APISERVER}/v1alpha1 WebhookAdmission", f"{APISERVER}/v1 WebhookAdmissionConfiguration"),
        ("resourcequota.admission.k8s.io/v1beta1 Configuration", f"{APISERVER}/v1 ResourceQuotaConfiguration"),
        (f"{POD_SECURITY}/v1alpha1 PodSecurityConfiguration", f"{POD_SECURITY}/v1 PodSecurityConfiguration"),
        (f"{KUBELET}/v1alpha1 CredentialProviderConfig", f"{KUBELET}/v1 CredentialProviderConfig"),
        (f"{KUBELET}/v1alpha1 ImagePullIntent", f"{KUBELET}/v1beta1 ImagePullIntent"),
    ],
)
def test_group_and_kind_change_where_the_version_calls_them_otherwise(old: str, new: str) -> None:
    (old_version, old_kind), (new_version, new_kind) = old.split(), new.split()
    for short_or_long in (new_version, new_version.rsplit("/", 1)[-1]):
        result = convert_document({"apiVersion": old_version, "kind": old_kind}, short_or_long)
        assert result.data == {"apiVersion": new_version, "kind": new_kind}
    assert convert_document({"apiVersion": new_version, "kind": new_kind}, old_version).data["kind"] == old_kind


def test_a_version_without_a_group_is_one_of_the_documents_own_group() -> None:
    old, new = (("v1", "EncryptionConfig"), (f"{APISERVER}/v1", "EncryptionConfiguration"))
    for api_version, kind in (old, new):
        data = {"apiVersion": api_version, "kind": kind}
        assert convert_document(data, "v1").data == data
        assert convert_document(data, new[0]).data["kind"] == new[1]


def test_kinds_of_one_name_are_not_mixed_up() -> None:
    named = [kind for kind in kinds() if kind.kind == "Configuration"]
    assert {kind.api_version.split("/")[0]: [version.version for version in versions_of(kind)] for kind in named} == {
        "eventratelimit.admission.k8s.io": ["v1alpha1"],
        "podtolerationrestriction.admission.k8s.io": ["v1alpha1"],
        "resourcequota.admission.k8s.io": ["v1alpha1", "v1beta1", "v1"],
    }


@pytest.mark.parametrize(
    ("api_version", "kind", "words"),
    [
        ("kubescheduler.config.k8s.io/v1", "KubeSchedulerConfiguration", "Kubernetes 1.25 and newer"),
        ("kubescheduler.config.k8s.io/v1beta3", "KubeSchedulerConfiguration", "Kubernetes 1.23 to 1.28"),
        ("kubescheduler.config.k8s.io/v1beta1", "NodeResourcesBalancedAllocationArgs", "Kubernetes 1.22"),
    ],
)
def test_the_text_names_the_releases_that_read_a_version(api_version: str, kind: str, words: str) -> None:
    known = find_kind(api_version, kind)
    assert known is not None
    assert readers_text(known) == words


def test_versions_are_in_their_order() -> None:
    kind = find_kind("kubescheduler.config.k8s.io/v1", "KubeSchedulerConfiguration")
    assert kind is not None
    assert [kind_version.version for kind_version in versions_of(kind)] == ["v1beta1", "v1beta2", "v1beta3", "v1"]


def test_the_document_stays_as_it_is() -> None:
    data: dict[str, Any] = {
        "apiVersion": "kubeadm.k8s.io/v1beta4",
        "kind": "InitConfiguration",
        "nodeRegistration": {"kubeletExtraArgs": [{"name": "a"}], "imagePullSerial": False},
    }
    before = deepcopy(data)
    result = convert_document(data, "v1beta2")
    result.data["nodeRegistration"]["kubeletExtraArgs"]["b"] = ""
    assert data == before


def test_the_same_version_changes_nothing() -> None:
    data = {"apiVersion": "kubeadm.k8s.io/v1beta3", "kind": "InitConfiguration", "unknown": [1]}
    assert convert_document(data, "v1beta3")[:2] == (data, [])


def test_the_lock_of_a_leader_migration() -> None:
    group = "controllermanager.config.k8s.io"
    old = {**LEADER, "apiVersion": f"{group}/v1beta1", "resourceLock": "leases"}
    new = {**LEADER, "apiVersion": f"{group}/v1"}
    assert convert_document(old, "v1")[:2] == (new, [])
    assert convert_document(new, "v1beta1")[:2] == (old, [])
    assert [loss.path for loss in convert_document({**old, "resourceLock": "endpoints"}, "v1").losses] == [
        ("resourceLock",)
    ]


def test_the_preferences_of_kubectl_are_converted() -> None:
    flags = [{"name": "output", "default": "wide"}]
    old = {
        "apiVersion": "kubectl.config.k8s.io/v1alpha1",
        "kind": "Preference",
        "overrides": [{"command": "get", "flags": flags}],
        "aliases": [{"name": "g", "command": "get", "flags": flags, "appendArgs": ["-A"]}],
    }
    new = {
        "apiVersion": "kubectl.config.k8s.io/v1beta1",
        "kind": "Preference",
        "defaults": [{"command": "get", "options": flags}],
        "aliases": [{"name": "g", "command": "get", "options": flags, "appendArgs": ["-A"]}],
    }
    assert convert_document(old, "v1beta1")[:2] == (new, [])
    assert convert_document(new, "v1alpha1")[:2] == (old, [])
    both = {**new, "credentialPluginPolicy": "DenyAll"}
    assert [loss.path for loss in convert_document(both, "v1alpha1").losses] == [("credentialPluginPolicy",)]
    assert convert_document({**new, "credentialPluginPolicy": "AllowAll"}, "v1alpha1").losses == []


def test_a_field_of_neither_version_is_lost() -> None:
    data = {"apiVersion": "kubelet.config.k8s.io/v1alpha1", "kind": "CredentialProviderConfig", "provider": []}
    (loss,) = convert_document(data, "v1").losses
    assert (loss.path, loss.value, loss.reason) == (
        ("provider",),
        [],
        "kubelet.config.k8s.io/v1alpha1 does not have the field",
    )


@pytest.mark.parametrize(
    ("text", "target", "sentence"),
    [
        ("a: 1\n", "v1", "None None is not a known kind"),
        ("apiVersion: v1\nkind: Pod\n", "v1", "v1 Pod is not a known kind"),
        (
            "apiVersion: kubeadm.k8s.io/v1beta2\nkind: InitConfiguration\n",
            "v1",
            "InitConfiguration has no version v1: it has kubeadm.k8s.io/v1beta1, kubeadm.k8s.io/v1beta2,"
            " kubeadm.k8s.io/v1beta3, kubeadm.k8s.io/v1beta4",
        ),
        ("a: 1\na: 2\n", "v1", "config:2: a: duplicate field, first on line 1; the last one is used"),
        ("a: 1\n---\nb: 1\nb: 2\n", "v1", "config:4: b: duplicate field, first on line 3; the last one is used"),
        (
            "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n---\n"
            "apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\n",
            "v1",
            "config: no document has a version v1",
        ),
        ("---\na: 1\n" * 65, "v1", "more than 64 documents in one file"),
        ("# " + "x" * 2**20, "v1", "config: 1048578 characters, at most 1048576 are read"),
        ("[]", "v1", "config: must be a mapping with apiVersion and kind"),
        ("", "v1", "config: the file is empty"),
    ],
)
def test_a_sentence_says_why_not(text: str, target: str, sentence: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(sentence)) as raised:
        convert(text, target)
    assert str(raised.value) == sentence


def test_a_version_that_some_kubernetes_does_not_read_is_refused() -> None:
    text = "apiVersion: kubescheduler.config.k8s.io/v1beta3\nkind: KubeSchedulerConfiguration\n"
    assert convert(text, "v1", versions=["1.25", "v1.36.2"]).losses == []
    sentence = (
        "Kubernetes 1.24 does not read kubescheduler.config.k8s.io/v1 KubeSchedulerConfiguration:"
        " it is read by Kubernetes 1.25 and newer"
    )
    with pytest.raises(ConfigError, match=re.escape(sentence)) as raised:
        convert(text, "v1", versions=["1.25", "1.24"])
    assert str(raised.value) == sentence


def test_the_lines_are_human_readable_and_show_no_secret() -> None:
    text = "apiVersion: kubeadm.k8s.io/v1beta2\nkind: InitConfiguration\ncertificateKey: sesame\n"
    result = convert(text, "v1beta1")
    why = "kubeadm.k8s.io/v1beta1 does not have the field"
    assert result.lines == [
        "InitConfiguration: kubeadm.k8s.io/v1beta2 -> kubeadm.k8s.io/v1beta1, read by Kubernetes 1.20 to 1.21",
        f"lost: InitConfiguration: certificateKey: (a secret, not shown): {why}",
    ]


def test_json_is_read_too() -> None:
    text = '{"apiVersion": "kubelet.config.k8s.io/v1alpha1", "kind": "CredentialProviderConfig", "providers": []}'
    assert convert(text.encode(), "v1").text == (
        "apiVersion: kubelet.config.k8s.io/v1\nkind: CredentialProviderConfig\nproviders: []\n"
    )


@pytest.mark.parametrize("version", ["1.3", "1.19"])
def test_versions_that_are_not_known_are_refused(version: str) -> None:
    text = "apiVersion: kubescheduler.config.k8s.io/v1beta3\nkind: KubeSchedulerConfiguration\n"
    with pytest.raises(ConfigError, match=f"^Kubernetes {version} is not known here, 1.20 to "):
        convert(text, "v1", file="f", versions=[version])


def test_a_reader_without_whole_data_is_not_judged() -> None:
    text = "apiVersion: kubescheduler.config.k8s.io/v1beta3\nkind: KubeSchedulerConfiguration\n"
    converted = convert(text, "v1", versions=[NEWEST_RELEASE, NEXT_RELEASE])
    assert [line for line in converted.lines if line.startswith("not judged: ")] == [
        f"not judged: {cause}" for cause in converted.not_judged
    ]
    assert [cause.what for cause in converted.not_judged] == [
        f"fields, defaults, gates, flags and rules of Kubernetes {NEXT_RELEASE}"
    ]
