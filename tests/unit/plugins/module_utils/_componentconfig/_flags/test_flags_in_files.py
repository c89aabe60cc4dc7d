# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Flags of components inside kubeadm's files, Pods, and configs of k3s and RKE2."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._flags._flags_in_files import (
    distribution_arguments,
    kubeadm_arguments,
    static_pod_flags,
)


def pod(*command: str, args: tuple[str, ...] = ()) -> dict[str, Any]:
    container = {"name": "a", "command": list(command), "args": list(args)}
    return {"apiVersion": "v1", "kind": "Pod", "spec": {"containers": [container]}}


def flags_of(data: dict[str, Any]) -> list[tuple[str, list[str]]]:
    return [
        (component, [f"{argument.name}={argument.value}" for argument in arguments])
        for component, arguments in static_pod_flags(data)
    ]


@pytest.mark.parametrize(
    ("data", "component", "flags"),
    [
        (pod("kube-apiserver", "--v=2", "--profiling"), "kube-apiserver", ["v=2", "profiling=true"]),
        (pod("/usr/local/bin/kube-scheduler", "--v", "2"), "kube-scheduler", ["v=2"]),
        (pod("kube-proxy", args=("--config=/a", "--hostname-override=$(NODE)")), "kube-proxy", [
            "config=/a", "hostname-override=$(NODE)",
        ]),
        (pod("/go-runner", "--log-file=/a", "/usr/bin/kube-controller-manager", "--v=2"), "kube-controller-manager", [
            "v=2",
        ]),
        (pod("/hyperkube", "kube-apiserver", "--v=2"), "kube-apiserver", ["v=2"]),
        (pod("/bin/sh", "-c", "sleep 1; exec kube-apiserver --v=2 --secure-port='1' 1>>/a 2>&1"), "kube-apiserver", [
            "v=2", "secure-port=1",
        ]),
        (pod("sh", "-c", "kube-scheduler --v=2; true"), "kube-scheduler", ["v=2"]),
    ],
)  # fmt: skip
def test_the_flags_of_a_static_pod(data: dict[str, Any], component: str, flags: list[str]) -> None:
    assert flags_of(data) == [(component, flags)]
    template = {"kind": "DaemonSet", "spec": {"template": {"spec": data["spec"]}}}
    assert flags_of(template) == [(component, flags)]


def test_paths_and_stray_words_of_a_static_pod() -> None:
    data = pod("kube-apiserver", "--v", "2", args=("stray", "--profiling"))
    ((_component, arguments),) = static_pod_flags(data)
    assert [argument.path[-2:] for argument in arguments] == [("command", 1), ("args", 0), ("args", 1)]
    assert arguments[1].error == "'stray' is no flag: the component takes nothing else"


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"spec": None},
        {"spec": {"containers": "a"}},
        {"spec": {"containers": [None, {"command": "kube-apiserver"}]}},
        {"spec": {"template": {"spec": []}}},
        pod("nginx", "--v=2"),
        pod("etcd", "--v=2"),
        pod("sh", "-c", "echo 'kube-apiserver"),
        pod("sh", "-c"),
        pod(),
    ],
)
def test_other_objects_have_none(data: dict[str, Any]) -> None:
    assert flags_of(data) == []


def test_the_arguments_of_k3s_and_rke2() -> None:
    data = {
        "kubelet-arg": ["max-pods=50", "--v=2", "feature-gates+=A=true", "fail-swap-on", None],
        "kube-apiserver-arg+": "profiling=false",
        "kube-controller-arg": [],
        "kube-proxy-arg": None,
        "kube-scheduler-arg": {"a": "b"},
        "etcd-arg": ["a=b"],
        "node-label": ["a=b"],
    }
    assert [
        (component, [(argument.path, argument.name, argument.value) for argument in arguments])
        for component, arguments in distribution_arguments(data)
    ] == [
        (
            "kubelet",
            [
                (("kubelet-arg", 0), "max-pods", "50"),
                (("kubelet-arg", 1), "v", "2"),
                (("kubelet-arg", 2), "feature-gates", "A=true"),
                (("kubelet-arg", 3), "fail-swap-on", "true"),
            ],
        ),
        ("kube-apiserver", [(("kube-apiserver-arg+",), "profiling", "false")]),
    ]


def test_the_arguments_of_kubeadm() -> None:
    as_map = {"apiServer": {"extraArgs": {"v": "2"}}, "scheduler": None, "etcd": {"local": {"extraArgs": {"x": "1"}}}}
    as_list = {"nodeRegistration": {"kubeletExtraArgs": [{"name": "v", "value": "4"}, {"name": "v", "value": "2"}]}}
    assert [
        (component, [argument.path for argument in arguments])
        for component, arguments in kubeadm_arguments("ClusterConfiguration", as_map)
    ] == [("kube-apiserver", [("apiServer", "extraArgs", "v")])]
    ((component, arguments),) = kubeadm_arguments("JoinConfiguration", as_list)
    assert component == "kubelet"
    assert [argument.value for argument in arguments] == ["2", "4"]  # as kubeadm sorts them
    assert list(kubeadm_arguments("ResetConfiguration", as_list)) == []
