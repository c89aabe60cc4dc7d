# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read objects of Cluster API as Machines that Cluster API owns. Pure.

They are reported, compared and listed, and never changed. What has no counterpart here is a note.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from ..._componentconfig._scalars.field_path import Path
from ..._componentconfig.declared_kinds import is_dns_name
from ._object_errors import ObjectErrors
from .documents import ObjectDocument
from .types import CLUSTER_API, Cluster, Machine, ProviderConfig, Taint, is_address, plain_version

_GROUP: Final = "cluster.x-k8s.io"
_VERSIONS: Final = ("v1beta1", "v1beta2")
_SETS: Final = ("MachineSet", "MachineDeployment", "MachinePool")


class ClusterApiObjects(NamedTuple):
    """The Machines and Clusters of Cluster API."""

    machines: list[Machine]
    clusters: list[Cluster]


def is_of_cluster_api(document: ObjectDocument) -> bool:
    """Return whether an object is of Cluster API, or of one of its providers."""
    group = document.api_version.partition("/")[0]
    return group == _GROUP or group.endswith(f".{_GROUP}")


def read_cluster_api(documents: Sequence[ObjectDocument], errors: ObjectErrors) -> ClusterApiObjects:
    """Return the Machines and Clusters among objects of Cluster API, and add notes about all others."""
    machines: list[Machine] = []
    clusters: dict[str, Cluster] = {}
    names: dict[tuple[str, str], str] = {}
    for document in documents:
        errors.add_all(document.document.findings, document)
        group, _slash, version = document.api_version.partition("/")
        if group != _GROUP:
            _note(errors, document, "only Cluster API's own objects are read, not those of its providers")
        elif version not in _VERSIONS:
            message = f"Cluster API's versions that are read here are {' and '.join(_VERSIONS)}"
            errors.add_at(document, ("apiVersion",), message)
        elif document.kind == "Machine":
            machine = _machine(document, errors)
            if machine is not None and _is_new(document, machine.name, names, errors):
                machines.append(machine)
        elif document.kind == "Cluster":
            is_named = _check_names(document, {("metadata", "name"): document.name}, errors)
            if is_named and _is_new(document, document.name, names, errors):
                clusters[document.name] = _cluster(document)
        elif document.kind in _SETS:
            _note(errors, document, "its machines are read from their Machine objects, which Cluster API makes of it")
        else:
            _note(errors, document, "this kind has no counterpart here")
    for machine in machines:
        clusters.setdefault(machine.cluster, Cluster(machine.cluster, origin=machine.origin))
    return ClusterApiObjects(machines, list(clusters.values()))


def _check_names(document: ObjectDocument, names: Mapping[Path, str], errors: ObjectErrors) -> bool:
    """Return whether names, each at its path, can be those of objects; add an error for any other."""
    wrong = {path: value for path, value in names.items() if not is_dns_name(value)}
    for path, value in wrong.items():
        errors.add_at(document, path, "must be a DNS-1123 subdomain" if value else "is required, as a string")
    return not wrong


def _is_new(document: ObjectDocument, name: str, names: dict[tuple[str, str], str], errors: ObjectErrors) -> bool:
    """Return whether no earlier object of this kind has the name, and keep it. name: of a Machine, that of its Node."""
    first = names.get((document.kind, name))
    if first is None:
        names[document.kind, name] = document.origin
        return True
    if name == document.name:
        errors.add_at(document, ("metadata", "name"), f"another {document.kind} has this name already, in {first}")
    else:
        errors.add_at(document, ("status", "nodeRef", "name"), f"another Machine has this Node already, in {first}")
    return False


def _note(errors: ObjectErrors, document: ObjectDocument, message: str) -> None:
    errors.warn(f"{document.origin}: {document.kind} {document.title}: {message}")


def _machine(document: ObjectDocument, errors: ObjectErrors) -> Machine | None:
    """Return the Machine of an object, whose Node may have another name."""
    data = document.data
    spec, metadata, status = (_mapping(data.get(key)) for key in ("spec", "metadata", "status"))
    cluster, reference = _text(spec.get("clusterName")), _mapping(spec.get("infrastructureRef"))
    node = _text(_mapping(status.get("nodeRef")).get("name"))
    names: dict[Path, str] = {("metadata", "name"): document.name, ("spec", "clusterName"): cluster}
    if node:
        names["status", "nodeRef", "name"] = node
    if not _check_names(document, names, errors):
        return None
    for field in ("bootstrap", "readinessGates", "failureDomain"):
        if spec.get(field):
            _note(errors, document, f"spec.{field} has no counterpart here")
    if not node:
        _note(errors, document, "has no Node yet (status.nodeRef is not set): its own name stands for that of the Node")
    group = _text(reference.get("apiVersion")) or _text(reference.get("apiGroup")) or document.api_version
    fields: dict[str, Any] = {
        key: _text(reference.get(key)) for key in ("name", "namespace") if _text(reference.get(key))
    }
    fields.update({key: spec[key] for key in ("providerID",) if _text(spec.get(key))})
    addresses = [
        _text(item.get("address"))
        for item in _list(status.get("addresses"))
        if isinstance(item, dict) and item.get("type") == "InternalIP" and is_address(_text(item.get("address")))
    ]
    if addresses:
        fields["address"] = addresses[0]
    labels = {key: value for key, value in _mapping(metadata.get("labels")).items() if isinstance(value, str)}
    return Machine(
        node or document.name,
        cluster,
        ProviderConfig(group, _text(reference.get("kind")) or "Machine", fields),
        labels=labels,
        kubelet_version=plain_version(_text(spec.get("version"))),
        taints=tuple(
            Taint(_text(item.get("key")), _text(item.get("value")), _text(item.get("effect")))
            for item in _list(spec.get("taints"))
            if isinstance(item, dict)
        ),
        owner=CLUSTER_API,
        origin=document.origin,
    )


def _cluster(document: ObjectDocument) -> Cluster:
    spec = _mapping(document.data.get("spec"))
    network, endpoint = _mapping(spec.get("clusterNetwork")), _mapping(spec.get("controlPlaneEndpoint"))
    host, port = _text(endpoint.get("host")), endpoint.get("port")
    if ":" in host:
        host = f"[{host}]"
    return Cluster(
        document.name,
        f"https://{host}:{port or 6443}" if host else "",
        plain_version(_text(_mapping(spec.get("topology")).get("version"))),
        ",".join(
            block for block in _list(_mapping(network.get("services")).get("cidrBlocks")) if isinstance(block, str)
        ),
        _text(network.get("serviceDomain")),
        origin=document.origin,
    )


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else ()


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
