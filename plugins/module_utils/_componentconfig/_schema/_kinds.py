# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Look up kinds, their API versions, their fields, and the documents inside them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Literal, NamedTuple, cast

from .._exceptions import ConfigError
from .._findings import Finding
from .._scalars._field_path import Path
from ._releases import minor_name, release_index

__all__ = [
    "DataModule",
    "EmbeddedDocument",
    "FieldFact",
    "KUBELET",
    "KUBELET_CONFIGURATION",
    "Kind",
    "MAIN_KINDS",
    "embedded_documents",
    "fact_at",
    "find_kind",
    "find_version",
    "is_present_at",
    "kinds",
    "prune",
    "readers_text",
    "version_order",
    "versions_of",
]

KUBELET = "kubelet"
KUBELET_CONFIGURATION = "KubeletConfiguration"

MAIN_KINDS: Mapping[str, str] = {
    KUBELET: KUBELET_CONFIGURATION,
    "kube-proxy": "KubeProxyConfiguration",
    "kube-scheduler": "KubeSchedulerConfiguration",
    "kube-controller-manager": "KubeControllerManagerConfiguration",
}
"""The kind that a component reads from --config, and so the kind of a bundle's document of that name."""

_RENAMED_KINDS = {"EncryptionConfig": "EncryptionConfiguration"}
"""Old names of kinds, with the new ones."""

DataModule = Literal["kubelet", "kube_proxy", "kube_scheduler", "kube_apiserver", "kubeadm", "clients"]
"""A file of generated data: the kinds and rules of one component, or of those that share a file."""
FieldFact = Literal["type", "default", "enum", "nullable"]
"""A fact about a field that may change between minors."""


@dataclass(frozen=True)
class Kind:
    """A kind in one API version: the component that reads it, the minors that know it, its fields as a tree.

    The entry of a field is a dict with `type` (string if absent), `optional`, `nullable` (a pointer in Go, or a list
    that may be empty on purpose), `since` and `last` (minors), `enum`, `default`, their histories `enums`, `types`,
    `defaults`, `nullables` (rows of minor and value), `defaultFrom` (the sibling field whose value it takes if that is
    set), `defaultAddedBy` (the sibling switch that adds the default's keys to a map), and `fields` of an object.
    """

    api_version: str
    kind: str
    component: str
    since: int
    last: int | None
    data_module: DataModule

    @property
    def fields(self) -> dict[str, Any]:
        """The entries of all fields by name, as a tree."""
        entry = _schema_of(self.data_module)[f"{self.api_version} {self.kind}"]
        return cast("dict[str, Any]", entry["fields"])

    @property
    def unique_name(self) -> str:
        """The kind's newest name; several kinds named Configuration have the first word of their group before it."""
        if self.kind == "Configuration":
            return f"{self.api_version.partition('.')[0]}.{self.kind}"
        return _RENAMED_KINDS.get(self.kind, self.kind)

    def known_at(self, minor: int) -> bool:
        """Return whether a Kubernetes minor knows the kind in this version."""
        return self.since <= minor and (self.last is None or minor <= self.last)

    @property
    def version(self) -> str:
        """The version without its group: v1beta3."""
        return self.api_version.rsplit("/", 1)[-1]

    def entries_along(self, path: Path) -> list[Mapping[str, Any]]:
        """Return the entries of the fields along a path, {} for parts that are not fields."""
        fields, entries = self.fields, list[Mapping[str, Any]]()
        for part in path:
            entries.append(fields.get(str(part), {}))
            fields = entries[-1].get("fields", {})
        return entries

    def entry_at(self, path: Path, minor: int) -> Mapping[str, Any] | None:
        """Return the entry of a field, None if the minor lacks one of the fields along the path."""
        fields: Mapping[str, Any] = self.fields
        entry: Mapping[str, Any] | None = None
        for part in path:
            entry = fields.get(str(part))
            if entry is None or not is_present_at(entry, minor):
                return None
            fields = entry.get("fields") or {}
        return entry

    def has_field_path(self, path: Path) -> bool:
        """Return whether a path leads to a field at some minor, or to a key of a map."""
        fields: Mapping[str, Any] = self.fields
        for part in path:
            if part not in fields:
                return False
            fields = fields[str(part)].get("fields", {})
            if not fields:
                break  # the rest are keys of a map
        return bool(path)

    def has_pattern(self, pattern: str) -> bool:
        """Return whether a field pattern, such as `authentication.*`, matches a field at some minor."""
        return _matches_field(self.fields, pattern.replace("[]", ".*").split("."))


def _matches_field(fields: Mapping[str, Any], parts: Sequence[str]) -> bool:
    entries = list(fields.values()) if parts[0] == "*" else [fields[parts[0]]] if parts[0] in fields else []
    return any(_matches_below(entry, parts[1:]) for entry in entries)


def _matches_below(entry: Mapping[str, Any], parts: Sequence[str]) -> bool:
    """Return whether parts lead to something inside a field; a map may have any key."""
    if not parts:
        return True
    type_name = str(entry.get("type", "string"))
    if type_name == "any" or (type_name.startswith("map<") and "fields" not in entry):
        return True
    if type_name.startswith(("map<", "list<")):
        parts = parts[1:]
    return not parts or ("fields" in entry and _matches_field(entry["fields"], parts))


def is_present_at(entry: Mapping[str, Any], minor: int) -> bool:
    """Return whether a minor is among those of an entry, a rule or a condition: from `since` to `last`."""
    return bool(entry.get("since", 0) <= minor <= entry.get("last", minor))


def _schema_text(module: DataModule) -> str:
    # One import statement each: they are how the files of a module and of the agent's archive are found.
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
    elif module == "clients":
        from .._data._clients import KINDS
    else:
        raise AssertionError(f"no data module {module}")
    return KINDS


@cache
def _schema_of(module: DataModule) -> dict[str, Any]:
    return cast("dict[str, Any]", json.loads(_schema_text(module)))


@lru_cache(maxsize=1)
def kinds() -> tuple[Kind, ...]:
    """Return all kinds in all their API versions."""
    schemas = (find_kind(*key.split(" ", 1)) for key in release_index()["kinds"])
    return tuple(kind for kind in schemas if kind is not None)


def find_kind(api_version: Any, kind: Any) -> Kind | None:
    """Return the kind of a document, None if the data lack it."""
    key = f"{api_version} {kind}"
    entry = release_index()["kinds"].get(key)
    if entry is None:
        return None
    module, component, since, last = entry
    return Kind(str(api_version), str(kind), component, since, last, module)


def fact_at(entry: Mapping[str, Any], fact: FieldFact, minor: int) -> Any:
    """Return a fact about a field as it is at a minor."""
    value = entry.get(fact, "string" if fact == "type" else None)
    rows = entry.get(f"{fact}s")
    if rows:
        value = rows[0][1]
        for since, row in rows:
            if since <= minor:
                value = row
    return value


def prune(data: Any) -> Any:
    """Return a document without the values that mean the same as absent: nulls, meaningless empty lists and maps."""
    kind = find_kind(data.get("apiVersion"), data.get("kind")) if isinstance(data, dict) else None
    return _prune(data, kind.fields if kind is not None else None)


def _prune(data: Any, fields: Mapping[str, Any] | None) -> Any:
    if isinstance(data, list):
        return [_prune(item, fields) for item in data]
    if not isinstance(data, dict):
        return data
    result = {}
    for key, value in data.items():
        entry = (fields or {}).get(key)
        inner = entry.get("fields") if entry is not None else None
        is_map = entry is not None and inner is not None and str(entry.get("type")).startswith("map<")
        if is_map and isinstance(value, dict):
            pruned: Any = {name: _prune(item, inner) for name, item in value.items()}
        else:
            pruned = value if is_map else _prune(value, inner)
        is_meaningful = entry is None or "default" in entry or "nullable" in entry
        if pruned is None or (pruned in ({}, []) and not is_meaningful):
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
"""The admission plugins whose configuration is a kind, with the names of that kind; other plugins read any data."""


class EmbeddedDocument(NamedTuple):
    """A document at a path of another document; `data` always has apiVersion and kind."""

    path: Path
    data: dict[str, Any]
    kind: Kind


def embedded_documents(kind: Kind, data: Mapping[str, Any], minor: int) -> Iterator[EmbeddedDocument | Finding]:
    """Yield the documents inside data of a kind, and a finding for each one that cannot be read."""
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


def _plugin_args(parent: Kind, plugin: str, args: Any, path: Path, minor: int) -> Iterator[EmbeddedDocument | Finding]:
    args_kind = find_kind(parent.api_version, f"{plugin}Args")
    if args_kind is None or not args_kind.known_at(minor) or args is None:
        return  # a third-party plugin: only that plugin knows its arguments
    if not isinstance(args, dict):
        yield Finding(path, f"must be a mapping: a {args_kind.kind}", "embedded")
        return
    data = {
        **args,
        "apiVersion": args.get("apiVersion") or args_kind.api_version,
        "kind": args.get("kind") or args_kind.kind,
    }
    if data["kind"] != args_kind.kind:
        yield Finding(path + ("kind",), f"the arguments of {plugin} are a {args_kind.kind}", "embedded")
        return
    yield from _known_document(data, (args_kind.kind,), path, minor)


def _admission(names: tuple[str, ...], value: Any, path: Path, minor: int) -> Iterator[EmbeddedDocument | Finding]:
    if value is None:
        return
    if not isinstance(value, dict):
        yield Finding(path, f"must be a mapping: a {names[0]}", "embedded")
        return
    for key in ("apiVersion", "kind"):
        if not isinstance(value.get(key), str) or not value[key]:
            yield Finding(path + (key,), "is required, as a string", "embedded")
            return
    yield from _known_document(value, names, path, minor)


def _known_document(
    data: dict[str, Any], names: tuple[str, ...], path: Path, minor: int
) -> Iterator[EmbeddedDocument | Finding]:
    kind = find_kind(data["apiVersion"], data["kind"])
    if data["kind"] not in names:
        yield Finding(path + ("kind",), f"must be {' or '.join(names)}", "embedded")
    elif kind is None or not kind.known_at(minor):
        yield Finding(
            path + ("apiVersion",), f"this Kubernetes version knows no such version of {names[0]}", "embedded"
        )
    else:
        yield EmbeddedDocument(path, data, kind)


_NAMES_OF_VERSIONS = {
    "WebhookAdmission": "WebhookAdmissionConfiguration",
    "resourcequota.admission.k8s.io Configuration": "ResourceQuotaConfiguration",
}
"""Kinds that have another name in other versions, with that name."""


def _lineage(kind: Kind) -> str:
    """Return the name that all versions of one kind share. The group tells apart three kinds called Configuration."""
    name = kind.kind if kind.kind != "Configuration" else f"{kind.api_version.split('/')[0]} {kind.kind}"
    return _NAMES_OF_VERSIONS.get(name, name)


def versions_of(kind: Kind) -> list[Kind]:
    """Return all versions of a kind, itself among them, the oldest first."""
    return sorted((version for version in kinds() if _lineage(version) == _lineage(kind)), key=version_order)


def version_order(kind: Kind) -> tuple[int, int, int]:
    """Return the key that sorts versions as Kubernetes does: alpha before beta before stable, then by number."""
    match = re.fullmatch(r"v([0-9]+)(?:(alpha|beta)([0-9]+))?", kind.version)
    if match is None:
        return 0, 0, 0
    major, stage, number = match.groups()
    return ("alpha", "beta", None).index(stage), int(major), int(number or 0)


def find_version(kind: Kind, api_version: str) -> Kind:
    """Return the version of a kind with a name such as v1 or kubelet.config.k8s.io/v1.

    Raises ConfigError if the kind has no such version.
    """
    for version in versions_of(kind):
        if api_version in (version.version, version.api_version):
            return version
    names = ", ".join(version.api_version for version in versions_of(kind))
    raise ConfigError(f"{kind.kind} has no version {api_version}: it has {names}")


def readers_text(kind: Kind) -> str:
    """Return which Kubernetes minors read a version, for a message."""
    if kind.last is None:
        return f"Kubernetes {minor_name(kind.since)} and newer"
    return f"Kubernetes {minor_name(kind.since)}" + (f" to {minor_name(kind.last)}" if kind.last != kind.since else "")
