# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which rules judge a kind: the one place that knows.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections.abc import Mapping

from .._schema._kinds import Kind
from ._rule import RuleSet

__all__ = ["gated_values", "rule_sets"]


def _by_kind(component: str) -> Mapping[str, tuple[RuleSet, ...]]:
    # Written out, since what is packed for a node or a module is found by reading the import statements; imported when
    # first needed, since a node judges one component at a time.
    if component == "kubelet":
        from ._credential_provider import CREDENTIAL_PROVIDER_RULE_SETS
        from ._kubelet import KUBELET_RULES
        from ._kubelet_startup import KUBELET_START_CHECKS

        kubelet = (
            RuleSet("kubelet", "kubelet", KUBELET_RULES),
            RuleSet("kubelet", "kubeletStart", KUBELET_START_CHECKS),
        )
        return {"KubeletConfiguration": kubelet, **CREDENTIAL_PROVIDER_RULE_SETS}
    if component == "kube-proxy":
        from ._kube_proxy import KUBE_PROXY_RULES

        return {"KubeProxyConfiguration": (RuleSet("kube_proxy", "kubeProxy", KUBE_PROXY_RULES),)}
    if component == "kube-scheduler":
        from ._kube_scheduler import KUBE_SCHEDULER_RULE_SETS
        from ._kube_scheduler_plugins import SCHEDULER_PLUGIN_RULE_SETS

        return {**KUBE_SCHEDULER_RULE_SETS, **SCHEDULER_PLUGIN_RULE_SETS}
    if component == "kube-apiserver":
        from ._kube_apiserver import APISERVER_RULE_SETS

        return APISERVER_RULE_SETS
    if component == "kubeadm":
        from ._kubeadm import KUBEADM_RULE_SETS

        return KUBEADM_RULE_SETS
    from ._clients import CLIENT_RULE_SETS

    return CLIENT_RULE_SETS


def rule_sets(kind: Kind) -> tuple[RuleSet, ...]:
    """The sets of rules for a kind; none where nothing but names and types can be judged."""
    return _by_kind(kind.component).get(kind.own_name, ())


def gated_values(kind: Kind) -> frozenset[str]:
    """Fields of a kind whose values depend on more than the minor; see `check_types`."""
    if kind.kind == "KubeletConfiguration":
        from ._kubelet import GATED_VALUES

        return GATED_VALUES
    return frozenset()
