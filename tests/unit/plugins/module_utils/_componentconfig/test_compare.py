# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Two configs compared in one call."""

from __future__ import annotations

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._compare import Side, compare
from ansible_collections.configok.node.plugins.module_utils._componentconfig._exceptions import ConfigError

HEAD = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"
PROXY = "apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\n"


def side(*texts: str, version: str = "") -> Side:
    return Side([(f"{number}.yaml", text) for number, text in enumerate(texts)], version)


def test_lines_say_what_differs_and_what_it_asks() -> None:
    found = compare(side(HEAD), side(HEAD, HEAD + "maxPods: 120\ncpuManagerPolicy: static\n"))
    assert found.heaviest == "drain+state"
    assert found.lines == [
        'cpuManagerPolicy: "none" -> "static"  [drain and remove cpu_manager_state]  (1.yaml:4)',
        "maxPods: 110 -> 120                   [restart-may-reject]  (1.yaml:3)",
        "all in all: drain+state: drain, stop kubelet, remove the state file, change, start, uncordon",
    ]


def test_nothing_differs() -> None:
    found = compare(side(HEAD + "maxPods: 110\n"), side(HEAD))
    assert (found.heaviest, found.lines) == (None, ["no field differs"])
    assert found.both[0] == found.both[1]


def test_an_upgrade_is_compared_with_itself() -> None:
    found = compare(side(HEAD, version="1.34"), side(HEAD, version="1.35"))
    assert "failCgroupV1: false -> true" in [str(one) for one in found.changes]
    assert found.heaviest == "restart-crash-risk"


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        (side(), side(), "neither side has a config"),
        (side(HEAD), side(PROXY), "KubeletConfiguration and KubeProxyConfiguration cannot be compared"),
        (side(HEAD), side("maxPods: 1\n"), "0.yaml:1: apiVersion: every layer needs apiVersion and kind"),
        (side(HEAD), side("[\n"), "0.yaml:"),
        (
            side(HEAD),
            side(HEAD.replace("v1beta1", "v9")),
            "0.yaml: kubelet.config.k8s.io/v9 KubeletConfiguration is no",
        ),
        (side(HEAD, version="two"), side(HEAD), "not a Kubernetes version"),
        (side(HEAD, version="1.99"), side(HEAD), "Kubernetes 1.99 is not known here, 1.20 to "),
        (side(HEAD), side(HEAD, version="1.3"), r"Kubernetes 1.3 is not known here, .* are \(write 1.30 in quotes\)"),
    ],
)
def test_what_cannot_be_compared(before: Side, after: Side, sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence):
        compare(before, after)
