# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a manifest says, and which files of the folder can be used."""

from __future__ import annotations

import re
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._static_pods.manifest import (
    InvalidManifest,
    Mount,
    read_manifest,
)
from ansible_collections.configok.node.plugins.module_utils._static_pods.manifest_folder import survey_folder
from support.configs.manifests import kubeadm_pod, manifest_bytes

FILE = "kube-apiserver.yaml"


def test_a_manifest_of_kubeadm_says_what_it_runs() -> None:
    manifest = read_manifest(manifest_bytes(kubeadm_pod("kube-apiserver", "--profiling=false")), FILE)
    assert (manifest.name, manifest.component, manifest.image) == (
        "kube-system/kube-apiserver",
        "kube-apiserver",
        "k8s.gcr.io/kube-apiserver:v1.20.2",
    )
    assert (manifest.arguments[0], manifest.arguments[-1]) == ("--advertise-address=10.0.0.1", "--profiling=false")
    assert manifest.mounts == (
        Mount("/etc/ssl/certs", "/etc/ssl/certs"),
        Mount("/etc/kubernetes/pki", "/etc/kubernetes/pki"),
    )
    assert manifest.applied_options == ""


@pytest.mark.parametrize(
    ("command", "args", "arguments"),
    [
        (["/usr/local/bin/kube-apiserver", "--a"], None, ("--a",)),
        (["kube-apiserver"], ["--a", "--b"], ("--a", "--b")),
        (["kube-apiserver", "--a"], ["--b"], ("--a", "--b")),
        (["/go-runner", "--log-file=x", "/bin/kube-apiserver", "--a"], None, ("--a",)),
        (["/go-runner"], ["--log-file=x", "/bin/kube-apiserver", "--a"], ("--a",)),
        (["/go-runner", "--log-file=/var/log/kube-apiserver", "kube-apiserver", "--a"], None, ("--a",)),
    ],
)
def test_arguments_are_those_after_the_program(
    command: list[str], args: list[str] | None, arguments: tuple[str, ...]
) -> None:
    pod = kubeadm_pod("kube-apiserver", command=command, args=args)
    assert read_manifest(manifest_bytes(pod), FILE).arguments == arguments


def test_mounts_have_what_the_volumes_say() -> None:
    pod = kubeadm_pod("kube-apiserver")
    container, spec = pod["spec"]["containers"][0], pod["spec"]
    spec["volumes"] = [
        {"name": "file", "hostPath": {"path": "/etc/one.conf", "type": "FileOrCreate"}},
        {"name": "logs", "hostPath": {"path": "/var/log/audit/"}},
        {"name": "none", "emptyDir": {}},
    ]
    container["volumeMounts"] = [
        {"name": "logs", "mountPath": "/logs/deep", "subPath": "deep", "readOnly": True},
        {"name": "file", "mountPath": "/one.conf"},
        {"name": "none", "mountPath": "/tmp"},
    ]
    manifest = read_manifest(manifest_bytes(pod), FILE)
    assert manifest.mounts == (
        Mount("/one.conf", "/etc/one.conf", is_writable=True, is_file=True),
        Mount("/tmp", "", is_writable=True),
        Mount("/logs/deep", "/var/log/audit/deep", is_file=True),
    )


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        (b"\xff\xfe", "x.yaml:"),
        (b"a: [", "not valid YAML"),
        (b"", "is not a Pod, and the kubelet reads every file of its folder as one"),
        (b"apiVersion: v1\nkind: Service\nmetadata: {name: x}\n", "is not a Pod"),
        (b"apiVersion: v1\nkind: Pod\nspec: {}\n", "the Pod has no name"),
        (b"apiVersion: v1\nkind: Pod\nmetadata: {name: a, name: b}\n", "x.yaml: "),
    ],
)
def test_what_is_not_a_manifest_is_refused_with_one_sentence(source: bytes, sentence: str) -> None:
    with pytest.raises(InvalidManifest) as raised:
        read_manifest(source, "x.yaml")
    assert sentence in str(raised.value)
    assert str(raised.value).startswith("x.yaml")
    assert "\n" not in str(raised.value)


def test_a_component_whose_flags_cannot_be_changed_is_refused() -> None:
    script = kubeadm_pod("kube-apiserver", command=["sh", "-c", "kube-apiserver --a 2>&1 | tee /log"])
    wrapped = kubeadm_pod("kube-apiserver", command=["sh", "-c", "exec /usr/local/bin/kube-apiserver"])
    of_image = kubeadm_pod("kube-apiserver", command=None, args=["--log-file=/var/log/kube-apiserver", "--v=2"])
    for pod in (script, wrapped, of_image):
        with pytest.raises(InvalidManifest, match="does not name the program kube-apiserver as a word of its command"):
            read_manifest(manifest_bytes(pod), FILE)
    two = kubeadm_pod("kube-apiserver")
    two["spec"]["containers"] += kubeadm_pod("kube-scheduler")["spec"]["containers"]
    with pytest.raises(InvalidManifest, match="runs kube-apiserver and kube-scheduler, and not one of them"):
        read_manifest(manifest_bytes(two), FILE)


def test_a_path_that_ends_with_a_name_is_not_a_program() -> None:
    pod = kubeadm_pod("kube-apiserver")
    backup = {"name": "backup", "command": ["backup", "--data-dir=/var/lib/etcd", "-c", "/opt/etcd"]}
    pod["spec"]["containers"].insert(0, backup)
    manifest = read_manifest(manifest_bytes(pod), FILE)
    assert (manifest.component, manifest.container_index) == ("kube-apiserver", 1)


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        (("metadata", "uid"), "1", "metadata.uid keeps the Pod the same when its manifest changes"),
        (("metadata", "annotations"), ["a"], "metadata.annotations must be a map of texts"),
        (("metadata", "annotations"), {"a": 1}, "metadata.annotations must be a map of texts"),
        (("spec",), None, "spec.containers must be a list of containers with names"),
        (("spec", "containers"), [], "spec.containers must be a list of containers with names"),
        (("spec", "containers", 0, "name"), None, "spec.containers must be a list of containers with names"),
        (("spec", "containers", 0, "command"), 5, "command of the container kube-apiserver must be a list of texts"),
        (("spec", "containers", 0, "args"), [1], "args of the container kube-apiserver must be a list of texts"),
        (("spec", "containers", 0, "volumeMounts"), [None], "must be a list of mounts with names and absolute paths"),
        (("spec", "containers", 0, "volumeMounts", 0, "mountPath"), "a", "mounts with names and absolute paths"),
        (("spec", "containers", 0, "volumeMounts", 0, "mountPath"), "/etc/kubernetes/pki", "pki is there twice"),
        (("spec", "volumes"), 5, "spec.volumes must be a list of volumes with names"),
        (("spec", "volumes"), [None], "spec.volumes must be a list of volumes with names"),
        (("spec", "volumes", 0, "name"), "k8s-certs", "spec.volumes: k8s-certs is there twice"),
        (("spec", "volumes", 0, "hostPath", "path"), "a", "the volume ca-certs needs an absolute hostPath.path"),
        (("spec", "volumes", 0, "hostPath"), 5, "the volume ca-certs needs an absolute hostPath.path"),
    ],
)
def test_a_pod_that_the_kubelet_does_not_take_is_refused(path: tuple[Any, ...], value: Any, sentence: str) -> None:
    pod: Any = kubeadm_pod("kube-apiserver")
    owner = pod
    for key in path[:-1]:
        owner = owner[key]
    owner[path[-1]] = value
    with pytest.raises(InvalidManifest, match=re.escape(sentence)):
        read_manifest(manifest_bytes(pod), FILE)


def test_a_folder_has_components_and_others() -> None:
    vip = kubeadm_pod("kube-apiserver", command=["/kube-vip"], name="kube-vip")
    vip["metadata"]["name"] = "kube-vip"
    folder = survey_folder(
        {
            "kube-apiserver.yaml": manifest_bytes(kubeadm_pod("kube-apiserver")),
            "kube-scheduler.yaml": manifest_bytes(kubeadm_pod("kube-scheduler")),
            "kube-vip.yaml": manifest_bytes(vip),
            ".configok-kube-apiserver.yaml.tmp": b"a: [",
        }
    )
    assert sorted(folder.components) == ["kube-apiserver", "kube-scheduler"]
    assert (folder.others, folder.refused) == (("kube-system/kube-vip",), ())


def test_a_folder_that_cannot_be_used_says_why() -> None:
    no_probe = kubeadm_pod("kube-scheduler", livenessProbe=None)
    own_path, own_name = kubeadm_pod("kube-controller-manager"), kubeadm_pod("kube-controller-manager")
    own_path["spec"]["volumes"][0]["hostPath"]["path"] = "/etc/kubernetes/configok/x"
    own_name["spec"]["volumes"].append({"name": "configok-options", "emptyDir": {}})
    for files, sentences in (
        ({"a.yaml": kubeadm_pod("kube-apiserver"), "a.yaml.bak": kubeadm_pod("kube-apiserver")}, ["the same Pod"]),
        ({"s.yaml": no_probe}, ["s.yaml: kube-scheduler has no probe"]),
        ({"c.yaml": own_path}, ["c.yaml: a volume is at /etc/kubernetes/configok"]),
        ({"c.yaml": own_name}, ["c.yaml: a volume is named configok-options"]),
    ):
        folder = survey_folder({name: manifest_bytes(pod) for name, pod in files.items()})
        assert [sentence for sentence in sentences if any(sentence in text for text in folder.refused)] == sentences
    synced = kubeadm_pod("kube-apiserver")
    directory = "/etc/kubernetes/configok/kube-apiserver"
    synced["spec"]["volumes"].append({"name": "cfg", "hostPath": {"path": directory}})
    mount = {"name": "cfg", "mountPath": directory, "readOnly": True}
    synced["spec"]["containers"][0]["volumeMounts"].append(mount)
    assert survey_folder({FILE: manifest_bytes(synced)}).refused == ()
    another = kubeadm_pod("kube-apiserver")
    another["metadata"]["name"] = "second"
    both = {"a.yaml": manifest_bytes(kubeadm_pod("kube-apiserver")), "b.yaml": manifest_bytes(another)}
    assert survey_folder(both).refused == ("b.yaml: a.yaml runs kube-apiserver, too",)
    assert survey_folder({"a": b"not a Pod"}).refused == (
        "a: is not a Pod, and the kubelet reads every file of its folder as one",
    )
