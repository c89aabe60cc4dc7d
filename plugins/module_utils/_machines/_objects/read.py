# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read Machine files: decode, check, expand and resolve all objects together. Pure."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Union, cast

from ..._componentconfig._scalars.field_path import value_at
from ..._componentconfig.findings import RULE_UNKNOWN_FIELD, Finding
from ..._machine_kinds.kinds import machine_kind, machine_kinds
from ..._text import first_names
from ._cluster_api import is_of_cluster_api, read_cluster_api
from ._object_errors import ObjectErrors
from .checked_objects import kubelet_refusals, read_object, read_part
from .cluster_values import KUBELET_FIELD, contradicted_fields
from .documents import ObjectDocument, decode_objects
from .providers import SHIPPED_PROVIDERS
from .types import (
    API_GROUP,
    API_VERSION,
    PROVIDER_API_VERSION,
    BundleReference,
    Capabilities,
    Cluster,
    Machine,
    MachineCatalog,
    MachineState,
    Provider,
    ProviderConfig,
    Runtime,
    Taint,
    plain_version,
)

Path = tuple[Union[str, int], ...]

_BUNDLE_FIELDS = ("namespace", "name", "uid")
_NAMES_SHOWN = 5
_MAX_HOSTS = 10_000
_HOST_FIELDS = frozenset(("name", "labels"))  # of a host in a MachineSet: the Machine's, all others are its provider's
_MACHINE_FIELDS = frozenset(("cluster", "versions", "pool", "configSource", "nodeLabels", "taints", "state"))


class _Object(NamedTuple):
    """An object with its values: checked, and with defaults."""

    source: ObjectDocument
    values: Mapping[str, Any]

    @property
    def name(self) -> str:
        return str((self.values.get("metadata") or {}).get("name", ""))

    @property
    def spec(self) -> Mapping[str, Any]:
        return cast("Mapping[str, Any]", self.values.get("spec") or {})


def read_catalog(files: Mapping[str, str]) -> MachineCatalog:
    """Return all objects of the files, by name with their text, as one catalog.

    MachineSets are expanded, references are checked, and the objects of Cluster API become Machines that it owns.
    Raises InvalidMachines with everything that is wrong, each with file, line and field.
    """
    errors = ObjectErrors()
    documents: list[ObjectDocument] = []
    for file, text in files.items():
        decoded, findings = decode_objects(file, text)
        errors.add_all(findings)
        documents += decoded
    foreign = [document for document in documents if is_of_cluster_api(document)]
    objects = list(_read_objects([document for document in documents if not is_of_cluster_api(document)], errors))
    of_cluster_api = read_cluster_api(foreign, errors)

    providers = (*SHIPPED_PROVIDERS, *_providers(objects, errors))
    clusters = {cluster.name: cluster for cluster in of_cluster_api.clusters}
    clusters.update(_clusters(objects, errors))
    taken = {machine.name: machine.origin for machine in of_cluster_api.machines}
    machines = [*_MachineReader(clusters, providers, errors, taken).read(objects), *of_cluster_api.machines]
    errors.raise_any()
    return MachineCatalog(tuple(machines), clusters, providers, errors.warnings)


def _read_objects(documents: list[ObjectDocument], errors: ObjectErrors) -> Iterator[_Object]:
    """Yield the checked objects; those of an unknown kind are errors."""
    seen: dict[tuple[str, str], str] = {}
    for source in documents:
        kind = machine_kind(source.api_version, source.kind)
        if kind is None:
            errors.add(source.document.locate(_unknown_kind(source)), source)
            continue
        if kind.api_version != API_VERSION:
            message = f"is the config of a provider: it belongs in spec.providerConfig of a Machine ({API_VERSION})"
            errors.add_at(source, ("kind",), message)
            continue
        checked = read_object(source.document)
        errors.add_all(checked.findings, source)
        if source.name:
            first = seen.get((source.kind, source.name))
            seen.setdefault((source.kind, source.name), source.origin)
            if first is not None:
                message = f"another {source.kind} has this name already, in {first}"
                errors.add_at(source, ("metadata", "name"), message)
                continue
        yield _Object(source, checked.data)


def _unknown_kind(source: ObjectDocument) -> Finding:
    """Return why a document is not an object of a Machine file."""
    kinds = [kind for kind in machine_kinds() if kind.api_version == API_VERSION]
    names = [kind.kind for kind in kinds]
    if source.kind in names:
        return Finding(("apiVersion",), f"must be {API_VERSION} for a {source.kind}")
    if source.api_version.partition("/")[0] == API_GROUP:
        similar = difflib.get_close_matches(source.kind, names, 1, 0.6)
        hint = f", did you mean {similar[0]}?" if similar else f": they are {', '.join(sorted(names))}"
        return Finding(("kind",), f"unknown kind of {API_GROUP}{hint}")
    known = f"Machine files hold {', '.join(sorted(names))} of {API_VERSION}, and objects of Cluster API"
    return Finding(("kind",), f"is not read here: {known}")


def _providers(objects: list[_Object], errors: ObjectErrors) -> Iterator[Provider]:
    declared: dict[tuple[str, str], str] = {}
    for item in objects:
        if item.source.kind != "Provider":
            continue
        spec = item.spec
        key = str(spec.get("apiVersion", "")), str(spec.get("kind", ""))
        first = declared.setdefault(key, item.source.origin)
        if first != item.source.origin and all(key):
            errors.add_at(item.source, ("spec", "kind"), f"another Provider declares this kind already, in {first}")
            continue
        able = spec.get("capabilities") or {}
        yield Provider(
            *key,
            str(spec.get("role", "")),
            Capabilities(
                create=bool(able.get("create", True)),
                delete=bool(able.get("delete", True)),
                kubelet=bool(able.get("kubelet", True)),
                runtime=bool(able.get("containerRuntime", True)),
                runtime_kind=bool(able.get("containerRuntimeKind", False)),
                replace=bool(able.get("replace", False)),
            ),
        )


def _clusters(objects: list[_Object], errors: ObjectErrors) -> dict[str, Cluster]:
    clusters = {}
    for item in objects:
        if item.source.kind == "Cluster":
            network = item.spec.get("network") or {}
            clusters[item.name] = Cluster(
                item.name,
                str(item.spec.get("endpoint", "")).rstrip("/"),
                plain_version(item.spec.get("kubernetesVersion", "")),
                ",".join(part.strip() for part in str(network.get("serviceCIDR", "")).split(",")),
                str(network.get("dnsDomain", "")),
                tuple(network.get("clusterDNS") or ()),
                item.source.origin,
            )
    return clusters


def _taint(values: Mapping[str, Any]) -> Taint:
    return Taint(*(str(values.get(field, "")) for field in Taint._fields))


def _finding_of_host(finding: Finding, host_path: Path) -> Finding:
    """Return a finding about a host of a MachineSet, for a field of a Machine with where it belongs."""
    is_of_host = host_path and finding.rule == RULE_UNKNOWN_FIELD and finding.path[:-1] == host_path
    if not is_of_host or finding.path[-1] not in _MACHINE_FIELDS:
        return finding
    message = (
        f"is not a field of a host, which sets name, labels and fields of providerConfig: {finding.path[-1]} belongs in"
        " spec.template.spec"
    )
    return finding._replace(message=message)


def _expanded_host(template: Mapping[str, Any], host: Mapping[str, Any]) -> dict[str, Any]:
    """Return metadata and spec of the Machine of one host: those of the template, with the host's name and labels.

    The providerConfig is still that of the template.
    """
    metadata = template.get("metadata") or {}
    own = host.get("labels")
    labels = {**(metadata.get("labels") or {}), **(own if isinstance(own, dict) else {})}
    metadata = {**metadata, "name": host.get("name", ""), "labels": labels}
    return {"metadata": metadata, "spec": template.get("spec") or {}}


class _MachineReader:
    """Makes Machines of the objects that declare them. taken: the names of other Machines, with their origin."""

    def __init__(
        self,
        clusters: Mapping[str, Cluster],
        providers: Sequence[Provider],
        errors: ObjectErrors,
        taken: Mapping[str, str],
    ) -> None:
        self._clusters = clusters
        self._provider_kinds = {(provider.api_version, provider.kind) for provider in providers}
        self._errors = errors
        self._names = dict(taken)
        self._addresses: dict[tuple[str, Any], str] = {}
        self._checked_fields: set[str] = set()

    def read(self, objects: Iterable[_Object]) -> Iterator[Machine]:
        """Yield the Machines of all Machine and MachineSet objects."""
        for item in objects:
            if item.source.kind == "Machine":
                fields = self._provider_fields(item.source, ("spec", "providerConfig"))
                yield self._machine(item, item.values, fields, item.source.origin)
            elif item.source.kind == "MachineSet":
                yield from self._expanded(item)

    def _expanded(self, item: _Object) -> Iterator[Machine]:
        hosts = item.spec.get("hosts") or []
        if len(hosts) > _MAX_HOSTS:
            self._errors.add_at(
                item.source, ("spec", "hosts"), f"has {len(hosts)} hosts, at most {_MAX_HOSTS} are read"
            )
            return
        template = item.spec.get("template") or {}
        for index, host in enumerate(hosts):
            path: Path = ("spec", "hosts", index)
            fields = self._provider_fields(item.source, ("spec", "template", "spec", "providerConfig"), path)
            line = item.source.document.line_of(path)
            values = _expanded_host(template, host)
            yield self._machine(item, values, fields, f"{item.source.document.file}:{line or 1}", path)

    def _provider_fields(self, source: ObjectDocument, path: Path, host_path: Path = ()) -> ProviderConfig:
        """Return a providerConfig, with defaults if its kind is known here.

        host_path: where a MachineSet has the fields of one host, which are merged over those at the path.
        """
        values, findings = read_part(source.document, path, host_path, _HOST_FIELDS)
        self._errors.add_all([_finding_of_host(finding, host_path) for finding in findings], source)
        api_version, kind = values.get("apiVersion"), values.get("kind")
        fields = {key: value for key, value in values.items() if key not in ("apiVersion", "kind")}
        if not isinstance(api_version, str) or not isinstance(kind, str) or not api_version or not kind:
            return ProviderConfig("", "", fields)  # there is an error about it already
        if (api_version, kind) not in self._provider_kinds:
            is_known = any(name == kind for _version, name in self._provider_kinds)
            field = "apiVersion" if is_known else "kind"
            self._errors.add_at(source, (*path, field), self._unknown_provider(api_version, kind))
        parts = [value_at(source.data, part) for part in (path, host_path) if part]
        declared = {key for part in parts if isinstance(part, dict) for key in part if part[key] is not None}
        return ProviderConfig(api_version, kind, fields, frozenset(fields.keys() - declared))

    def _unknown_provider(self, api_version: str, kind: str) -> str:
        similar = difflib.get_close_matches(kind, [name for _version, name in self._provider_kinds], 1, 0.7)
        versions = sorted(version for version, name in self._provider_kinds if name == kind)
        if versions:
            return f"must be {' or '.join(versions)} for {kind}"
        hint = f"did you mean {similar[0]}? A" if similar else "a"
        return f"no provider has the kind {kind} of {api_version}: {hint} kind of your own needs a Provider object"

    def _machine(
        self, item: _Object, values: Mapping[str, Any], provider: ProviderConfig, origin: str, host_path: Path = ()
    ) -> Machine:
        """Return the Machine of values that have the fields of a Machine object; see `_expanded` for host_path."""
        metadata, spec = values.get("metadata") or {}, values.get("spec") or {}
        spec_path: Path = ("spec", "template", "spec") if host_path else ("spec",)
        name = str(metadata.get("name", ""))
        versions = spec.get("versions") or {}
        runtime = versions.get("containerRuntime")
        bundle = (spec.get("configSource") or {}).get("configMap")
        cluster = self._cluster_name(item.source, str(spec.get("cluster", "")), (*spec_path, "cluster"))
        kubelet_version = plain_version(versions.get("kubelet"))
        self._check_unique(item.source, name, provider, origin, host_path)
        config_path: Path = (*spec_path, "providerConfig")
        self._check_kubelet_fields(item.source, cluster, provider, kubelet_version, config_path, host_path)
        return Machine(
            name,
            cluster,
            provider,
            labels=dict(metadata.get("labels") or {}),
            kubelet_version=kubelet_version,
            runtime=Runtime(str(runtime.get("name", "")), plain_version(runtime.get("version"))) if runtime else None,
            pool=str(spec.get("pool", "")),
            config_source=BundleReference(*(str(bundle.get(key, "")) for key in _BUNDLE_FIELDS)) if bundle else None,
            node_labels=dict(spec.get("nodeLabels") or {}),
            taints=tuple(_taint(taint) for taint in spec.get("taints") or ()),
            state=cast(MachineState, spec.get("state", "Present")),
            machine_set=item.name if host_path else "",
            origin=origin,
        )

    def _cluster_name(self, source: ObjectDocument, name: str, path: Path) -> str:
        """Return the name of a Machine's Cluster, by default the only one."""
        known = sorted(self._clusters)
        if name in self._clusters or (not name and len(known) == 1):
            return name or known[0]
        if not known:
            message = f"no Cluster is declared: add one named {name or 'as you like'} ({API_VERSION}, kind Cluster)"
        elif name:
            message = f"no Cluster has this name, there are: {first_names(known, _NAMES_SHOWN)}"
        else:
            message = f"is required, as there are several Clusters: {first_names(known, _NAMES_SHOWN)}"
        self._errors.add_at(source, path, message)
        return name

    def _check_kubelet_fields(
        self, source: ObjectDocument, cluster: str, provider: ProviderConfig, version: str, path: Path, host_path: Path
    ) -> None:
        """Report fields of the init KubeletConfiguration that a kubelet refuses or that contradict the Cluster."""
        fields = provider.fields.get(KUBELET_FIELD)
        if provider.api_version != PROVIDER_API_VERSION or not isinstance(fields, dict) or not fields:
            return
        paths = (*path, KUBELET_FIELD), (*host_path, KUBELET_FIELD) if host_path else ()
        key = json.dumps([source.origin, version, fields], sort_keys=True)
        if key not in self._checked_fields:  # the hosts of a MachineSet usually have the same ones
            self._checked_fields.add(key)
            self._errors.add_all(kubelet_refusals(source.document, *paths, version), source)
        if cluster in self._clusters:
            for field, message in contradicted_fields(self._clusters[cluster], fields).items():
                is_of_host = bool(host_path) and source.has((*paths[1], field))
                self._errors.add_at(source, (*paths[is_of_host], field), message)

    def _check_unique(
        self, source: ObjectDocument, name: str, provider: ProviderConfig, origin: str, host_path: Path
    ) -> None:
        """Report a Machine with the name or the address of an earlier one."""
        if name in self._names:
            path = (*host_path, "name") if host_path else ("metadata", "name")
            self._errors.add_at(source, path, f"another Machine has this name already, in {self._names[name]}")
        elif name:
            self._names[name] = origin
        address = provider.fields.get("address")
        if isinstance(address, str) and address and provider.api_version == PROVIDER_API_VERSION:
            # Two hosts may be behind one address, with a port of the SSH server each.
            first = self._addresses.setdefault((address, provider.fields.get("port")), f"{name} ({origin})")
            if first != f"{name} ({origin})":
                path = (*host_path, "address") if host_path else ("spec", "providerConfig", "address")
                self._errors.add_at(source, path, f"the Machine {first} has this address and port already")
