# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The API server's rules about admission plugins, by id in schema/kube_apiserver_validation_rules.json.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Callable

from .._values._names import is_dns_label, is_dns_name, is_label_key, is_label_value
from .._values._paths import Path
from ._context import Context, Fault, Rule
from ._shapes import all_of, checked, found, required, unique, within

__all__ = ["ADMISSION_RULES"]

_LEVELS = ("privileged", "baseline", "restricted")
_VERSION = re.compile(r"latest|v1\.(?:0|[1-9][0-9]*)")
_MODES = ("enforce", "audit", "warn")


def _absolute(field: str) -> Rule:
    return checked(field, lambda path: not path or path.startswith("/"), "must be an absolute path")


def _both(c: Context) -> Iterator[Fault]:
    for path, plugin in found(c.data, "plugins[]"):
        if plugin.get("path") and plugin.get("configuration") is not None:
            yield path + ("path",), "is not read beside configuration"


def _limits(c: Context) -> Iterator[Fault]:
    if not c.data.get("limits"):
        yield ("limits",), "must hold at least one limit"


def _limit_cache(c: Context) -> Iterator[Fault]:
    for path, limit in found(c.data, "limits[]"):
        if limit.get("type") != "Server" and limit.get("cacheSize", 0) < 0:
            yield path + ("cacheSize",), "must be >= 0"


def _tolerations(c: Context) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    yield from found(c.data, "default[]")
    yield from found(c.data, "whitelist[]")


def _toleration_key(c: Context) -> Iterator[Fault]:
    for path, toleration in _tolerations(c):
        key = toleration.get("key", "")
        if key and not is_label_key(key):
            yield path + ("key",), "must be the key of a label"
        elif not key and toleration.get("operator") != "Exists":
            yield path + ("operator",), "must be Exists without a key"


def _toleration_value(c: Context) -> Iterator[Fault]:
    for path, toleration in _tolerations(c):
        value, operator = toleration.get("value", ""), toleration.get("operator", "")
        if operator == "Exists" and value:
            yield path + ("value",), "must be empty with operator Exists"
        elif operator in ("", "Equal") and not is_label_value(value):
            yield path + ("value",), "must be the value of a label"


def _toleration_seconds(c: Context) -> Iterator[Fault]:
    for path, toleration in _tolerations(c):
        if toleration.get("tolerationSeconds") is not None and toleration.get("effect") != "NoExecute":
            yield path + ("effect",), "must be NoExecute with tolerationSeconds"


def _in_each_mode(suffix: str, allowed: Callable[[str], object], words: str) -> Rule:
    return all_of(*(checked(f"defaults.{mode}{suffix}", lambda v: not v or bool(allowed(v)), words) for mode in _MODES))


_QUOTA: dict[str, Rule] = {"quota-resource": required("limitedResources[].resource")}
_STATIC: dict[str, Rule] = {"static-manifests": _absolute("staticManifestsDir")}
_KUBECONFIG: dict[str, Rule] = {"webhook-kubeconfig": _absolute("kubeConfigFile")}

ADMISSION_RULES: dict[str, dict[str, Rule]] = {
    "AdmissionConfiguration": {
        "admission-twice": unique("plugins[].name", "the plugin is configured twice: only the first is read"),
        "admission-both": _both,
    },
    "WebhookAdmissionConfiguration": {**_KUBECONFIG, **_STATIC},
    "WebhookAdmission": _KUBECONFIG,
    "ValidatingAdmissionPolicyConfiguration": _STATIC,
    "MutatingAdmissionPolicyConfiguration": _STATIC,
    "ResourceQuotaConfiguration": _QUOTA,
    "resourcequota.Configuration": _QUOTA,
    "eventratelimit.Configuration": {
        "limits": _limits,
        "limit-type": required("limits[].type"),
        "limit-burst": within("limits[].burst", 1, None, "> 0", absent=0),
        "limit-qps": within("limits[].qps", 1, None, "> 0", absent=0),
        "limit-cache": _limit_cache,
    },
    "podtolerationrestriction.Configuration": {
        "toleration-key": _toleration_key,
        "toleration-value": _toleration_value,
        "toleration-seconds": _toleration_seconds,
    },
    "PodSecurityConfiguration": {
        "security-level": _in_each_mode("", _LEVELS.__contains__, "must be one of " + ", ".join(_LEVELS)),
        "security-version": _in_each_mode(
            "-version", _VERSION.fullmatch, "must be latest or a version, for example v1.31"
        ),
        "exempt-namespaces": checked("exemptions.namespaces[]", is_dns_label, "must be the name of a namespace"),
        "exempt-classes": checked("exemptions.runtimeClasses[]", is_dns_name, "must be the name of a runtime class"),
        "exempt-users": checked("exemptions.usernames[]", bool, "must not be empty"),
        "exempt-twice": all_of(
            unique("exemptions.usernames[]"), unique("exemptions.namespaces[]"), unique("exemptions.runtimeClasses[]")
        ),
    },
}
"""The rules by kind; kinds that are called Configuration with the first word of their group."""
