# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check kubeconfig files, and the small kinds of kubectl and kube-controller-manager.

The rules have the ids of schema/client_validation_rules.json. A client reads only what the current context of its
kubeconfig names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from operator import not_
from typing import Any

from .._scalars._syntax import is_dns_label, split_url
from .._scalars.field_path import Path
from . import value_facts
from ._rule import EffectiveConfig, Rule, Violations, all_of, objects_must, required, unique, values_must

_EXEC = "client.authentication.k8s.io"
_Entry = tuple[Path, Mapping[str, Any]]


def _entries(config: EffectiveConfig, field: str, name: str) -> Iterator[_Entry]:
    """Yield the entries of a name in `clusters`, `users` or `contexts`: path and content."""
    for index, entry in enumerate(config.data.get(field) or ()):
        if entry.get("name") == name:
            yield (field, index, field[:-1]), entry.get(field[:-1]) or {}


def _context(config: EffectiveConfig) -> _Entry | None:
    return next(_entries(config, "contexts", config.data.get("current-context") or ""), None)


def _used(config: EffectiveConfig, field: str) -> Iterator[_Entry]:
    """Yield the cluster or user that the current context names, with its path."""
    context = _context(config)
    if context is not None:
        yield from _entries(config, field, context[1].get(field[:-1]) or "")


def _current(config: EffectiveConfig) -> Violations:
    if config.data.get("current-context") and _context(config) is None:
        yield ("current-context",), "must be the name of a context of the file"


def _no_context(config: EffectiveConfig) -> Violations:
    if config.data.get("contexts") and not config.data.get("current-context"):
        yield ("current-context",), "is not set: a client has to know which context to use"


def _reference(field: str) -> Rule:
    def check(config: EffectiveConfig) -> Violations:
        context = _context(config)
        if context is not None and next(_entries(config, field, context[1].get(field[:-1]) or ""), None) is None:
            yield context[0] + (field[:-1],), f"must be the name of one of the {field} of the file"

    return check


def _references(config: EffectiveConfig) -> Violations:
    for index, entry in enumerate(config.data.get("contexts") or ()):
        if entry.get("name") == config.data.get("current-context"):
            continue
        for field in ("clusters", "users"):
            name = (entry.get("context") or {}).get(field[:-1]) or ""
            if next(_entries(config, field, name), None) is None:
                yield ("contexts", index, "context", field[:-1]), f"is none of the {field} of the file"


def _namespace(config: EffectiveConfig) -> Violations:
    context = _context(config)
    namespace = context[1].get("namespace") if context is not None else None
    if context is not None and namespace and not is_dns_label(namespace):
        yield context[0] + ("namespace",), "must be the name of a namespace"


def _clusters(config: EffectiveConfig) -> Iterator[_Entry]:
    return _used(config, "clusters")


def _has_authority(cluster: Mapping[str, Any]) -> bool:
    return bool(cluster.get("certificate-authority") or cluster.get("certificate-authority-data"))


def _proxy(config: EffectiveConfig) -> Violations:
    schemes = ("http", "https", "socks5")
    for path, cluster in _clusters(config):
        url = split_url(cluster.get("proxy-url") or "http://none")
        if url is None or url.scheme not in schemes or not url.authority:
            yield path + ("proxy-url",), "must be a URL with the scheme " + ", ".join(schemes)


def _one_way(config: EffectiveConfig) -> Violations:
    for path, user in _used(config, "users"):
        if user.get("token") and (user.get("username") or user.get("password")):
            yield path + ("token",), "is not allowed together with username and password"
        if user.get("exec") is not None and user.get("auth-provider") is not None:
            yield path + ("exec",), "is not allowed together with auth-provider"


def _certificate(config: EffectiveConfig) -> Violations:
    for path, user in _used(config, "users"):
        if not (user.get("client-certificate") or user.get("client-certificate-data")):
            continue
        for part in ("client-certificate", "client-key"):
            if user.get(part) and user.get(f"{part}-data"):
                yield path + (part,), f"is not allowed together with {part}-data"
        if not (user.get("client-key") or user.get("client-key-data")):
            yield path + ("client-key",), "is required with a client certificate"


def _plugins(config: EffectiveConfig) -> Iterator[_Entry]:
    for path, user in _used(config, "users"):
        if user.get("exec") is not None:
            yield path + ("exec",), user["exec"]


def _exec(config: EffectiveConfig) -> Violations:
    for path, plugin in _plugins(config):
        for field in ("command", "apiVersion"):
            if not plugin.get(field):
                yield path + (field,), "is required"
        for index, variable in enumerate(plugin.get("env") or ()):
            if not variable.get("name"):
                yield path + ("env", index, "name"), "is required"


def _exec_version(config: EffectiveConfig) -> Violations:
    allowed = [f"{_EXEC}/{version}" for version in value_facts("execVersions", config.minor, "clients")]
    for path, plugin in _plugins(config):
        if plugin.get("apiVersion") and plugin["apiVersion"] not in allowed:
            yield path + ("apiVersion",), "must be " + " or ".join(allowed)


def _impersonates(config: EffectiveConfig) -> Violations:
    for path, user in _used(config, "users"):
        for field in ("as-uid", "as-groups", "as-user-extra"):
            if user.get(field) and not user.get("as"):
                yield path + (field,), "needs as"


KUBECONFIG_RULES: dict[str, Rule] = {
    "names-unique": unique("clusters[]|users[]|contexts[].name"),
    "current-context": _current,
    "no-context": _no_context,
    "context-cluster": _reference("clusters"),
    "context-user": _reference("users"),
    "context-namespace": _namespace,
    "references": _references,
    "cluster-server": objects_must(_clusters, lambda cluster: cluster.get("server"), "is required", "server"),
    "cluster-authority": objects_must(
        _clusters,
        lambda cluster: not (cluster.get("certificate-authority") and cluster.get("certificate-authority-data")),
        "is not allowed together with certificate-authority-data",
        "certificate-authority",
    ),
    "cluster-insecure": objects_must(
        _clusters,
        lambda cluster: not (cluster.get("insecure-skip-tls-verify") and _has_authority(cluster)),
        "is not allowed together with a certificate authority",
        "insecure-skip-tls-verify",
    ),
    "cluster-proxy": _proxy,
    "user-one-way": _one_way,
    "user-certificate": _certificate,
    "user-exec": _exec,
    "user-exec-version": _exec_version,
    "user-exec-interactive": objects_must(
        _plugins,
        lambda plugin: plugin.get("apiVersion") != f"{_EXEC}/v1" or plugin.get("interactiveMode"),
        "is required: Never, IfAvailable or Always",
        "interactiveMode",
    ),
    "user-impersonates": _impersonates,
    "embedded-secret": values_must(
        "users[].user.token|password|client-key-data",
        not_,
        "put a secret into its own file: tokenFile, client-key, exec",
    ),
}


_ALIAS = re.compile(r"[a-zA-Z]+")


def _allowlist(config: EffectiveConfig) -> Violations:
    is_allowlist, has_plugins = (
        config.written("credentialPluginPolicy") == "Allowlist",
        bool(config.written("credentialPluginAllowlist")),
    )
    if is_allowlist != has_plugins:
        words = "must hold at least one plugin with" if is_allowlist else "is only allowed with"
        yield ("credentialPluginAllowlist",), f"{words} credentialPluginPolicy: Allowlist"


def _flag_names(pattern: str) -> Rule:
    return values_must(pattern, lambda name: not name.startswith("-"), "must be a flag's long name, without dashes")


def _not_read(config: EffectiveConfig) -> Violations:
    yield ("kind",), "no binary reads this kind from a file: kube-controller-manager only has flags"


def _leader_lock(config: EffectiveConfig) -> Violations:
    # Only v1, which has no such field, sets leases itself.
    if "resourceLock" in config.fields and config.written("resourceLock") not in ("leases", "endpoints"):
        yield ("resourceLock",), "is required: leases or endpoints"


CLIENT_RULES: dict[str, dict[str, Rule]] = {
    "Config": KUBECONFIG_RULES,
    "Preference": {
        "alias-name": values_must(
            "aliases[].name", lambda name: bool(_ALIAS.fullmatch(name)), "must be letters only", absent=""
        ),
        "alias-unique": unique("aliases[].name"),
        "option-name": all_of(
            _flag_names("aliases[]|defaults[].options[].name"),  # of v1beta1
            _flag_names("aliases[]|overrides[].flags[].name"),  # of v1alpha1
        ),
        "plugin-allowlist": _allowlist,
    },
    "LeaderMigrationConfiguration": {
        "leader-name": values_must("leaderName", bool, "is required", absent=""),
        "leader-lock": _leader_lock,
        "leader-controllers": required("controllerLeaders[].name|component"),
    },
    "KubeControllerManagerConfiguration": {"not-read": _not_read},
}
"""The rules by kind."""
