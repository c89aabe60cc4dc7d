# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Flags of components inside kubeadm's files and containers."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._flags._flags_in_files import (
    container_flags,
    kubeadm_arguments,
)


def run(*command: str, args: tuple[str, ...] = ()) -> dict[str, Any]:
    return {"name": "a", "command": list(command), "args": list(args)}


def flags_of(data: dict[str, Any]) -> list[tuple[str, list[str]]]:
    return [
        (component, [f"{argument.name}={argument.value}" for argument in arguments])
        for component, arguments in container_flags(data, ())
    ]


@pytest.mark.parametrize(
    ("data", "component", "flags"),
    [
        (run("kube-apiserver", "--v=2", "--profiling"), "kube-apiserver", ["v=2", "profiling=true"]),
        (run("/usr/local/bin/kube-scheduler", "--v", "2"), "kube-scheduler", ["v=2"]),
        (run("kube-proxy", args=("--config=/a", "--hostname-override=$(NODE)")), "kube-proxy", [
            "config=/a", "hostname-override=$(NODE)",
        ]),
        (run("/go-runner", "--log-file=/a", "/usr/bin/kube-controller-manager", "--v=2"), "kube-controller-manager", [
            "v=2",
        ]),
        (run("/hyperkube", "kube-apiserver", "--v=2"), "kube-apiserver", ["v=2"]),
        (run("/bin/sh", "-c", "sleep 1; exec kube-apiserver --v=2 --secure-port='1' 1>>/a 2>&1"), "kube-apiserver", [
            "v=2", "secure-port=1",
        ]),
        (run("sh", "-c", "kube-scheduler --v=2; true"), "kube-scheduler", ["v=2"]),
        (run("/usr/local/bin/etcd", "--name=a", "-snapshot-count", "5"), "etcd", ["name=a", "snapshot-count=5"]),
    ],
)  # fmt: skip
def test_the_flags_of_a_container_are_read(data: dict[str, Any], component: str, flags: list[str]) -> None:
    assert flags_of(data) == [(component, flags)]


def test_stray_words_of_a_container_are_errors_at_their_path() -> None:
    data = run("kube-apiserver", "--v", "2", args=("stray", "--profiling"))
    ((_component, arguments),) = container_flags(data, ())
    assert [argument.path[-2:] for argument in arguments] == [("command", 1), ("args", 0), ("args", 1)]
    assert arguments[1].error == "'stray' is not a flag: the component takes nothing else"


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"command": "kube-apiserver"},
        {"command": None, "args": "kube-apiserver"},
        run("nginx", "--v=2"),
        run("etcd", "gateway", "start", "--endpoints=a"),
        run("sh", "-c", "echo 'kube-apiserver"),
        run("sh", "-c"),
        run(),
    ],
)
def test_other_containers_have_none(data: dict[str, Any]) -> None:
    assert flags_of(data) == []


def test_the_arguments_of_kubeadm_are_read() -> None:
    as_map = {"apiServer": {"extraArgs": {"v": "2"}}, "scheduler": None, "etcd": {"local": {"extraArgs": {"x": "1"}}}}
    as_list = {"nodeRegistration": {"kubeletExtraArgs": [{"name": "v", "value": "4"}, {"name": "v", "value": "2"}]}}
    assert [
        (component, [argument.path for argument in arguments])
        for component, arguments in kubeadm_arguments("ClusterConfiguration", as_map)
    ] == [("kube-apiserver", [("apiServer", "extraArgs", "v")]), ("etcd", [("etcd", "local", "extraArgs", "x")])]
    ((component, arguments),) = kubeadm_arguments("JoinConfiguration", as_list)
    assert component == "kubelet"
    assert [argument.value for argument in arguments] == ["2", "4"]  # as kubeadm sorts them
    assert list(kubeadm_arguments("ResetConfiguration", as_list)) == []
