# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Denied fields of the AgentConfiguration that do not exist are an error."""

from __future__ import annotations

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._agent_configuration import (
    AgentConfiguration,
    ComponentConfiguration,
    InvalidConfiguration,
)
from ansible_collections.configok.node.plugins.module_utils._agent._validation._validate_on_node import (
    check_deny_policy,
)
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.denied_fields import DenyPolicy


def configuration(name: str, deny: DenyPolicy) -> AgentConfiguration:
    return AgentConfiguration("n1", "/k", {name: ComponentConfiguration(name, f"{name}.service", deny=deny)})


@pytest.mark.parametrize(
    ("name", "deny"),
    [
        ("kubelet", DenyPolicy(("authentication.x509.clientCAFile", "registerWithTaints.*.key"), ("*",))),
        ("kubelet", DenyPolicy(allowed=("evictionHard.memory.available", "reservedMemory.*.limits.memory"))),
        ("kubelet", DenyPolicy(("authentication.*", "featureGates.NodeSwap"))),
        ("kubelet-b", DenyPolicy(("maxPods",))),
        ("scheduler", DenyPolicy(("profiles.*.plugins.score",))),
    ],
)
def test_fields_that_exist_are_accepted(name: str, deny: DenyPolicy) -> None:
    check_deny_policy(configuration(name, deny))


@pytest.mark.parametrize(
    ("name", "deny", "sentence"),
    [
        (
            "kubelet",
            DenyPolicy(("staticPodPaht",)),
            "components.kubelet.additionalDeniedFields: 'staticPodPaht' must be a field of a KubeletConfiguration",
        ),
        ("kubelet", DenyPolicy(allowed=("authentication.x508",)), "components.kubelet.allowedFields: 'authentica"),
        ("kubelet", DenyPolicy(("maxPods.a",)), "components.kubelet.additionalDeniedFields: 'maxPods.a' must be"),
        ("kube-proxy", DenyPolicy(("maxPods",)), "must be a field of a KubeProxyConfiguration"),
        ("kubelet-b", DenyPolicy(("maxPodz",)), "must be a field of any kind that is known"),
    ],
)
def test_fields_that_do_not_exist(name: str, deny: DenyPolicy, sentence: str) -> None:
    with pytest.raises(InvalidConfiguration) as caught:
        check_deny_policy(configuration(name, deny))
    assert sentence in str(caught.value)
