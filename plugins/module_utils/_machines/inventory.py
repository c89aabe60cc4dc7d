# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The hosts of an inventory: from Machines, from Nodes, or from both joined by name. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final, NamedTuple

from .._foreign import load_json
from .._nodeconfig.assignment import ConfigSource, InvalidConfigSource
from .._nodeconfig.well_known import (
    ANNOTATION_CONFIG_SOURCE,
    ANNOTATION_MACHINE,
    CONDITION_CONFIG_OK,
    LABEL_CONFIG,
)
from .._text import sanitize
from ._objects.types import Machine, is_address

# The types of a Node's addresses that a connection may use, in the default order.
ADDRESS_TYPES: Final = ("InternalIP", "ExternalIP", "Hostname")
HOST_NAMES: Final = ("name", "hostname", "address")

_ANNOTATIONS: Final = "configok.dev/"  # how the keys of our annotations begin
_MAX_TEXT = 256  # characters of a text that a kubelet writes
_MAX_ANNOTATION = 16384
_INFO: Final = ("kubeletVersion", "containerRuntimeVersion", "osImage", "kernelVersion", "architecture")
_PARTS: Final = {
    "metadata": ("name", "uid", "labels"),
    "spec": ("unschedulable", "taints"),
    "status": ("addresses",),
}
_ZONE: Final = ("topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone")
_BUNDLE = re.compile(r"(.+)-[0-9a-f]{10}")
_UNSAFE = re.compile(r"[^A-Za-z0-9_]")

# A host of this name would be the controller to a playbook.
CONTROLLER_NAMES: Final = frozenset(("localhost", "127.0.0.1", "::1"))
# Groups whose names a Node can have. They are reserved even if they have no hosts now.
_GROUP_NAMES: Final = frozenset(("all", "ungrouped", "ready", "absent"))


@dataclass(frozen=True)
class InventorySettings:
    """How hosts are named and reached. host_name: one of HOST_NAMES. addresses: of ADDRESS_TYPES, the best first.

    cluster: the name of the cluster that the Nodes are from, "" for none. is_joined: whether Machines and Nodes were
    both read in full, so that one without the other is worth a group. label_groups: the keys of labels whose values are
    groups.
    """

    host_name: str = "name"
    addresses: Sequence[str] = ADDRESS_TYPES
    cluster: str = ""
    is_joined: bool = False
    label_groups: Sequence[str] = ()


@dataclass(frozen=True)
class InventoryHost:
    """A host with its groups and variables. What a kubelet writes must never be evaluated as a template.

    reported: which of "name" and the variables about connections the Node alone says. They are for no other host.
    """

    name: str
    groups: tuple[str, ...]
    variables: Mapping[str, Any]
    reported: frozenset[str] = frozenset()

    @property
    def node_name(self) -> str:
        """Return the name of the Node or Machine."""
        return str(self.variables["node_name"])

    def under_own_name(self) -> InventoryHost:
        """Return the host with the name of its Node."""
        return replace(self, name=self.node_name, reported=self.reported - {"name"})

    def without_connection(self) -> InventoryHost:
        """Return the host without what its Node says of connections."""
        variables = {name: value for name, value in self.variables.items() if name not in self.reported}
        return replace(self, variables=variables, reported=self.reported & {"name"})


class Hosts(NamedTuple):
    """The hosts, sorted by the names of their Nodes. warnings: why Nodes and Machines are left out."""

    hosts: list[InventoryHost]
    warnings: list[str]


def node_facts(node: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts of a Node object for its host: a few hundred bytes of JSON-able data, safe to show."""
    metadata = node.get("metadata") or {}
    spec = node.get("spec") or {}
    status = node.get("status") or {}
    info = status.get("nodeInfo") or {}
    labels = metadata.get("labels") or {}
    annotations = metadata.get("annotations") or {}
    conditions = {
        _text(condition.get("type")): _text(condition.get("status")) for condition in status.get("conditions") or ()
    }
    runtime, _separator, runtime_version = _text(info.get("containerRuntimeVersion")).partition("://")
    source = _source(annotations.get(ANNOTATION_CONFIG_SOURCE))
    return {
        "name": str(metadata.get("name", "")),
        "uid": str(metadata.get("uid", "")),
        "labels": {str(key): str(value) for key, value in labels.items()},
        "annotations": {
            key: sanitize(value, _MAX_ANNOTATION) for key, value in annotations.items() if key.startswith(_ANNOTATIONS)
        },
        "addresses": {
            str(address.get("type")): address["address"]
            for address in reversed(status.get("addresses") or ())
            if is_address(str(address.get("address")))
        },
        "kubelet_version": _text(info.get("kubeletVersion")).removeprefix("v"),
        "runtime": {"name": runtime, "version": runtime_version.removeprefix("v")},
        "os_image": _text(info.get("osImage")),
        "kernel_version": _text(info.get("kernelVersion")),
        "architecture": _text(info.get("architecture")),
        "conditions": conditions,
        "ready": conditions.get("Ready", "Unknown") == "True",
        "config_ok": conditions.get(CONDITION_CONFIG_OK, "Unknown"),
        "config": str(labels.get(LABEL_CONFIG, "")),
        "config_source": source.to_dict() if source else None,
        "unschedulable": spec.get("unschedulable") is True,
        "taints": [
            {key: _text(taint.get(key)) for key in ("key", "value", "effect")} for taint in spec.get("taints") or ()
        ],
    }


def reduced_node(node: Mapping[str, Any]) -> dict[str, Any]:
    """Return a Node object with nothing but what node_facts reads, as it is cached."""
    parts = {name: node.get(name) or {} for name in ("metadata", "spec", "status")}
    reduced = {name: {key: part[key] for key in _PARTS[name] if key in part} for name, part in parts.items()}
    info, conditions = parts["status"].get("nodeInfo") or {}, parts["status"].get("conditions") or ()
    reduced["status"]["nodeInfo"] = {key: info[key] for key in _INFO if key in info}
    reduced["status"]["conditions"] = [{key: item.get(key) for key in ("type", "status")} for item in conditions]
    annotations = parts["metadata"].get("annotations") or {}
    reduced["metadata"]["annotations"] = {
        key: value for key, value in annotations.items() if key.startswith(_ANNOTATIONS)
    }
    return reduced


def cached_facts(text: object) -> list[dict[str, Any]] | None:
    """Return the facts of cached Nodes, which pass the checks of fresh ones; None for what no run has cached."""
    if not isinstance(text, str):
        return None
    try:
        facts = [node_facts(node) for node in load_json(text)]
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
        return None
    return facts if all(is_address(fact["name"]) for fact in facts) else None


def inventory_hosts(
    machines: Iterable[Machine], nodes: Iterable[Mapping[str, Any]], settings: InventorySettings
) -> Hosts:
    """Return a host for each Machine and each Node, one for both if they have the same name.

    nodes: as node_facts returns them. A kubelet reports its own host name and addresses: one that names a second host,
    too, names neither of them. A kubelet may even choose the name of its Node: one that Ansible takes for the
    controller or for a group is left out.
    """
    machine_of = {machine.name: machine for machine in machines}
    node_of = {str(node["name"]): node for node in nodes}
    names = sorted({*machine_of, *node_of})
    made = [_host(name, machine_of.get(name), node_of.get(name), settings) for name in names]
    uses = Counter(host.name for host in made)
    groups = _GROUP_NAMES.union(*(host.groups for host in made))
    taken = {*CONTROLLER_NAMES, *groups, *machine_of, *node_of}
    hosts, warnings = [], []
    for name, host in zip(names, made):
        if name in CONTROLLER_NAMES or name in groups:
            title = f"{'Node' if name in node_of else 'Machine'} {name} is left out"
            warnings.append(f"{title}: its name is that of {'a group' if name in groups else 'the controller'}")
            continue
        is_alone = uses[host.name] == 1 and host.name not in taken
        hosts.append(host if host.name == name or is_alone else host.under_own_name())
    return Hosts(hosts, warnings)


def _host(
    name: str, machine: Machine | None, node: Mapping[str, Any] | None, settings: InventorySettings
) -> InventoryHost:
    variables: dict[str, Any] = {"node_name": name}
    addresses: Mapping[str, str] = {}
    if node is not None:
        variables["node"] = node
        addresses = node["addresses"]
        address = next((addresses[kind] for kind in settings.addresses if kind in addresses), "")
        if address:
            variables["ansible_host"] = address
    is_reported = "ansible_host" in variables
    if machine is not None:
        variables["machine"] = _machine_facts(machine)
        fields = machine.provider.fields
        for variable, field in (("ansible_host", "address"), ("ansible_user", "user"), ("ansible_port", "port")):
            is_usable = field != "address" or is_address(str(fields.get(field)))
            # A default would come before what group_vars say.
            if fields.get(field) and is_usable and field not in machine.provider.defaulted:
                variables[variable] = fields[field]
                is_reported = is_reported and variable != "ansible_host"
    named = {"hostname": addresses.get("Hostname", ""), "address": str(variables.get("ansible_host", ""))}
    host_name = named.get(settings.host_name) or name
    reported = {"ansible_host"} if is_reported else set[str]()
    if host_name != name and (is_reported or settings.host_name == "hostname"):
        reported.add("name")
    return InventoryHost(host_name, tuple(_groups(machine, node, settings)), variables, frozenset(reported))


def _groups(machine: Machine | None, node: Mapping[str, Any] | None, settings: InventorySettings) -> Iterator[str]:
    """Yield the names of the groups of a host. What the cluster observes counts, else what the Machine declares."""
    pool, version, zone, cluster, provider = "", "", "", settings.cluster, ""
    if machine is not None:
        pool, version, cluster, provider = machine.pool, machine.kubelet_version, machine.cluster, machine.provider.kind
        zone = _first(machine.node_labels, _ZONE) or machine.labels.get("zone", "")
    if node is not None:
        pool = pool or _pool_of_source(node["config_source"])
        version = node["kubelet_version"] or version
        zone = _first(node["labels"], _ZONE) or zone
        provider = provider or _provider(node["annotations"].get(ANNOTATION_MACHINE))
    named = (("pool", pool), ("version", version), ("zone", zone), ("cluster", cluster), ("provider", provider))
    for kind, value in named:
        if value:
            yield _group_name(f"{kind}_{value}")
    labels = _labels(machine, node) if settings.label_groups else {}
    for key in settings.label_groups:
        if key in labels:
            yield _group_name("_".join(filter(None, ("label", key, labels[key]))))
    if node is not None:
        config_ok = node["config_ok"].lower()
        yield "ready" if node["ready"] else "not_ready"
        yield f"config_ok_{config_ok if config_ok in ('true', 'false') else 'unknown'}"
    if machine is not None and machine.state == "Absent":
        yield "absent"
    if settings.is_joined and machine is None:
        yield "without_machine"
    if settings.is_joined and node is None:
        yield "without_node"


def _labels(machine: Machine | None, node: Mapping[str, Any] | None) -> Mapping[str, str]:
    """Return the labels of a host. What a Machine declares counts: a kubelet can change labels of its own Node."""
    declared = {} if machine is None else {**machine.node_labels, **machine.labels}
    return declared if node is None else {**node["labels"], **declared}


def _machine_facts(machine: Machine) -> dict[str, Any]:
    source = machine.config_source
    return {
        "name": machine.name,
        "cluster": machine.cluster,
        "machine_set": machine.machine_set,
        "state": machine.state,
        "labels": dict(machine.labels),
        "kubelet_version": machine.kubelet_version,
        "runtime": dict(machine.runtime._asdict()) if machine.runtime else {"name": "", "version": ""},
        "pool": machine.pool,
        "config_source": {"configMap": dict(source._asdict())} if source else None,
        "node_labels": dict(machine.node_labels),
        "taints": [dict(taint._asdict()) for taint in machine.taints],
        "provider": {
            **machine.provider.fields,
            "apiVersion": machine.provider.api_version,
            "kind": machine.provider.kind,
        },
        "origin": machine.origin,
    }


def _text(value: object) -> str:
    return sanitize(value, _MAX_TEXT) if value else ""


@lru_cache(maxsize=64)  # thousands of Nodes share a few sources
def _source(text: str | None) -> ConfigSource | None:
    try:
        return ConfigSource.parse(text) if text else None
    except InvalidConfigSource:
        return None


def _pool_of_source(source: Mapping[str, Any] | None) -> str:
    """Return the pool that a bundle was published for, from its name; "" for a name that publishing does not give."""
    match = _BUNDLE.fullmatch(source["configMap"]["name"]) if source else None
    return match[1] if match else ""


def _provider(annotation: str | None) -> str:
    try:
        value = load_json(annotation) if annotation else None
    except ValueError:
        return ""
    kind = value.get("provider") if isinstance(value, dict) else ""
    return sanitize(kind, _MAX_TEXT) if isinstance(kind, str) else ""


def _first(labels: Mapping[str, str], keys: Iterable[str]) -> str:
    return next((labels[key] for key in keys if labels.get(key)), "")


def _group_name(text: str) -> str:
    return _UNSAFE.sub("_", text)
