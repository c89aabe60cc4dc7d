# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check KubeSchedulerConfiguration except its plugins' arguments.

The rules have the ids of schema/kube_scheduler_validation_rules.json.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from .._scalars._suggestion import MAX_SUGGESTIONS, did_you_mean
from .._scalars._syntax import is_extended_resource, is_ip, is_ip_port, split_host_port
from .._scalars.field_path import Path
from .._schema.kinds import find_kind
from . import value_facts, value_table
from ._rule import (
    EffectiveConfig,
    Rule,
    Violations,
    all_of,
    duplicates,
    effective_in_range,
    in_range,
    objects_must,
    unique,
    values_at,
    values_must,
)

_COMPONENT: Final = "kube_scheduler"
_QUEUE_SORT = "PrioritySort"
_BINDER = "DefaultBinder"
_GONE_SINCE = 25
"""The minor from which on kube-scheduler's validation no longer knows the plugins that left it in 1.23."""
_PERCENT = "between 0 and 100"


def _leader_durations(config: EffectiveConfig) -> Violations:
    for field in ("leaseDuration", "renewDeadline", "retryPeriod"):
        value = config.nanoseconds("leaderElection", field)
        if config.get("leaderElection", "leaderElect") and value is not None and value <= 0:
            yield ("leaderElection", field), "must be > 0"


def _leader(field: str, above: str, factor: float) -> Rule:
    def check(config: EffectiveConfig) -> Violations:
        value, lower_value = (
            config.nanoseconds("leaderElection", field) or 0,
            config.nanoseconds("leaderElection", above) or 0,
        )
        if (
            config.get("leaderElection", "leaderElect")
            and value > 0
            and lower_value > 0
            and value <= factor * lower_value
        ):
            times = f"{factor} times " if factor != 1 else ""
            yield ("leaderElection", field), f"must be above {times}{above}"

    return check


def _leader_lock(config: EffectiveConfig) -> Violations:
    allowed = value_facts("resourceLocks", config.minor, _COMPONENT)
    if config.get("leaderElection", "leaderElect") and config.get("leaderElection", "resourceLock") not in allowed:
        yield ("leaderElection", "resourceLock"), "must be " + " or ".join(allowed)


def _version(config: EffectiveConfig) -> str:
    """Return the version of the file: v1beta1 to v1."""
    return str(config.data.get("apiVersion", "")).rpartition("/")[2]


def _bind_addresses(config: EffectiveConfig) -> Violations:
    for field in ("healthzBindAddress", "metricsBindAddress"):
        value = config.written(field)
        if value is None or is_ip(value):
            continue
        parts = split_host_port(value)
        if parts is None and _version(config) == "v1beta1":
            continue  # treated as absent
        minimum = 0 if config.minor >= 22 else 1
        if not (value == "" and config.minor >= 22) and not is_ip_port(
            value if parts is None or parts[0] else f"0.0.0.0:{parts[1]}", minimum
        ):
            yield (field,), f"must be IP:port with a port from {minimum} to 65535"


def _bind_addresses_off(config: EffectiveConfig) -> Violations:
    for field in ("healthzBindAddress", "metricsBindAddress"):
        value = config.written(field)
        parts = split_host_port(value) if value else None
        if value and (parts is None or not is_ip(parts[0]) or parts[1].strip("0") or not parts[1]):
            yield (field,), "must be empty, or IP:0: kube-scheduler no longer serves anything without TLS"


def _backoff_max(config: EffectiveConfig) -> Violations:
    if (config.get("podMaxBackoffSeconds") or 0) < (config.get("podInitialBackoffSeconds") or 0):
        yield ("podMaxBackoffSeconds",), "must not be below podInitialBackoffSeconds"


def _profile_names(config: EffectiveConfig) -> Violations:
    profiles = config.data.get("profiles") or []
    for index, profile in enumerate(profiles):
        name = profile.get("schedulerName")
        if name == "" or (name is None and len(profiles) > 1):
            yield ("profiles", index, "schedulerName"), "is required: only a profile that is alone has a default"


def _names(plugins: Any) -> list[str]:
    return [plugin.get("name", "") for plugin in plugins or ()]


def _extension_points(config: EffectiveConfig) -> Iterator[tuple[Path, str, Mapping[str, Any]]]:
    """Yield the extension points that kube-scheduler reads from the profiles: path, name, and plugins."""
    for index, profile in enumerate(config.data.get("profiles") or ()):
        for point, plugins in (profile.get("plugins") or {}).items():
            # The defaults of v1beta2 and v1beta3 drop preEnqueue.
            if point != "preEnqueue" or not _version(config).startswith("v1beta"):
                yield ("profiles", index, "plugins", point), point, plugins


def _enabled_plugins(config: EffectiveConfig) -> Iterator[tuple[Path, str, str]]:
    """Yield every plugin that the profiles enable: the path of its name, the extension point, and the name."""
    for path, point, plugins in _extension_points(config):
        for number, name in enumerate(_names(plugins.get("enabled"))):
            yield path + ("enabled", number, "name"), point, name


def _queue_sort(profile: Mapping[str, Any]) -> Mapping[str, Any]:
    result: Mapping[str, Any] = (profile.get("plugins") or {}).get("queueSort") or {}
    return result


def _plugins_at(profile: Mapping[str, Any], point: str, default: str) -> list[str]:
    """Return a profile's plugins at an extension point, with the default one unless the profile disables it."""
    plugins = profile.get("plugins") or {}
    own, multi = plugins.get(point) or {}, plugins.get("multiPoint") or {}
    disabled = _names(own.get("disabled")) + _names(multi.get("disabled"))
    enabled = _names(own.get("enabled"))
    by_default = default not in disabled and "*" not in disabled and default not in enabled
    return ([default] if by_default else []) + enabled


def _enables_by_multi_point(profile: Mapping[str, Any]) -> bool:
    """Return whether a profile enables plugins by multiPoint: only they know their extension points."""
    return bool(((profile.get("plugins") or {}).get("multiPoint") or {}).get("enabled"))


def _queue_sort_one(config: EffectiveConfig) -> Violations:
    for index, profile in enumerate(config.data.get("profiles") or ()):
        plugins = _plugins_at(profile, "queueSort", _QUEUE_SORT)
        if len(plugins) > 1:
            message = f"exactly one plugin must be enabled, not {', '.join(plugins)}: disable the default one"
            yield ("profiles", index, "plugins", "queueSort"), message
        elif not plugins and not _enables_by_multi_point(profile):
            yield ("profiles", index, "plugins", "queueSort"), "exactly one plugin must be enabled"


def _plugin_once(config: EffectiveConfig) -> Violations:
    for path, _point, plugins in _extension_points(config):
        named = enumerate(_names(plugins.get("enabled")))
        yield from duplicates((path + ("enabled", number, "name"), name) for number, name in named)


def _queue_sort_same(config: EffectiveConfig) -> Violations:
    def settings(profile: Mapping[str, Any]) -> Any:
        own = _queue_sort(profile)
        merged = _version(config) == "v1beta2" or config.minor == 22
        enabled = _plugins_at(profile, "queueSort", _QUEUE_SORT) if merged else _names(own.get("enabled"))
        weights = {plugin.get("name", ""): plugin.get("weight", 0) for plugin in own.get("enabled") or ()}
        return [(name, weights.get(name, 0)) for name in enabled], _names(own.get("disabled"))

    profiles = config.data.get("profiles") or []
    for index, profile in enumerate(profiles[1:], 1):
        if settings(profile) != settings(profiles[0]):
            yield ("profiles", index, "plugins", "queueSort"), "must be the same in all profiles"


def _queue_sort_args(config: EffectiveConfig) -> Violations:
    profiles = config.data.get("profiles") or []
    plugins = _names(_queue_sort(profiles[0]).get("enabled")) if profiles else []
    if not plugins:
        return

    def arguments(profile: Mapping[str, Any]) -> Iterator[tuple[int, Any]]:
        for number, entry in enumerate(profile.get("pluginConfig") or ()):
            if entry.get("name") == plugins[0]:
                yield number, entry.get("args")

    first = next((args for number, args in arguments(profiles[0])), None)
    for index, profile in enumerate(profiles[1:], 1):
        for number, args in arguments(profile):
            if args != first:
                yield ("profiles", index, "pluginConfig", number, "args"), "must be the same in all profiles"


def _plugins_named(config: EffectiveConfig) -> Iterator[tuple[Path, str]]:
    """Yield every plugin that the file enables or configures, with the path of its name."""
    for path, _point, name in _enabled_plugins(config):
        yield path, name
    yield from values_at(config.data, "profiles[].pluginConfig[].name", absent="")


def _removed(config: EffectiveConfig) -> dict[str, str]:
    """Return the plugins that the file's version lacks, each with the version that removed it."""
    version = _version(config)
    result = {}
    for since, plugins in value_facts("removedPlugins", config.minor, _COMPONENT) if version != "v1beta1" else ():
        result.update(dict.fromkeys(plugins, since))
        if since == version:
            break
    return result


def _plugin_removed(config: EffectiveConfig) -> Violations:
    removed = _removed(config)
    for path, name in _plugins_named(config):
        # kube-scheduler does not check what multiPoint enables.
        if name in removed and "multiPoint" not in path:
            yield path, f"the plugin is gone since {removed[name]} of this file"


def _is_gone(config: EffectiveConfig, name: str) -> bool:
    return config.minor >= _GONE_SINCE and name in value_table("gonePlugins", _COMPONENT)


def _plugin_gone(config: EffectiveConfig) -> Violations:
    for path, _point, name in _enabled_plugins(config):
        if _is_gone(config, name):
            yield path, "the plugin is gone since Kubernetes 1.23: kube-scheduler ends when it builds the profile"


def _plugin_unknown(config: EffectiveConfig) -> Violations:
    known, removed = value_facts("plugins", config.minor, _COMPONENT), _removed(config)
    suggestions = 0
    for path, name in _plugins_named(config):
        if name in known or (name in removed and "multiPoint" not in path):
            continue
        if "pluginConfig" in path or not _is_gone(config, name):
            suggestions += 1
            suggestion = did_you_mean(name, known, alike=0.8) if suggestions <= MAX_SUGGESTIONS else ""
            yield path, f"no plugin of kube-scheduler's own, so only a scheduler built with it takes it{suggestion}"


def _plugin_point(config: EffectiveConfig) -> Violations:
    points = value_table("points", _COMPONENT)
    for path, point, name in _enabled_plugins(config):
        if point != "multiPoint" and point not in points.get(name, (point,)) and not _is_gone(config, name):
            yield path, f"{name} does not extend {point}, only {', '.join(points[name])}"


def _plugin_args_version(config: EffectiveConfig) -> Violations:
    for path, entry in values_at(config.data, "profiles[].pluginConfig[]"):
        args = entry.get("args")
        api_version = args.get("apiVersion") if isinstance(args, dict) else None
        if not api_version or api_version == config.data["apiVersion"]:
            continue
        # The check of the arguments themselves reports a version that this minor lacks.
        kind = find_kind(api_version, f"{entry.get('name', '')}Args")
        if kind is not None and kind.known_at(config.minor):
            yield path + ("args", "apiVersion"), f"must be {config.data['apiVersion']}, as that of the file"


def _plugin_config_unique(config: EffectiveConfig) -> Violations:
    for path, profile in values_at(config.data, "profiles[]"):
        named = values_at(profile, "pluginConfig[].name", absent="")
        yield from duplicates(
            ((path + below, name) for below, name in named), "the plugin must not be configured twice in a profile"
        )


def _extender_bind(config: EffectiveConfig) -> Violations:
    binders = [path for path, verb in values_at(config.data, "extenders[].bindVerb") if verb]
    for path in binders[1:]:
        yield path, "only one extender can bind"


KUBE_SCHEDULER_RULES: dict[str, Rule] = {
    "client-burst": effective_in_range("clientConnection.burst", 0, None, ">= 0"),
    "parallelism": effective_in_range("parallelism", 1, None, "> 0"),
    "backoff-initial": effective_in_range("podInitialBackoffSeconds", 1, None, "> 0"),
    "leader-durations": _leader_durations,
    "leader-lease": _leader("leaseDuration", "renewDeadline", 1),
    "leader-renew": _leader("renewDeadline", "retryPeriod", 1.2),
    "leader-lock": _leader_lock,
    "bind-addresses": _bind_addresses,
    "bind-addresses-off": _bind_addresses_off,
    "percentage": all_of(
        in_range("percentageOfNodesToScore", 0, 100, _PERCENT),
        in_range("profiles[].percentageOfNodesToScore", 0, 100, _PERCENT),
    ),
    "backoff-max": _backoff_max,
    "profile-name": _profile_names,
    "profile-name-unique": unique("profiles[].schedulerName", "must not be the name of two profiles"),
    "queue-sort-same": _queue_sort_same,
    "queue-sort-one": _queue_sort_one,
    "queue-sort-args-same": _queue_sort_args,
    "bind-one": objects_must(
        "profiles[]",
        lambda profile: _plugins_at(profile, "bind", _BINDER) or _enables_by_multi_point(profile),
        "at least one plugin must be enabled",
        "plugins.bind",
    ),
    "plugin-once": _plugin_once,
    "plugin-removed": _plugin_removed,
    "plugin-gone": _plugin_gone,
    "plugin-args-version": _plugin_args_version,
    "plugin-unknown": _plugin_unknown,
    "plugin-point": _plugin_point,
    "plugin-config-unique": _plugin_config_unique,
    "extender-weight": objects_must(
        "extenders[]",
        lambda extender: not extender.get("prioritizeVerb") or extender.get("weight", 0) > 0,
        "must be > 0 with prioritizeVerb",
        "weight",
    ),
    "extender-bind-one": _extender_bind,
    "extender-resource-name": values_must(
        "extenders[].managedResources[].name",
        is_extended_resource,
        "must be the name of an extended resource, for example example.com/gpu",
        absent="",
    ),
    "extender-resource-unique": unique("extenders[].managedResources[].name", "must not be managed twice"),
    "extender-tls": objects_must(
        "extenders[].tlsConfig",
        lambda tls: not (tls.get("insecure") and (tls.get("caFile") or tls.get("caData"))),
        "excludes caFile and caData",
        "insecure",
    ),
    "extender-certificate": objects_must(
        "extenders[].tlsConfig",
        lambda tls: bool(tls.get("certFile") or tls.get("certData")) == bool(tls.get("keyFile") or tls.get("keyData")),
        "a client certificate without its key, or a key alone, is not used",
    ),
}
