# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check CredentialProviderConfig as the kubelet does.

The rules have the ids of schema/credential_provider_validation_rules.json.
"""

from __future__ import annotations

from .._scalars._syntax import is_label_key, split_url
from . import value_facts
from ._rule import (
    EffectiveConfig,
    Rule,
    Violations,
    all_of,
    duplicates,
    in_range,
    objects_must,
    required,
    unique,
    values_at,
    values_must,
)

_GROUP = "credentialprovider.kubelet.k8s.io"
_GATE = "KubeletServiceAccountTokenForCredentialProviders"
_TOKEN = "providers[].tokenAttributes"
_KEY_LISTS = ("requiredServiceAccountAnnotationKeys", "optionalServiceAccountAnnotationKeys")


def _version(config: EffectiveConfig) -> Violations:
    allowed = [f"{_GROUP}/{version}" for version in value_facts("versions", config.minor)]
    for path, provider in values_at(config.data, "providers[]"):
        if provider.get("apiVersion", "") not in allowed:
            yield path + ("apiVersion",), "must be " + " or ".join(allowed)


def _match_images(config: EffectiveConfig) -> Violations:
    for path, provider in values_at(config.data, "providers[]"):
        images = provider.get("matchImages") or []
        if not images:
            yield path + ("matchImages",), "must hold at least one image"
        for index, image in enumerate(images):
            if split_url(f"https://{image}", strict_colons=config.minor >= 36) is None:
                message = "must be a registry with a path if any, for example *.example.com/a"
                yield path + ("matchImages", index), message


def _token_gate(config: EffectiveConfig) -> Violations:
    for path, _attributes in values_at(config.data, _TOKEN):
        if not config.gates.is_on(_GATE):
            yield path, f"needs the feature gate {_GATE} in the kubelet's config"


def _token_required(config: EffectiveConfig) -> Violations:
    for path, attributes in values_at(config.data, _TOKEN):
        value = attributes.get("requireServiceAccount")
        if value is None:
            yield path + ("requireServiceAccount",), "is required"
        elif not value and attributes.get(_KEY_LISTS[0]):
            yield path + (_KEY_LISTS[0],), "needs requireServiceAccount: true"


def _token_keys(config: EffectiveConfig) -> Violations:
    for path, attributes in values_at(config.data, _TOKEN):
        keys = [pair for name in _KEY_LISTS for pair in values_at(attributes, f"{name}[]", path)]
        for key_path, key in keys:
            if not is_label_key(key.lower()):
                yield key_path, "must be the key of an annotation"
        yield from duplicates(keys)


CREDENTIAL_PROVIDER_RULES: dict[str, Rule] = {
    "providers": required("providers", "must hold at least one provider"),
    "provider-name": values_must(
        "providers[].name",
        lambda name: name not in ("", ".", "..") and not set(name) & set("/ "),
        "must be the name of an executable, without / and spaces",
        absent="",
    ),
    "provider-unique": unique("providers[].name", "must not be the name of two providers"),
    "provider-version": _version,
    "match-images": _match_images,
    "cache-duration": all_of(
        required("providers[].defaultCacheDuration"), in_range("providers[].defaultCacheDuration", 0, None, ">= 0")
    ),
    "token-gate": _token_gate,
    "token-version": objects_must(
        "providers[]",
        lambda provider: provider.get("tokenAttributes") is None or provider.get("apiVersion") == f"{_GROUP}/v1",
        f"is only allowed with apiVersion {_GROUP}/v1",
        "tokenAttributes",
    ),
    "token-audience": required(f"{_TOKEN}.serviceAccountTokenAudience"),
    "token-required": _token_required,
    "token-cache": required(f"{_TOKEN}.cacheType", "is required: Token or ServiceAccount"),
    "token-keys": _token_keys,
}
