# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Scoring by resources: plugins of their own in v1beta1, a strategy of NodeResourcesFit in later versions.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from typing import Any

from .._kinds._schema import Kind
from .._values._paths import Path
from ._losses import Losses
from ._plugin_sets import PluginSet

__all__ = ["SCORING_PLUGINS", "plugin_to_strategy", "strategy_to_plugin"]

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


def plugin_to_strategy(profile: dict[str, Any], path: Path, target: Kind, losses: Losses) -> None:
    """Let NodeResourcesFit score as the plugins of a v1beta1 profile did, in place."""
    score = PluginSet(profile, "score")
    here = (*path, "plugins", "score")
    used = [str(one["name"]) for one in score.enabled if one.get("name") in _TYPE_OF]
    named = bool(used)
    if not score.is_disabled(_LEAST) and _LEAST not in used:
        used.insert(0, _LEAST)
    if score.is_enabled(_FIT):
        for name in used if named else ():
            losses.add(here, name, f"{_FIT} scores already, and has one strategy")
        used = []
    elif not used:
        score.disable(_FIT)
    for name in used[1:]:
        losses.add(here, name, f"{_FIT} has one strategy: {_TYPE_OF[used[0]]}")
    if used:
        weight = score.weight(used[0])
        score.disabled = [one for one in score.disabled if one.get("name") != _FIT]
        if named or score.is_disabled(_FIT):
            score.enable(_FIT, weight)
    score.forget(*_TYPE_OF)
    score.write()
    strategy = _taken_arguments(profile, path, used[0] if used else "", losses)
    if used and (named or strategy):
        args = _arguments_of(profile, _FIT, target)
        args["scoringStrategy"] = {"type": _TYPE_OF[used[0]], **strategy}


def _taken_arguments(profile: dict[str, Any], path: Path, used: str, losses: Losses) -> dict[str, Any]:
    """What a strategy takes over from the arguments of the plugin in use; those of all such plugins go."""
    strategy: dict[str, Any] = {}
    for index, entry in reversed(list(enumerate(_entries(profile)))):
        name = entry.get("name")
        if name not in _TYPE_OF:
            continue
        profile["pluginConfig"].remove(entry)
        args = entry.get("args") if isinstance(entry.get("args"), dict) else {}
        if name != used:
            why = "the version does not have the plugin, which is not enabled"
            losses.add((*path, "pluginConfig", index), entry, why)
            continue
        if args.get("resources"):
            strategy["resources"] = args["resources"]
        if args.get("shape"):
            strategy["requestedToCapacityRatio"] = {"shape": args["shape"]}
    if profile.get("pluginConfig") == []:
        del profile["pluginConfig"]
    return strategy


def strategy_to_plugin(profile: dict[str, Any], path: Path, target: Kind, losses: Losses) -> None:
    """Let the plugins of v1beta1 score as the strategy of NodeResourcesFit did, in place."""
    score = PluginSet(profile, "score")
    strategy = _taken_strategy(profile)
    kind = strategy.get("type") or _DEFAULT
    plugin = _PLUGIN_OF.get(str(kind), _LEAST)
    named = bool(strategy) or score.is_enabled(_FIT)
    active = score.is_enabled(_FIT) or not score.is_disabled(_FIT)
    weight = score.weight(_FIT)
    score.forget(_FIT)
    if not active:
        score.disable(_LEAST)
    elif named:
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
            losses.add((*path, "pluginConfig"), ratio, f"the strategy {kind} does not use it")
    if args and not active:
        losses.add((*path, "pluginConfig"), strategy, f"{_FIT} does not score in this profile")
    elif args:
        _arguments_of(profile, plugin, target).update(args)


def _taken_strategy(profile: dict[str, Any]) -> dict[str, Any]:
    for entry in _entries(profile):
        args = entry.get("args")
        if entry.get("name") == _FIT and isinstance(args, dict) and isinstance(args.get("scoringStrategy"), dict):
            strategy: dict[str, Any] = args.pop("scoringStrategy")
            return strategy
    return {}


def _arguments_of(profile: dict[str, Any], plugin: str, target: Kind) -> dict[str, Any]:
    """The arguments of a plugin, made where there are none."""
    for entry in _entries(profile):
        if entry.get("name") == plugin:
            if not isinstance(entry.get("args"), dict):
                entry["args"] = {"apiVersion": target.api_version, "kind": f"{plugin}Args"}
            found: dict[str, Any] = entry["args"]
            return found
    args: dict[str, Any] = {"apiVersion": target.api_version, "kind": f"{plugin}Args"}
    profile.setdefault("pluginConfig", []).append({"name": plugin, "args": args})
    return args


def _entries(profile: dict[str, Any]) -> list[dict[str, Any]]:
    given = profile.get("pluginConfig")
    return [one for one in given if isinstance(one, dict)] if isinstance(given, list) else []
