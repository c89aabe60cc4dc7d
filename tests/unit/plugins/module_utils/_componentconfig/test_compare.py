# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Two configs compared in one call."""

from __future__ import annotations

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig import ConfigError
from ansible_collections.configok.node.plugins.module_utils._componentconfig.compare import Comparison, compare
from ansible_collections.configok.node.plugins.module_utils._componentconfig.load import load
from support.configs.kubelet import KUBELET_HEADER
from support.releases.names import NEWEST_RELEASE, NEXT_RELEASE

PROXY = "apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\n"


Side = tuple[list[tuple[str, str]], str]


def side(*texts: str, version: str = "") -> Side:
    return [(f"{number}.yaml", text) for number, text in enumerate(texts)], version


def compared(before: Side, after: Side) -> Comparison:
    first, second = (load(layers) if layers else None for layers, _version in (before, after))
    return compare(first, second, (before[1], after[1]))


def test_lines_say_what_differs_and_what_it_asks() -> None:
    comparison = compared(
        side(KUBELET_HEADER), side(KUBELET_HEADER, KUBELET_HEADER + "maxPods: 120\ncpuManagerPolicy: static\n")
    )
    assert comparison.heaviest == "drain+state"
    assert comparison.lines == [
        'cpuManagerPolicy: "none" -> "static"  [drain and remove cpu_manager_state]  (1.yaml:4)',
        "maxPods: 110 -> 120                   [restart-may-reject]  (1.yaml:3)",
        "overall: drain+state: drain, stop kubelet, remove the state file, change, start, uncordon",
    ]


def test_a_removed_static_pod_path_stops_the_control_plane() -> None:
    comparison = compared(side(KUBELET_HEADER + "staticPodPath: /etc/kubernetes/manifests\n"), side(KUBELET_HEADER))
    assert comparison.lines == [
        'staticPodPath: "/etc/kubernetes/manifests" -> <unset>  [stop-static-pods]',
        "overall: stop-static-pods: restart; static pods that the kubelet no longer finds stop, on a kubeadm "
        "control plane its API server and etcd among them",
    ]


def test_lines_name_the_component_of_the_config() -> None:
    comparison = compared(side(PROXY), side(PROXY + "clusterCIDR: 10.0.0.0/8\n"))
    assert comparison.lines[-1] == "overall: restart: a restart of kube-proxy applies it"


def test_nothing_differs() -> None:
    comparison = compared(side(KUBELET_HEADER + "maxPods: 110\n"), side(KUBELET_HEADER))
    assert (comparison.heaviest, comparison.lines) == (None, ["no field differs"])
    assert comparison.effective[0] == comparison.effective[1]


def test_an_upgrade_is_compared_with_itself() -> None:
    comparison = compared(side(KUBELET_HEADER, version="1.34"), side(KUBELET_HEADER, version="1.35"))
    assert "failCgroupV1: false -> true" in [str(change) for change in comparison.changes]
    assert comparison.heaviest == "restart-crash-risk"


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        (side(), side(), "neither side has a config"),
        (side(KUBELET_HEADER), side(PROXY), "KubeletConfiguration and KubeProxyConfiguration cannot be compared"),
        (side(KUBELET_HEADER), side("maxPods: 1\n"), "0.yaml:1: apiVersion: every layer needs apiVersion and kind"),
        (side(KUBELET_HEADER), side("[\n"), "0.yaml:"),
        (
            side(KUBELET_HEADER),
            side(KUBELET_HEADER.replace("v1beta1", "v9")),
            "0.yaml: kubelet.config.k8s.io/v9 KubeletConfiguration is no",
        ),
        (side(KUBELET_HEADER, version="two"), side(KUBELET_HEADER), "not a Kubernetes version"),
        (side(KUBELET_HEADER, version="1.19"), side(KUBELET_HEADER), "Kubernetes 1.19 is not known here, 1.20 to "),
        (
            side(KUBELET_HEADER),
            side(KUBELET_HEADER, version="1.3"),
            r"Kubernetes 1.3 is not known here, .* are: write 1.30 in quotes, ",
        ),
    ],
)
def test_what_cannot_be_compared(before: Side, after: Side, sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence):
        compared(before, after)


def test_a_comparison_for_a_release_without_whole_data_says_what_it_cannot_tell() -> None:
    same = compared(side(KUBELET_HEADER, version=NEXT_RELEASE), side(KUBELET_HEADER, version=NEXT_RELEASE))
    assert same.lines == [
        "no field differs, as far as the data say",
        f"not judged: fields, defaults, gates, flags and rules of Kubernetes {NEXT_RELEASE}: the data of this release "
        f"are not whole, and it is judged as {NEWEST_RELEASE}",
    ]
