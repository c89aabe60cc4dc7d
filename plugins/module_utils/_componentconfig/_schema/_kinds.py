# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The generated facts about kinds and fields, read when first needed.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, NamedTuple, cast

from .._exceptions import ConfigError
from .._findings import Finding
from .._scalars._field_path import Path
from ._releases import _index, minor_name

__all__ = [
    "Embedded",
    "Kind",
    "MAIN_KINDS",
    "at_minor",
    "embedded",
    "find_kind",
    "kinds",
    "prune",
    "readers",
    "short",
    "version_of",
    "versions",
]

MAIN_KINDS: Mapping[str, str] = {
    "kubelet": "KubeletConfiguration",
    "kube-proxy": "KubeProxyConfiguration",
    "kube-scheduler": "KubeSchedulerConfiguration",
    "kube-controller-manager": "KubeControllerManagerConfiguration",
}
"""What a component reads through --config, and so what a bundle's key of that name holds."""

_OLDER_NAMES = {"EncryptionConfig": "EncryptionConfiguration"}
"""Kinds that are another one by an older name."""


@dataclass(frozen=True)
class Kind:
    """A kind in one API version: the component that reads it, the minors that know it, its fields as a tree.

    A field is a dict with `type` (string where absent), `optional`, `nullable` (a pointer in Go, or a list
    that may be empty on purpose), `since` and `last` (minors), `enum`, `default`, their histories `enums`, `types`,
    `defaults`, `nullables` (rows of minor and value), `defaultFrom` (the field beside it whose value it takes where
    that is set), `defaultAddedBy` (the switch beside it that adds the default's keys to a map), and `fields` below an
    object.
    """

    api_version: str
    kind: str
    component: str
    since: int
    last: int | None
    data_module: str

    @property
    def fields(self) -> dict[str, Any]:
        """The tree of fields."""
        entry = _schema_of(self.data_module)[f"{self.api_version} {self.kind}"]
        return cast("dict[str, Any]", entry["fields"])

    @property
    def own_name(self) -> str:
        """The name that nothing but this kind has: its newest one, and with the first word of its group where kinds of
        several groups are called Configuration."""
        if self.kind == "Configuration":
            return f"{self.api_version.partition('.')[0]}.{self.kind}"
        return _OLDER_NAMES.get(self.kind, self.kind)

    def known_at(self, minor: int) -> bool:
        """Whether that Kubernetes minor knows the kind in this version."""
        return self.since <= minor and (self.last is None or minor <= self.last)


def _schema_text(module: str) -> str:
    # Written out, since what is packed for a node or a module is found by reading the import statements.
    if module == "kubelet":
        from .._data._kubelet import KINDS
    elif module == "kube_proxy":
        from .._data._kube_proxy import KINDS
    elif module == "kube_scheduler":
        from .._data._kube_scheduler import KINDS
    elif module == "kube_apiserver":
        from .._data._kube_apiserver import KINDS
    elif module == "kubeadm":
        from .._data._kubeadm import KINDS
    else:
        from .._data._clients import KINDS
    return KINDS


@cache
def _schema_of(module: str) -> dict[str, Any]:
    return cast("dict[str, Any]", json.loads(_schema_text(module)))


@lru_cache(maxsize=1)
def kinds() -> tuple[Kind, ...]:
    """All kinds in all their API versions."""
    found = (find_kind(*key.split(" ", 1)) for key in _index()["kinds"])
    return tuple(kind for kind in found if kind is not None)


def find_kind(api_version: Any, kind: Any) -> Kind | None:
    """The kind of a document, None where the data do not have it."""
    key = f"{api_version} {kind}"
    entry = _index()["kinds"].get(key)
    if entry is None:
        return None
    module, component, since, last = entry
    return Kind(str(api_version), str(kind), component, since, last, module)


def at_minor(field: Mapping[str, Any], key: str, minor: int) -> Any:
    """A field's `default`, `enum`, `nullable` or `type` as it is at a minor."""
    value = field.get(key, "string" if key == "type" else None)
    rows = field.get(f"{key}s")
    if rows:
        value = rows[0][1]
        for since, row in rows:
            if since <= minor:
                value = row
    return value


def prune(data: Any) -> Any:
    """A document without what means the same as absent: nulls, and empty lists, maps and objects that carry no
    meaning."""
    kind = find_kind(data.get("apiVersion"), data.get("kind")) if isinstance(data, dict) else None
    return _prune(data, kind.fields if kind is not None else None)


def _prune(data: Any, fields: Mapping[str, Any] | None) -> Any:
    if isinstance(data, list):
        return [_prune(item, fields) for item in data]
    if not isinstance(data, dict):
        return data
    result = {}
    for key, value in data.items():
        field = (fields or {}).get(key)
        inner = field.get("fields") if field is not None else None
        if field is not None and "fields" in field and str(field.get("type")).startswith("map<"):
            pruned: Any = (
                {minor_name: _prune(item, inner) for minor_name, item in value.items()}
                if isinstance(value, dict)
                else value
            )
        else:
            pruned = _prune(value, inner)
        meaningful = field is None or "default" in field or "nullable" in field
        if pruned is None or (pruned in ({}, []) and not meaningful):
            continue
        result[key] = pruned
    return result


_ADMISSION = {
    "ResourceQuota": ("ResourceQuotaConfiguration", "Configuration"),
    "EventRateLimit": ("Configuration",),
    "PodTolerationRestriction": ("Configuration",),
    "PodSecurity": ("PodSecurityConfiguration",),
    "MutatingAdmissionWebhook": ("WebhookAdmissionConfiguration", "WebhookAdmission"),
    "ValidatingAdmissionWebhook": ("WebhookAdmissionConfiguration", "WebhookAdmission"),
    "MutatingAdmissionPolicy": ("MutatingAdmissionPolicyConfiguration",),
    "ValidatingAdmissionPolicy": ("ValidatingAdmissionPolicyConfiguration",),
}
"""The admission plugins whose configuration is a kind, and the names of that kind; others read what they like."""


class Embedded(NamedTuple):
    """A document at a path of the one around it; `data` always has apiVersion and kind."""

    path: Path
    data: dict[str, Any]
    kind: Kind


def embedded(kind: Kind, data: Mapping[str, Any], minor: int) -> Iterator[Embedded | Finding]:
    """The documents within data of a kind, and what keeps one from being read at all."""
    if kind.kind == "KubeSchedulerConfiguration":
        for index, profile in enumerate(data.get("profiles") or ()):
            for number, entry in enumerate(profile.get("pluginConfig") or ()):
                path: Path = ("profiles", index, "pluginConfig", number, "args")
                yield from _plugin_args(kind, entry.get("name", ""), entry.get("args"), path, minor)
    elif kind.kind == "AdmissionConfiguration":
        for index, plugin in enumerate(data.get("plugins") or ()):
            names = _ADMISSION.get(plugin.get("name", ""))
            if names is not None:
                yield from _admission(names, plugin.get("configuration"), ("plugins", index, "configuration"), minor)


def _plugin_args(outer: Kind, plugin: str, args: Any, path: Path, minor: int) -> Iterator[Embedded | Finding]:
    own = find_kind(outer.api_version, f"{plugin}Args")
    if own is None or not own.known_at(minor) or args is None:
        # A plugin that is not kube-scheduler's own: only that plugin knows its arguments.
        return
    if not isinstance(args, dict):
        yield Finding(path, f"must be a mapping: a {own.kind}", "embedded")
        return
    data = {**args, "apiVersion": args.get("apiVersion") or own.api_version, "kind": args.get("kind") or own.kind}
    if data["kind"] != own.kind:
        yield Finding(path + ("kind",), f"the arguments of {plugin} are a {own.kind}", "embedded")
        return
    yield from _document(data, (own.kind,), path, minor)


def _admission(names: tuple[str, ...], value: Any, path: Path, minor: int) -> Iterator[Embedded | Finding]:
    if value is None:
        return
    if not isinstance(value, dict):
        yield Finding(path, f"must be a mapping: a {names[0]}", "embedded")
        return
    for key in ("apiVersion", "kind"):
        if not isinstance(value.get(key), str) or not value[key]:
            yield Finding(path + (key,), "is required, as a string", "embedded")
            return
    yield from _document(value, names, path, minor)


def _document(data: dict[str, Any], names: tuple[str, ...], path: Path, minor: int) -> Iterator[Embedded | Finding]:
    kind = find_kind(data["apiVersion"], data["kind"])
    if data["kind"] not in names:
        yield Finding(path + ("kind",), f"must be {' or '.join(names)}", "embedded")
    elif kind is None or not kind.known_at(minor):
        yield Finding(
            path + ("apiVersion",), f"this Kubernetes version knows no such version of {names[0]}", "embedded"
        )
    else:
        yield Embedded(path, data, kind)


_ALSO_CALLED = {
    "WebhookAdmission": "WebhookAdmissionConfiguration",
    "resourcequota.admission.k8s.io Configuration": "ResourceQuotaConfiguration",
}
"""Kinds that other versions call otherwise."""


def _line(kind: Kind) -> str:
    """What the versions of one kind have in common. Three kinds are called Configuration: the API group tells them."""
    own = kind.kind if kind.kind != "Configuration" else f"{kind.api_version.split('/')[0]} {kind.kind}"
    return _ALSO_CALLED.get(own, own)


def short(kind: Kind) -> str:
    """The version alone: v1beta3."""
    return kind.api_version.rsplit("/", 1)[-1]


def versions(kind: Kind) -> list[Kind]:
    """All versions of a kind, itself among them, the oldest first."""
    return sorted((one for one in kinds() if _line(one) == _line(kind)), key=_age)


def _age(kind: Kind) -> tuple[int, int, int]:
    match = re.fullmatch(r"v([0-9]+)(?:(alpha|beta)([0-9]+))?", short(kind))
    if match is None:
        return 0, 0, 0
    major, stage, number = match.groups()
    return ("alpha", "beta", None).index(stage), int(major), int(number or 0)


def version_of(kind: Kind, wanted: str) -> Kind:
    """The version of a kind that is called `wanted`, as v1 or with its group; ValueError with a sentence for none."""
    for one in versions(kind):
        if wanted in (short(one), one.api_version):
            return one
    has = ", ".join(one.api_version for one in versions(kind))
    raise ConfigError(f"{kind.kind} has no version {wanted}: it has {has}")


def readers(kind: Kind) -> str:
    """The Kubernetes minors that read a version, in words."""
    if kind.last is None:
        return f"Kubernetes {minor_name(kind.since)} and newer"
    return f"Kubernetes {minor_name(kind.since)}" + (f" to {minor_name(kind.last)}" if kind.last != kind.since else "")
