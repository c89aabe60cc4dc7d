# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The API server's rules about EncryptionConfiguration, by id in schema/kube_apiserver_validation_rules.json.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator, Mapping
from typing import Any

from .._values._networks import split_url
from .._values._paths import Path
from ._context import Context, Fault, Rule
from ._shapes import checked, found, within

__all__ = ["ENCRYPTION_RULES"]

_KEYED = {"aescbc": (16, 24, 32), "aesgcm": (16, 24, 32), "secretbox": (32,)}
"""Providers with keys, and the bytes that a key of theirs may have."""
_PROVIDERS = (*_KEYED, "identity", "kms")
_WITHOUT_API = ("apiserveripinfo", "serviceipallocations", "servicenodeportallocations")
_BASE64 = re.compile(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")


def _at_least_one(pattern: str, what: str) -> Rule:
    return checked(pattern, bool, f"must have at least one {what}", absent=())


def _split(resource: str) -> tuple[str, str]:
    """Name and group: `deployments.apps`, `secrets`, `*.` for all of the core group."""
    name, *group = resource.split(".", 1)
    return name, "".join(group)


def _name_fault(resource: str) -> str | None:
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


def _resource_name(c: Context) -> Iterator[Fault]:
    for path, resource in found(c.data, "resources[].resources[]"):
        fault = _name_fault(resource)
        if fault is not None:
            yield path, fault


def _covers(wide: tuple[str, str], narrow: tuple[str, str]) -> bool:
    return wide == ("*", "*") or (wide[1] == narrow[1] and wide[0] == "*")


def _resource_overlap(c: Context) -> Iterator[Fault]:
    for path, names in found(c.data, "resources[].resources"):
        split = [_split(name) for name in names]
        for index, one in enumerate(split):
            if one in split[:index]:
                yield path + (index,), "must not stand twice in the list"
            elif any(_covers(other, one) for other in split if other != one):
                yield (
                    path + (index,),
                    "is covered by another resource of the list: give it an element of its own before",
                )


def _provider_one(c: Context) -> Iterator[Fault]:
    for path, provider in found(c.data, "resources[].providers[]"):
        given = [name for name in _PROVIDERS if name in provider]
        if len(given) != 1:
            yield path, "must be exactly one of " + ", ".join(_PROVIDERS)


def _keyed(c: Context) -> Iterator[tuple[str, Path, list[Mapping[str, Any]]]]:
    """Each list of keys, with the provider that uses it."""
    for path, provider in found(c.data, "resources[].providers[]"):
        for name in _KEYED:
            for below, value in found(provider, name):
                yield name, path + below + ("keys",), value.get("keys") or []


def _keys(c: Context) -> Iterator[Fault]:
    for provider, path, keys in _keyed(c):
        if not keys:
            yield path, f"{provider} needs at least one key"


def _key_name(c: Context) -> Iterator[Fault]:
    for provider, path, keys in _keyed(c):
        for index, key in enumerate(keys):
            if not key.get("name"):
                yield path + (index, "name"), f"is required in a key of {provider}"


def _key_secret(c: Context) -> Iterator[Fault]:
    for provider, path, keys in _keyed(c):
        sizes = _KEYED[provider]
        for index, key in enumerate(keys):
            text = "".join(str(key.get("secret", "")).split("\n")).replace("\r", "")
            if not text or not _BASE64.fullmatch(text) or len(binascii.a2b_base64(text)) not in sizes:
                wanted = " or ".join(", ".join(map(str, sizes)).rsplit(", ", 1))
                yield path + (index, "secret"), f"must be the base64 of {wanted} random bytes"


def _kms(c: Context) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """Each KMS provider, with the version of its interface where that is the default one."""
    for path, kms in found(c.data, "resources[].providers[].kms"):
        yield path, {**kms, "apiVersion": kms.get("apiVersion") or "v1"}


def _kms_name(c: Context) -> Iterator[Fault]:
    for path, kms in _kms(c):
        if not kms.get("name"):
            yield path + ("name",), "is required"
        elif kms["apiVersion"] != "v1" and ":" in kms["name"]:
            yield path + ("name",), f"must not hold a colon with apiVersion {kms['apiVersion']}"


def _kms_name_unique(c: Context) -> Iterator[Fault]:
    seen: set[str] = set()
    for path, kms in _kms(c):
        name = kms.get("name", "")
        if name in seen and kms["apiVersion"] != "v1":
            yield path + ("name",), "must not be the name of another provider"
        seen.add(name)


def _kms_version(c: Context) -> Iterator[Fault]:
    for path, kms in _kms(c):
        if kms["apiVersion"] not in ("v1", "v2"):
            yield path + ("apiVersion",), "must be v1 or v2"


def _kms_endpoint(c: Context) -> Iterator[Fault]:
    for path, kms in _kms(c):
        url = split_url(kms.get("endpoint", ""))
        if url is None or url.scheme != "unix":
            yield path + ("endpoint",), "must be a URL with the scheme unix, for example unix:///run/kms.sock"


def _kms_cache(c: Context) -> Iterator[Fault]:
    for path, kms in _kms(c):
        size = kms.get("cachesize")
        if c.minor >= 27 and kms["apiVersion"] != "v1" and size is not None:
            yield path + ("cachesize",), f"is not allowed with apiVersion {kms['apiVersion']}"
        elif size == 0:
            yield path + ("cachesize",), "must be > 0, or below 0 for no cache"


def _kms_v1(c: Context) -> Iterator[Fault]:
    for path, kms in _kms(c):
        if kms["apiVersion"] == "v1" and not c.gates.on("KMSv1"):
            yield path + ("apiVersion",), "v1, the default, needs the feature gate KMSv1 on the command line: use v2"


def _identity_first(c: Context) -> Iterator[Fault]:
    for path, providers in found(c.data, "resources[].providers"):
        if providers and "identity" in providers[0]:
            yield path + (0,), "identity comes first: what is written is not encrypted"


ENCRYPTION_RULES: dict[str, Rule] = {
    "resources": _at_least_one("resources", "element"),
    "resource-names": _at_least_one("resources[].resources", "resource"),
    "resource-name": _resource_name,
    "resource-overlap": _resource_overlap,
    "providers": _at_least_one("resources[].providers", "provider"),
    "provider-one": _provider_one,
    "keys": _keys,
    "key-name": _key_name,
    "key-secret": _key_secret,
    "kms-name": _kms_name,
    "kms-name-unique": _kms_name_unique,
    "kms-version": _kms_version,
    "kms-endpoint": _kms_endpoint,
    "kms-timeout": within("resources[].providers[].kms.timeout", 1, None, "> 0"),
    "kms-cache": _kms_cache,
    "kms-v1": _kms_v1,
    "identity-first": _identity_first,
}
