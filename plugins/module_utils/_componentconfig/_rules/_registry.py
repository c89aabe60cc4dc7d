# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the rules of a kind: the one file that imports rule files, when they are first used."""

from __future__ import annotations

from collections.abc import Mapping

from .._schema._declared import DECLARED
from .._schema.kinds import KUBELET_CONFIGURATION, STATIC_POD, DataModule, Kind
from . import rule_facts, sections_of
from ._plausible_sizes import PLAUSIBLE_SIZE, plausible_sizes
from ._rule import Rule, RuleSet


def _rules_of(component: str) -> Mapping[str, Mapping[str, Rule]]:
    """Return the rules of a component by section; see `sections_of`."""
    # Imported on first use, since a node checks one component at a time. One import statement each: they are how the
    # files of a module and of the agent's archive are found.
    if component == "kubelet":
        from ._credential_provider import CREDENTIAL_PROVIDER_RULES
        from ._kubelet import KUBELET_RULES
        from ._kubelet_start_failures import STARTUP_RULES

        return {
            "kubelet": KUBELET_RULES,
            "kubeletStart": STARTUP_RULES,
            "CredentialProviderConfig": CREDENTIAL_PROVIDER_RULES,
        }
    if component == "kube-proxy":
        from ._kube_proxy import KUBE_PROXY_RULES

        return {"kubeProxy": KUBE_PROXY_RULES}
    if component == "kube-scheduler":
        from ._kube_scheduler import KUBE_SCHEDULER_RULES
        from ._kube_scheduler_plugins import SCHEDULER_PLUGIN_RULES

        return {"KubeSchedulerConfiguration": KUBE_SCHEDULER_RULES, **SCHEDULER_PLUGIN_RULES}
    if component == "kube-apiserver":
        from ._kube_apiserver import APISERVER_RULES

        return APISERVER_RULES
    if component == "kubeadm":
        from ._kubeadm import KUBEADM_RULES

        return KUBEADM_RULES
    if component == STATIC_POD:
        from ._static_pod import STATIC_POD_RULES

        return STATIC_POD_RULES
    if component in DECLARED:
        return DECLARED[component].checks
    from ._clients import CLIENT_RULES

    return CLIENT_RULES


def rule_sets(kind: Kind) -> tuple[RuleSet, ...]:
    """Return the sets of rules for a kind, () if only names and types can be checked."""
    rules = _rules_of(kind.component)
    return tuple(_rule_set(kind.data_module, section, rules[section]) for section in sections_of(kind))


def _rule_set(component: DataModule, section: str, rules: Mapping[str, Rule]) -> RuleSet:
    """Return the set of a section's rules, with the one about plausible sizes if the data have sizes for it."""
    if PLAUSIBLE_SIZE in rule_facts(component, section):
        rules = {**rules, PLAUSIBLE_SIZE: plausible_sizes(component, section)}
    return RuleSet(component, section, rules)


def rule_checked_fields(kind: Kind) -> frozenset[str]:
    """Return the fields of a kind whose allowed values the rules check; see `check_types`."""
    if kind.kind == KUBELET_CONFIGURATION:
        from ._kubelet import RULE_CHECKED_FIELDS

        return RULE_CHECKED_FIELDS
    if kind.component == "kube-scheduler":
        from ._kube_scheduler_plugins import SCHEDULER_PLUGIN_CHECKED_FIELDS

        return SCHEDULER_PLUGIN_CHECKED_FIELDS.get(kind.kind, frozenset())
    return frozenset()
