# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check the API server's encryption. The rules have the ids of schema/kube_apiserver_validation_rules.json."""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator, Mapping
from typing import Any

from .._scalars._syntax import split_url
from .._scalars.field_path import Path
from ._rule import EffectiveConfig, Rule, Violations, in_range, objects_must, values_at, values_must

_KEYED = {"aescbc": (16, 24, 32), "aesgcm": (16, 24, 32), "secretbox": (32,)}
"""Providers with keys, and the sizes of their keys in bytes."""
_PROVIDERS = (*_KEYED, "identity", "kms")
_WITHOUT_API = ("apiserveripinfo", "serviceipallocations", "servicenodeportallocations")
_BASE64 = re.compile(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")


def _at_least_one(pattern: str, what: str) -> Rule:
    return values_must(pattern, bool, f"must have at least one {what}", absent=())


def _split(resource: str) -> tuple[str, str]:
    """Return name and group of a resource: `deployments.apps`, `secrets`, `*.` for all of the core group."""
    name, *group = resource.split(".", 1)
    return name, "".join(group)


def _invalid_name_reason(resource: str) -> str | None:
    name, group = _split(resource)
    if resource.lower() != resource:
        return "must be in lower case"
    if resource == "*":
        return "must be *. for all resources of the core group, or *.* for all"
    if resource in _WITHOUT_API:
        return "has no API of its own and cannot be encrypted"
    if group == "events.k8s.io":
        return "must be events: that is how they are stored"
    if group == "extensions":
        return "the group extensions is gone"
    if group == "*" and name != "*":
        return "one resource of all groups cannot be named"
    return None


def _resource_name(config: EffectiveConfig) -> Violations:
    for path, resource in values_at(config.data, "resources[].resources[]"):
        reason = _invalid_name_reason(resource)
        if reason is not None:
            yield path, reason


def _covers(wide: tuple[str, str], narrow: tuple[str, str]) -> bool:
    return wide == ("*", "*") or (wide[1] == narrow[1] and wide[0] == "*")


def _resource_overlap(config: EffectiveConfig) -> Violations:
    for path, names in values_at(config.data, "resources[].resources"):
        split = [_split(name) for name in names]
        for index, resource in enumerate(split):
            if resource in split[:index]:
                yield path + (index,), "must not stand twice in the list"
            elif any(_covers(earlier, resource) for earlier in split if earlier != resource):
                message = "is covered by another resource of the list: give it an element of its own before"
                yield path + (index,), message


def _keyed(config: EffectiveConfig) -> Iterator[tuple[str, Path, list[Mapping[str, Any]]]]:
    """Yield each list of keys with its path and the provider that uses it."""
    for path, provider in values_at(config.data, "resources[].providers[]"):
        for name in _KEYED:
            for below, value in values_at(provider, name):
                yield name, path + below + ("keys",), value.get("keys") or []


def _keys(config: EffectiveConfig) -> Violations:
    for provider, path, keys in _keyed(config):
        if not keys:
            yield path, f"{provider} needs at least one key"


def _key_name(config: EffectiveConfig) -> Violations:
    for provider, path, keys in _keyed(config):
        for index, key in enumerate(keys):
            if not key.get("name"):
                yield path + (index, "name"), f"is required in a key of {provider}"


def _key_secret(config: EffectiveConfig) -> Violations:
    for provider, path, keys in _keyed(config):
        sizes = _KEYED[provider]
        for index, key in enumerate(keys):
            text = "".join(str(key.get("secret", "")).split("\n")).replace("\r", "")
            if not text or not _BASE64.fullmatch(text) or len(binascii.a2b_base64(text)) not in sizes:
                allowed_sizes = " or ".join(", ".join(map(str, sizes)).rsplit(", ", 1))
                yield path + (index, "secret"), f"must be the base64 of {allowed_sizes} random bytes"


def _kms(config: EffectiveConfig) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """Yield each KMS provider with its path; a missing apiVersion is set to its default."""
    for path, kms in values_at(config.data, "resources[].providers[].kms"):
        yield path, {**kms, "apiVersion": kms.get("apiVersion") or "v1"}


def _kms_name(config: EffectiveConfig) -> Violations:
    for path, kms in _kms(config):
        if not kms.get("name"):
            yield path + ("name",), "is required"
        elif kms["apiVersion"] != "v1" and ":" in kms["name"]:
            yield path + ("name",), f"must not hold a colon with apiVersion {kms['apiVersion']}"


def _kms_name_unique(config: EffectiveConfig) -> Violations:
    seen: set[str] = set()
    for path, kms in _kms(config):
        name = kms.get("name", "")
        if name in seen and kms["apiVersion"] != "v1":
            yield path + ("name",), "must not be the name of another provider"
        seen.add(name)


def _is_socket_url(text: str) -> bool:
    url = split_url(text)
    return url is not None and url.scheme == "unix"


def _kms_cache(config: EffectiveConfig) -> Violations:
    for path, kms in _kms(config):
        size = kms.get("cachesize")
        if config.minor >= 27 and kms["apiVersion"] != "v1" and size is not None:
            yield path + ("cachesize",), f"is not allowed with apiVersion {kms['apiVersion']}"
        elif size == 0:
            yield path + ("cachesize",), "must be > 0, or below 0 for no cache"


def _kms_v1(config: EffectiveConfig) -> Violations:
    for path, kms in _kms(config):
        if kms["apiVersion"] == "v1" and not config.gates.is_on("KMSv1"):
            yield path + ("apiVersion",), "v1, the default, needs the feature gate KMSv1 on the command line: use v2"


def _identity_first(config: EffectiveConfig) -> Violations:
    for path, providers in values_at(config.data, "resources[].providers"):
        if providers and "identity" in providers[0]:
            yield path + (0,), "identity comes first: what is written is not encrypted"


ENCRYPTION_RULES: dict[str, Rule] = {
    "resources": _at_least_one("resources", "element"),
    "resource-names": _at_least_one("resources[].resources", "resource"),
    "resource-name": _resource_name,
    "resource-overlap": _resource_overlap,
    "providers": _at_least_one("resources[].providers", "provider"),
    "provider-one": objects_must(
        "resources[].providers[]",
        lambda provider: len(provider.keys() & _PROVIDERS) == 1,
        "must be exactly one of " + ", ".join(_PROVIDERS),
    ),
    "keys": _keys,
    "key-name": _key_name,
    "key-secret": _key_secret,
    "kms-name": _kms_name,
    "kms-name-unique": _kms_name_unique,
    "kms-version": objects_must(_kms, lambda kms: kms["apiVersion"] in ("v1", "v2"), "must be v1 or v2", "apiVersion"),
    "kms-endpoint": values_must(
        "resources[].providers[].kms.endpoint",
        _is_socket_url,
        "must be a URL with the scheme unix, for example unix:///run/kms.sock",
        absent="",
    ),
    "kms-timeout": in_range("resources[].providers[].kms.timeout", 1, None, "> 0"),
    "kms-cache": _kms_cache,
    "kms-v1": _kms_v1,
    "identity-first": _identity_first,
}
