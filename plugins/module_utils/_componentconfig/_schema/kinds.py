# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Look up kinds and their fields."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Literal, cast

from .._scalars.field_path import Path
from ._declared import DECLARED
from .overlays import ReleaseOverlay, overlays
from .releases import by_name, release_index

KUBELET = "kubelet"
KUBELET_CONFIGURATION = "KubeletConfiguration"

STATIC_POD = "static-pod"
"""The component of ComponentOptions: one of those that run as static Pods, which the document names."""

MAIN_KINDS: Mapping[str, str] = {
    KUBELET: KUBELET_CONFIGURATION,
    "kube-proxy": "KubeProxyConfiguration",
    "kube-scheduler": "KubeSchedulerConfiguration",
    "kube-controller-manager": "KubeControllerManagerConfiguration",
}
"""The kind that a component reads from --config, and so the kind of a bundle's document of that name."""

RENAMED_KINDS = {
    "EncryptionConfig": "EncryptionConfiguration",
    "WebhookAdmission": "WebhookAdmissionConfiguration",
}
"""Old names of kinds, of which the data know both, with the new ones."""
_UNIQUE_NAMES = {**RENAMED_KINDS, "resourcequota.Configuration": "ResourceQuotaConfiguration"}

_COMPONENTS = ""
"""The source of the kinds that components read; the others are those of DECLARED."""

DataModule = str
"""The name of generated data: the kinds and rules of one component, of those that share a file, or declared ones."""
OperatingSystem = Literal["linux", "windows"]
"""The operating system of a node."""
OPERATING_SYSTEMS: tuple[OperatingSystem, ...] = ("linux", "windows")
FieldFact = Literal["type", "default", "enum", "nullable"]
"""A fact about a field that may change between minors."""


@dataclass(frozen=True)
class Kind:
    """A kind in one API version: the component that reads it, the minors that know it, its fields as a tree.

    The entry of a field is a dict with `type` (string if absent), `optional` (of Machines), `nullable` (a pointer in
    Go, or a list that may be empty on purpose), `since` and `last` (minors), `enum`, `default`, their histories
    `enums`, `types`, `defaults`, `nullables` (rows of minor and value), `defaultFrom` (the sibling field whose value it
    takes if that is set), `defaultAddedBy` (the sibling switch that adds the default's keys to a map), `os` (the only
    operating system on which the component reads it), and `fields` of an object.
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
        entry = _schema_of(self.data_module, overlays())[f"{self.api_version} {self.kind}"]
        return cast("dict[str, Any]", entry["fields"])

    @property
    def description(self) -> str:
        """What the kind is for, "" for most of those that a component reads."""
        entry = _schema_of(self.data_module, overlays())[f"{self.api_version} {self.kind}"]
        return " ".join(entry.get("description", ()))

    @property
    def fields_unread_since(self) -> int | None:
        """The first minor whose fields were not read and are held as before, None if all were read."""
        entry = _schema_of(self.data_module, overlays())[f"{self.api_version} {self.kind}"]
        return cast("int | None", entry.get("unread"))

    @property
    def is_declared(self) -> bool:
        """Whether a package above the engine declares the kind, such as Machine: no component reads it."""
        return self.data_module in DECLARED

    @property
    def unique_name(self) -> str:
        """The newest name, which all versions of the kind share.

        Several kinds named Configuration have the first word of their group before it.
        """
        name = f"{self.api_version.partition('.')[0]}.{self.kind}" if self.kind == "Configuration" else self.kind
        return _UNIQUE_NAMES.get(name, name)

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
    elif module == "static_pod":
        from .._data._static_pod import KINDS
    elif module in DECLARED:
        return DECLARED[module].kinds
    else:
        raise AssertionError(f"no data module {module}")
    return KINDS


@cache
def _kinds_by_name(source: str) -> dict[str, Kind]:
    """Return the kinds that components read, or those of a declared source, by API version and name, sorted by name."""
    index = json.loads(DECLARED[source].index) if source in DECLARED else release_index()["kinds"]
    known = [
        Kind(api_version, name, component, since, last, module)
        for api_version, rows in index.items()
        for name, (module, component, since, last) in by_name(rows).items()
    ]
    known.sort(key=lambda kind: (kind.kind, kind.api_version))
    return {f"{kind.api_version} {kind.kind}": kind for kind in known}


def declared_kinds() -> tuple[Kind, ...]:
    """Return the kinds that no component reads, () if no package has declared any."""
    return tuple(kind for source in DECLARED for kind in _kinds_by_name(source).values())


@cache
def _schema_of(module: DataModule, added: tuple[ReleaseOverlay, ...]) -> dict[str, Any]:
    """Return the kinds of a data module, with the defaults of the overlays."""
    data = json.loads(_schema_text(module))
    shapes = data.get("shapes", {})
    schema = {
        key: {**kind, "fields": _expand(kind["fields"], shapes, {})} for key, kind in data.get("kinds", {}).items()
    }
    for overlay in added:
        for key, kind in schema.items():
            for path, value in overlay.defaults.get(key.split(" ")[-1], {}).items():
                _add_default(kind, path.split("."), overlay.minor, value)
    return schema


def _expand(fields: Any, shapes: Mapping[str, Any], around: Mapping[str, Any]) -> dict[str, Any]:
    """Return fields as a tree, without the names of shapes. No two entries are one dict: an overlay adds to some.

    around: the entry of the object with the fields, whose `since` and `gates` are theirs unless they have their own.
    """
    inherited = {fact: around[fact] for fact in ("since", "gates") if fact in around}
    result = {}
    for name, entry in (shapes[fields] if isinstance(fields, str) else fields).items():
        result[name] = {**inherited, **(shapes[entry] if isinstance(entry, str) else entry)}
        if "fields" in result[name]:
            result[name].setdefault("type", "object")
            result[name]["fields"] = _expand(result[name]["fields"], shapes, result[name])
    return result


def _add_default(entry: dict[str, Any], path: Sequence[str], minor: int, value: Any) -> None:
    """Add a row to the history of a field's default, if the kind has the field."""
    for part in path:
        entry = entry.get("fields", {}).get(part, {})
    if entry or path == []:
        rows = entry.get("defaults") or [[0, entry.get("default")]]
        entry["defaults"] = [*rows, [minor, value]]


@lru_cache(maxsize=1)
def kinds() -> tuple[Kind, ...]:
    """Return all kinds that components read, in all their API versions."""
    return tuple(_kinds_by_name(_COMPONENTS).values())


def version_order(kind: Kind) -> tuple[int, int, int]:
    """Return the key that sorts versions as Kubernetes does: alpha before beta before stable, then by number."""
    match = re.fullmatch(r"v([0-9]+)(?:(alpha|beta)([0-9]+))?", kind.version)
    if match is None:
        return 0, 0, 0
    major, stage, number = match.groups()
    return ("alpha", "beta", None).index(stage), int(major), int(number or 0)


@lru_cache(maxsize=1)
def _groups() -> frozenset[str]:
    return frozenset(kind.api_version.partition("/")[0] for kind in kinds() if "/" in kind.api_version)


def is_of_known_group(api_version: Any) -> bool:
    """Return whether an apiVersion is of an API group that has known kinds, in any case and whatever the version."""
    group, slash, _version = str(api_version).partition("/")
    return bool(slash) and group.lower() in _groups()


def find_kind(api_version: Any, kind: Any) -> Kind | None:
    """Return the kind of a document, None if the data lack it."""
    key = f"{api_version} {kind}"
    for source in (_COMPONENTS, *DECLARED):
        if key in _kinds_by_name(source):
            return _kinds_by_name(source)[key]
    return None


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


def nested_objects(value: Any, entry: Mapping[str, Any]) -> list[tuple[Path, Mapping[str, Any]]]:
    """Return the objects in a field's value, each with its path in it: one object, or those of a list or a map."""
    items: list[tuple[Path, Any]] = [((), value)]
    if isinstance(value, list):
        items = [((index,), item) for index, item in enumerate(value)]
    elif isinstance(value, dict) and str(entry.get("type")).startswith("map<"):
        items = [((key,), item) for key, item in value.items()]
    return [(path, item) for path, item in items if isinstance(item, dict)]


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
