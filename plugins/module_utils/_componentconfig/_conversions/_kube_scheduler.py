# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Convert kube-scheduler profiles between v1beta1 and v1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._scalars.field_path import Path
from .._schema.kinds import Kind, find_kind
from ._field_moves import Loss, LossHint, drop_unknown_fields


class PluginSet:
    """A copy of `profiles[].plugins.<point>`, enabled and disabled plugins; `write` puts it into the profile."""

    def __init__(self, profile: dict[str, Any], point: str) -> None:
        self._profile = profile
        self._point = point
        plugins = profile.get("plugins")
        written = plugins.get(point) if isinstance(plugins, dict) else None
        self._original = written if isinstance(written, dict) else {}
        self.enabled: list[dict[str, Any]] = self._list("enabled")
        self.disabled: list[dict[str, Any]] = self._list("disabled")

    def _list(self, name: str) -> list[dict[str, Any]]:
        value = self._original.get(name)
        return [plugin for plugin in value if isinstance(plugin, dict)] if isinstance(value, list) else []

    def is_enabled(self, name: str) -> bool:
        """Return whether the profile itself names the plugin as enabled."""
        return any(plugin.get("name") == name for plugin in self.enabled)

    def is_disabled(self, name: str) -> bool:
        """Return whether the profile takes the plugin out of the defaults, by its name or all of them."""
        return any(plugin.get("name") in (name, "*") for plugin in self.disabled)

    def weight(self, name: str) -> int:
        """Return the weight of a plugin that the profile enables; absent and 0 mean 1."""
        return next((plugin.get("weight") or 1 for plugin in self.enabled if plugin.get("name") == name), 1)

    def enable(self, name: str, weight: int | None = None) -> None:
        """Add a plugin behind the enabled ones."""
        self.enabled.append({"name": name, **({} if weight is None else {"weight": weight})})

    def disable(self, name: str) -> None:
        """Take a plugin out of the defaults, unless it already is."""
        if not self.is_disabled(name):
            self.disabled.append({"name": name})

    def remove(self, *names: str) -> None:
        """Name some plugins no more, neither as enabled nor as disabled."""
        self.enabled = [plugin for plugin in self.enabled if plugin.get("name") not in names]
        self.disabled = [plugin for plugin in self.disabled if plugin.get("name") not in names]

    def write(self) -> None:
        """Put the lists into the profile, without new empty ones."""
        new = {
            name: value
            for name, value in (("enabled", self.enabled), ("disabled", self.disabled))
            if value or self._original.get(name) == []
        }
        if new == self._original:
            return
        plugins = self._profile.setdefault("plugins", {})
        if not isinstance(plugins, dict):
            return
        plugins[self._point] = new
        if not new:
            del plugins[self._point]
        if not plugins:
            del self._profile["plugins"]


_FIT = "NodeResourcesFit"
_DEFAULT = "LeastAllocated"
_PLUGIN_OF = {
    "LeastAllocated": "NodeResourcesLeastAllocated",
    "MostAllocated": "NodeResourcesMostAllocated",
    "RequestedToCapacityRatio": "RequestedToCapacityRatio",
}
_TYPE_OF = {plugin: strategy for strategy, plugin in _PLUGIN_OF.items()}
_LEAST = _PLUGIN_OF[_DEFAULT]

SCORING_PLUGINS = frozenset(_TYPE_OF)
"""The plugins of v1beta1 that became strategies."""


def plugin_to_strategy(profile: dict[str, Any], path: Path, target: Kind, losses: list[Loss]) -> None:
    """Let NodeResourcesFit score as the plugins of a v1beta1 profile did, in place."""
    score = PluginSet(profile, "score")
    score_path = (*path, "plugins", "score")
    scoring_plugins = [str(plugin["name"]) for plugin in score.enabled if plugin.get("name") in _TYPE_OF]
    is_explicit = bool(scoring_plugins)
    if not score.is_disabled(_LEAST) and _LEAST not in scoring_plugins:
        scoring_plugins.insert(0, _LEAST)
    if score.is_enabled(_FIT):
        for name in scoring_plugins if is_explicit else ():
            losses.append(Loss(score_path, name, f"{_FIT} scores already, and has one strategy"))
        scoring_plugins = []
    elif not scoring_plugins:
        score.disable(_FIT)
    for name in scoring_plugins[1:]:
        losses.append(Loss(score_path, name, f"{_FIT} has one strategy: {_TYPE_OF[scoring_plugins[0]]}"))
    if scoring_plugins:
        weight = score.weight(scoring_plugins[0])
        score.disabled = [plugin for plugin in score.disabled if plugin.get("name") != _FIT]
        if is_explicit or score.is_disabled(_FIT):
            score.enable(_FIT, weight)
    score.remove(*_TYPE_OF)
    score.write()
    strategy = _take_plugin_args(profile, path, scoring_plugins[0] if scoring_plugins else "", losses)
    if scoring_plugins and (is_explicit or strategy):
        args = _args_of(profile, _FIT, target)
        args["scoringStrategy"] = {"type": _TYPE_OF[scoring_plugins[0]], **strategy}


def _take_plugin_args(profile: dict[str, Any], path: Path, used: str, losses: list[Loss]) -> dict[str, Any]:
    """Drop the arguments of all scoring plugins and return the strategy that those of the used plugin make."""
    strategy: dict[str, Any] = {}
    for index, entry in reversed(list(enumerate(_entries(profile)))):
        name = entry.get("name")
        if name not in _TYPE_OF:
            continue
        profile["pluginConfig"].remove(entry)
        args = entry.get("args") if isinstance(entry.get("args"), dict) else {}
        if name != used:
            reason = "the version does not have the plugin, which is not enabled"
            losses.append(Loss((*path, "pluginConfig", index), entry, reason))
            continue
        if args.get("resources"):
            strategy["resources"] = args["resources"]
        if args.get("shape"):
            strategy["requestedToCapacityRatio"] = {"shape": args["shape"]}
    if profile.get("pluginConfig") == []:
        del profile["pluginConfig"]
    return strategy


def strategy_to_plugin(profile: dict[str, Any], path: Path, target: Kind, losses: list[Loss]) -> None:
    """Let the plugins of v1beta1 score as the strategy of NodeResourcesFit did, in place."""
    score = PluginSet(profile, "score")
    strategy = _take_strategy(profile)
    strategy_type = strategy.get("type") or _DEFAULT
    plugin = _PLUGIN_OF.get(str(strategy_type), _LEAST)
    is_explicit = bool(strategy) or score.is_enabled(_FIT)
    is_active = score.is_enabled(_FIT) or not score.is_disabled(_FIT)
    weight = score.weight(_FIT)
    score.remove(_FIT)
    if not is_active:
        score.disable(_LEAST)
    elif is_explicit:
        score.disable(_LEAST)
        score.enable(plugin, weight)
    score.write()
    args = {}
    if strategy.get("resources"):
        args["resources"] = strategy["resources"]
    ratio = strategy.get("requestedToCapacityRatio")
    if isinstance(ratio, dict) and ratio.get("shape"):
        if plugin == _PLUGIN_OF["RequestedToCapacityRatio"]:
            args["shape"] = ratio["shape"]
        else:
            losses.append(Loss((*path, "pluginConfig"), ratio, f"the strategy {strategy_type} does not use it"))
    if args and not is_active:
        losses.append(Loss((*path, "pluginConfig"), strategy, f"{_FIT} does not score in this profile"))
    elif args:
        _args_of(profile, plugin, target).update(args)


def _take_strategy(profile: dict[str, Any]) -> dict[str, Any]:
    for entry in _entries(profile):
        args = entry.get("args")
        if entry.get("name") == _FIT and isinstance(args, dict) and isinstance(args.get("scoringStrategy"), dict):
            strategy: dict[str, Any] = args.pop("scoringStrategy")
            return strategy
    return {}


def _args_of(profile: dict[str, Any], plugin: str, target: Kind) -> dict[str, Any]:
    """Return the arguments of a plugin, which are added if there are none."""
    entry = next((entry for entry in _entries(profile) if entry.get("name") == plugin), None)
    if entry is None:
        entry = {"name": plugin}
        profile.setdefault("pluginConfig", []).append(entry)
    if not isinstance(entry.get("args"), dict):
        entry["args"] = {"apiVersion": target.api_version, "kind": f"{plugin}Args"}
    args: dict[str, Any] = entry["args"]
    return args


def _entries(profile: dict[str, Any]) -> list[dict[str, Any]]:
    written = profile.get("pluginConfig")
    return [entry for entry in written if isinstance(entry, dict)] if isinstance(written, list) else []


_VERSIONS = ("v1beta1", "v1beta2", "v1beta3", "v1")

_INSECURE = LossHint(
    "the insecure port is gone: see --secure-port and --bind-address", ("", "0", ":0", "0.0.0.0:0", "127.0.0.1:0")
)
SCHEDULER_HINTS: Mapping[str, LossHint] = {
    "healthzBindAddress": _INSECURE,
    "metricsBindAddress": _INSECURE,
    "profiles.percentageOfNodesToScore": LossHint("the version has one value for all profiles, at the top"),
    "profiles.plugins.multiPoint": LossHint("the version has no multiPoint: name the plugins at each extension point"),
}

_REMOVED_PLUGINS: Mapping[str, tuple[str, str]] = {
    "NodeLabel": ("v1beta1", "the plugin is gone: NodeAffinity's addedAffinity can ask for labels"),
    "ServiceAffinity": ("v1beta1", "the plugin is gone: InterPodAffinity can do the like"),
    "NodePreferAvoidPods": ("v1beta1", "the plugin is gone, and with it the annotation of nodes that it reads"),
    "SelectorSpread": ("v1beta2", "the plugin is gone: PodTopologySpread spreads by default"),
}
"""Plugins that were removed without a replacement: the last version with the plugin, and a hint."""

_WEIGHTS: Mapping[str, tuple[int, int, int, int]] = {
    "InterPodAffinity": (1, 1, 2, 2),
    "NodeAffinity": (1, 1, 2, 2),
    "TaintToleration": (1, 1, 3, 3),
}
"""Default weights that differ between the versions, in their order."""

_IGNORED_POINTS = ("multiPoint", "preEnqueue")
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
"""Plugins that v1beta1 and v1beta2 enable by default, so that a profile must disable them before it enables them."""


def _is_after(version: str, last: str) -> bool:
    return _VERSIONS.index(version) > _VERSIONS.index(last)


def convert_scheduler(data: dict[str, Any], source: Kind, target: Kind, losses: list[Loss]) -> None:
    """Bring the profiles into the form of the target version, in place."""
    if source.version == target.version:
        return
    written = data.get("profiles")
    profiles = written if isinstance(written, list) and written else [{"schedulerName": "default-scheduler"}]
    if len(profiles) == 1 and isinstance(profiles[0], dict):
        _hoist_percentage(data, profiles[0], target)
    for index, profile in enumerate(profiles):
        if isinstance(profile, dict):
            _convert_profile(profile, ("profiles", index), source, target, losses)
    if written or profiles != [{"schedulerName": "default-scheduler"}]:
        data["profiles"] = profiles


def _hoist_percentage(data: dict[str, Any], profile: dict[str, Any], target: Kind) -> None:
    """Move the value of the only profile to the top, if the version has it only there."""
    name = "percentageOfNodesToScore"
    if name not in target.fields["profiles"]["fields"] and profile.get(name) is not None:
        data[name] = profile.pop(name)


def _convert_profile(profile: dict[str, Any], path: Path, source: Kind, target: Kind, losses: list[Loss]) -> None:
    old, new = source.version, target.version
    _convert_prefer_avoid_pods(profile, path, old, new, losses)
    _convert_plugin_config(profile, path, source, target, losses)
    plugins = profile.get("plugins")
    plugins = plugins if isinstance(plugins, dict) else {}
    for point in list(plugins):
        if "v1beta2" in (old, new) and point in _IGNORED_POINTS:
            reason = "v1beta2 takes the field, and does nothing with it"
            losses.append(Loss((*path, "plugins", point), plugins.pop(point), reason))
            continue
        _drop_removed_plugins(profile, point, path, new, losses)
    if old == "v1beta1":
        plugin_to_strategy(profile, path, target, losses)
    _write_default_weights(profile, old, new)
    if new == "v1beta1":
        strategy_to_plugin(profile, path, target, losses)
    if new in ("v1beta1", "v1beta2"):
        _disable_before_enabling(profile)


def _drop_removed_plugins(profile: dict[str, Any], point: str, path: Path, new: str, losses: list[Loss]) -> None:
    plugin_set = PluginSet(profile, point)
    for index, plugin in enumerate(plugin_set.enabled):
        last, reason = _REMOVED_PLUGINS.get(str(plugin.get("name")), (new, ""))
        if _is_after(new, last):
            losses.append(Loss((*path, "plugins", point, "enabled", index), plugin, reason))
    plugin_set.remove(*(name for name, (last, _reason) in _REMOVED_PLUGINS.items() if _is_after(new, last)))
    plugin_set.write()


def _convert_prefer_avoid_pods(profile: dict[str, Any], path: Path, old: str, new: str, losses: list[Loss]) -> None:
    """Convert the use of NodePreferAvoidPods, which v1beta1 enables by default and no other version has."""
    name, reason = "NodePreferAvoidPods", _REMOVED_PLUGINS["NodePreferAvoidPods"][1]
    score = PluginSet(profile, "score")
    if old == "v1beta1":
        if not score.is_disabled(name) and not score.is_enabled(name):
            losses.append(Loss((*path, "plugins", "score"), name, reason))
    elif new == "v1beta1":
        score.disable(name)
        score.write()


def _write_default_weights(profile: dict[str, Any], old: str, new: str) -> None:
    """Write the weights of plugins that are enabled by default, if the default weight differs."""
    score = PluginSet(profile, "score")
    for name, weights in _WEIGHTS.items():
        weight = weights[_VERSIONS.index(old)]
        if weight != weights[_VERSIONS.index(new)] and not score.is_enabled(name) and not score.is_disabled(name):
            score.enable(name, weight)
    score.write()


def _disable_before_enabling(profile: dict[str, Any]) -> None:
    """Disable default plugins that the profile enables: older versions would have them twice and refuse that."""
    plugins = profile.get("plugins")
    for point in list(plugins) if isinstance(plugins, dict) else ():
        plugin_set = PluginSet(profile, point)
        for plugin in plugin_set.enabled:
            if plugin.get("name") in _DEFAULT_PLUGINS:
                plugin_set.disable(str(plugin["name"]))
        plugin_set.write()


def _convert_plugin_config(profile: dict[str, Any], path: Path, source: Kind, target: Kind, losses: list[Loss]) -> None:
    written = profile.get("pluginConfig")
    if not isinstance(written, list):
        return
    converted = []
    for index, entry in enumerate(written):
        entry_path = (*path, "pluginConfig", index)
        if not isinstance(entry, dict) or _convert_plugin_args(entry, entry_path, source, target, losses):
            converted.append(entry)
    profile["pluginConfig"] = converted
    if written and not converted:
        del profile["pluginConfig"]


def _convert_plugin_args(entry: dict[str, Any], path: Path, source: Kind, target: Kind, losses: list[Loss]) -> bool:
    """Convert one plugin's arguments, in place. Return whether the entry stays."""
    name, args = entry.get("name"), entry.get("args")
    old = find_kind(source.api_version, f"{name}Args")
    new = find_kind(target.api_version, f"{name}Args")
    if old is None or name in SCORING_PLUGINS:
        return True
    if new is None:
        reason = _REMOVED_PLUGINS.get(str(name), ("", f"{target.api_version} has no arguments of {name}"))[1]
        losses.append(Loss(path, entry, reason))
        return False
    if isinstance(args, dict):
        if name == "PodTopologySpread" and source.version == "v1beta1" and args.get("defaultConstraints"):
            # The default if there are constraints; in later versions it is System, which takes none.
            args["defaultingType"] = args.get("defaultingType") or "List"
        if args.get("apiVersion") is not None:
            args["apiVersion"] = target.api_version
        drop_unknown_fields(args, old, new, losses, {}, (*path, "args"))
    return True
