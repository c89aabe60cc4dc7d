# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the rules of a kind: the one file that imports rule files, when they are first used."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import cast

from .._schema.kinds import KUBELET_CONFIGURATION, MACHINES, Kind
from ._rule import RuleSet


def _rule_sets_of(component: str) -> Mapping[str, tuple[RuleSet, ...]]:
    # Imported on first use, since a node checks one component at a time. One import statement each: they are how the
    # files of a module and of the agent's archive are found.
    if component == "kubelet":
        from ._credential_provider import CREDENTIAL_PROVIDER_RULE_SETS
        from ._kubelet import KUBELET_RULES
        from ._kubelet_startup import STARTUP_RULES

        kubelet = (
            RuleSet("kubelet", "kubelet", KUBELET_RULES),
            RuleSet("kubelet", "kubeletStart", STARTUP_RULES),
        )
        return {KUBELET_CONFIGURATION: kubelet, **CREDENTIAL_PROVIDER_RULE_SETS}
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
    if component == MACHINES:
        # No import statement: only what imports machine_objects.py ships these rules.
        return cast("Mapping[str, tuple[RuleSet, ...]]", import_module("._machines", __package__).MACHINE_RULE_SETS)
    from ._clients import CLIENT_RULE_SETS

    return CLIENT_RULE_SETS


def rule_sets(kind: Kind) -> tuple[RuleSet, ...]:
    """Return the sets of rules for a kind, () if only names and types can be checked."""
    return _rule_sets_of(kind.component).get(kind.unique_name, ())


def rule_checked_fields(kind: Kind) -> frozenset[str]:
    """Return the fields of a kind whose allowed values the rules check; see `check_types`."""
    if kind.kind == KUBELET_CONFIGURATION:
        from ._kubelet import RULE_CHECKED_FIELDS

        return RULE_CHECKED_FIELDS
    if kind.component == "kube-scheduler":
        from ._kube_scheduler_plugins import SCHEDULER_PLUGIN_CHECKED_FIELDS

        return SCHEDULER_PLUGIN_CHECKED_FIELDS.get(kind.kind, frozenset())
    return frozenset()
