# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kube-scheduler's config, v1beta1 to v1: plugins that are gone, default weights, arguments of plugins.

From pkg/scheduler/apis/config: v1beta*/default_plugins.go, v1beta*/defaults.go, validation/validation.go. Private to
configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._kinds._schema import Kind, find_kind
from .._values._paths import Path
from ._fit import Hint, fit_fields
from ._losses import Losses
from ._plugin_sets import PluginSet
from ._scoring import SCORING_PLUGINS, plugin_to_strategy, strategy_to_plugin
from ._versions import short

__all__ = ["SCHEDULER_HINTS", "convert_scheduler"]

_VERSIONS = ("v1beta1", "v1beta2", "v1beta3", "v1")

_INSECURE = Hint(
    "the insecure port is gone: see --secure-port and --bind-address", ("", "0", ":0", "0.0.0.0:0", "127.0.0.1:0")
)
SCHEDULER_HINTS: Mapping[str, Hint] = {
    "healthzBindAddress": _INSECURE,
    "metricsBindAddress": _INSECURE,
    "profiles.percentageOfNodesToScore": Hint("the version has one value for all profiles, at the top"),
    "profiles.plugins.multiPoint": Hint("the version has no multiPoint: name the plugins at each extension point"),
}

_GONE: Mapping[str, tuple[str, str]] = {
    "NodeLabel": ("v1beta1", "the plugin is gone: NodeAffinity's addedAffinity can ask for labels"),
    "ServiceAffinity": ("v1beta1", "the plugin is gone: InterPodAffinity can do the like"),
    "NodePreferAvoidPods": ("v1beta1", "the plugin is gone, and with it the annotation of nodes that it reads"),
    "SelectorSpread": ("v1beta2", "the plugin is gone: PodTopologySpread spreads by default"),
}
"""Plugins that are gone without another in their place: the last version that has one, and what to know."""

_WEIGHTS: Mapping[str, tuple[int, int, int, int]] = {
    "InterPodAffinity": (1, 1, 2, 2),
    "NodeAffinity": (1, 1, 2, 2),
    "TaintToleration": (1, 1, 3, 3),
}
"""Default weights that differ between the versions, in their order."""

_WITHOUT_EFFECT = ("multiPoint", "preEnqueue")
"""Extension points that kube-scheduler leaves out when it reads v1beta2."""

_DEFAULT_PLUGINS = frozenset(
    (
        *("DefaultBinder", "DefaultPreemption", "ImageLocality", "InterPodAffinity", "NodeAffinity", "NodeName"),
        *("NodePorts", "NodePreferAvoidPods", "NodeResourcesBalancedAllocation", "NodeResourcesFit"),
        *("NodeResourcesLeastAllocated", "NodeUnschedulable", "NodeVolumeLimits", "AzureDiskLimits", "EBSLimits"),
        *("GCEPDLimits", "PodTopologySpread", "PrioritySort", "TaintToleration", "VolumeBinding"),
        *("VolumeRestrictions", "VolumeZone"),
    )
)
"""Plugins that v1beta1 and v1beta2 enable at some extension point, and that have to be disabled there first."""


def convert_scheduler(data: dict[str, Any], source: Kind, target: Kind, losses: Losses) -> None:
    """Bring the profiles into the form of the target version, in place."""
    if short(source) == short(target):
        return
    given = data.get("profiles")
    profiles = given if isinstance(given, list) and given else [{"schedulerName": "default-scheduler"}]
    if len(profiles) == 1 and isinstance(profiles[0], dict):
        _one_percentage(data, profiles[0], target)
    for index, profile in enumerate(profiles):
        if isinstance(profile, dict):
            _profile(profile, ("profiles", index), source, target, losses)
    if given or profiles != [{"schedulerName": "default-scheduler"}]:
        data["profiles"] = profiles


def _one_percentage(data: dict[str, Any], profile: dict[str, Any], target: Kind) -> None:
    """The value of the only profile counts for all, where a profile can have none of its own."""
    name = "percentageOfNodesToScore"
    if name not in target.fields["profiles"]["fields"] and profile.get(name) is not None:
        data[name] = profile.pop(name)


def _profile(profile: dict[str, Any], path: Path, source: Kind, target: Kind, losses: Losses) -> None:
    old, new = short(source), short(target)
    _avoided_pods(profile, path, old, new, losses)
    _arguments(profile, path, source, target, losses)
    plugins = profile.get("plugins")
    plugins = plugins if isinstance(plugins, dict) else {}
    for point in list(plugins):
        if "v1beta2" in (old, new) and point in _WITHOUT_EFFECT:
            losses.add(
                (*path, "plugins", point), plugins.pop(point), "v1beta2 takes the field, and does nothing with it"
            )
            continue
        _gone_plugins(profile, point, path, new, losses)
    if old == "v1beta1":
        plugin_to_strategy(profile, path, target, losses)
    _default_weights(profile, old, new)
    if new == "v1beta1":
        strategy_to_plugin(profile, path, target, losses)
    if new in ("v1beta1", "v1beta2"):
        _disable_before_enabling(profile)


def _gone_plugins(profile: dict[str, Any], point: str, path: Path, new: str, losses: Losses) -> None:
    found = PluginSet(profile, point)
    for index, plugin in enumerate(found.enabled):
        last, why = _GONE.get(str(plugin.get("name")), (new, ""))
        if _VERSIONS.index(new) > _VERSIONS.index(last):
            losses.add((*path, "plugins", point, "enabled", index), plugin, why)
    found.forget(*(name for name, (last, _why) in _GONE.items() if _VERSIONS.index(new) > _VERSIONS.index(last)))
    found.write()


def _avoided_pods(profile: dict[str, Any], path: Path, old: str, new: str, losses: Losses) -> None:
    """v1beta1 enables NodePreferAvoidPods by default; no other version has it."""
    name, why = "NodePreferAvoidPods", _GONE["NodePreferAvoidPods"][1]
    score = PluginSet(profile, "score")
    if old == "v1beta1":
        if not score.is_disabled(name) and not score.is_enabled(name):
            losses.add((*path, "plugins", "score"), name, why)
    elif new == "v1beta1":
        score.disable(name)
        score.write()


def _default_weights(profile: dict[str, Any], old: str, new: str) -> None:
    """Write out the weights of plugins that are only there by default, where the default is another."""
    score = PluginSet(profile, "score")
    for name, weights in _WEIGHTS.items():
        now = weights[_VERSIONS.index(old)]
        if now != weights[_VERSIONS.index(new)] and not score.is_enabled(name) and not score.is_disabled(name):
            score.enable(name, now)
    score.write()


def _disable_before_enabling(profile: dict[str, Any]) -> None:
    """Later versions replace a default plugin by one that is enabled; older ones have it twice, and refuse that."""
    plugins = profile.get("plugins")
    for point in list(plugins) if isinstance(plugins, dict) else ():
        found = PluginSet(profile, point)
        for plugin in found.enabled:
            if plugin.get("name") in _DEFAULT_PLUGINS:
                found.disable(str(plugin["name"]))
        found.write()


def _arguments(profile: dict[str, Any], path: Path, source: Kind, target: Kind, losses: Losses) -> None:
    given = profile.get("pluginConfig")
    if not isinstance(given, list):
        return
    kept = []
    for index, entry in enumerate(given):
        here = (*path, "pluginConfig", index)
        if not isinstance(entry, dict) or _one_plugins_arguments(entry, here, source, target, losses):
            kept.append(entry)
    profile["pluginConfig"] = kept
    if given and not kept:
        del profile["pluginConfig"]


def _one_plugins_arguments(entry: dict[str, Any], path: Path, source: Kind, target: Kind, losses: Losses) -> bool:
    """Convert one plugin's arguments, in place; False where the version does not have the plugin."""
    name, args = entry.get("name"), entry.get("args")
    old = find_kind(source.api_version, f"{name}Args")
    new = find_kind(target.api_version, f"{name}Args")
    if old is None or name in SCORING_PLUGINS:
        return True
    if new is None:
        losses.add(path, entry, _GONE.get(str(name), ("", f"{target.api_version} has no arguments of {name}"))[1])
        return False
    if isinstance(args, dict):
        if name == "PodTopologySpread" and short(source) == "v1beta1" and args.get("defaultConstraints"):
            # The default, given constraints; in later versions it is System, which takes none.
            args["defaultingType"] = args.get("defaultingType") or "List"
        if args.get("apiVersion") is not None:
            args["apiVersion"] = target.api_version
        fit_fields(args, old.fields, new.fields, (*path, "args"), losses, {}, target.api_version)
    return True
