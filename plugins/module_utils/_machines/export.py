# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write Machine files for the Nodes of a cluster, which reconcile to "no change". Pure."""

from __future__ import annotations

import ipaddress
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from .._componentconfig._codec.document import Document
from .._componentconfig._codec.yaml_text import encode
from .._componentconfig.findings import Finding
from .._machine_kinds.kinds import machine_kind
from .._nodeconfig.assignment import ConfigSource
from .._text import sanitize
from . import MachinesError
from ._changes._machine_annotation import provider_hash
from ._changes.observe import observe
from ._changes.types import ObservedMachine
from ._objects.checked_objects import CheckedObject, read_object
from ._objects.providers import SHIPPED_PROVIDERS, is_shipped, provider_for_system
from ._objects.read import read_catalog
from ._objects.types import API_VERSION, PROVIDER_API_VERSION, Cluster, ProviderConfig

_HEADER: Final = """\
# The Machines of cluster {cluster}, as their Nodes were when this file was written. {promise}
# yaml-language-server: $schema={schema}
"""
_PROMISE: Final = "A run with it changes nothing."
_NO_PROMISE: Final = "The notes of the export say what to add."
_FILE: Final = "the exported file"
_SCHEMA: Final = "https://raw.githubusercontent.com/configok/node/main/docs/reference/machines.schema.json"
_VERSION = re.compile(r"1\.[0-9]{1,3}\.[0-9]{1,3}(?:[-+~][0-9A-Za-z.+~-]*)?")
_RUNTIME_VERSION = re.compile(r"[0-9][0-9A-Za-z.+~:-]*")
_RUNTIMES: Final = ("containerd", "cri-o", "docker")
_DNS_LABEL = r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?"
_DNS_NAME = re.compile(rf"{_DNS_LABEL}(?:\.{_DNS_LABEL})*")

_MAX_SYSTEM: Final = 100

# Set by the kubelet, a cloud's controller manager or a discovery, again and again.
_WELL_KNOWN_LABELS: Final = frozenset(
    (
        "kubernetes.io/hostname",
        "kubernetes.io/os",
        "kubernetes.io/arch",
        "node.kubernetes.io/instance-type",
        "node.kubernetes.io/windows-build",
        "topology.kubernetes.io/region",
        "topology.kubernetes.io/zone",
    )
)
_FOREIGN_PREFIXES: Final = (
    "beta.kubernetes.io/",
    "cloud.google.com/",
    "configok.dev/",
    "eks.amazonaws.com/",
    "failure-domain.beta.kubernetes.io/",
    "feature.node.kubernetes.io/",
    "k8s.io/cloud-provider",
    "karpenter.k8s.aws/",
    "karpenter.sh/",
    "kubernetes.azure.com/",
)
_TOPOLOGY_OF_STORAGE = re.compile(r"topology\..*csi.*/")  # set by the kubelet for a storage driver
_FOREIGN_TAINTS: Final = (
    "configok.dev/",
    "karpenter.sh/",
    "node.cloudprovider.kubernetes.io/",
    "node.kubernetes.io/",
    "DeletionCandidateOfClusterAutoscaler",
    "ToBeDeletedByClusterAutoscaler",
)
_NOT_READY: Final = "/agent-not-ready"  # of a CNI, until its agent runs on the node
_CLUSTER_API_ANNOTATION: Final = "cluster.x-k8s.io/machine"
_ZONE_LABEL: Final = "topology.kubernetes.io/zone"


@dataclass(frozen=True)
class ExportedMachines:
    """A Machine file. names: of its Machines. notes: what the Nodes do not say or have in another way."""

    text: str
    names: tuple[str, ...]
    notes: tuple[str, ...]


def export_machines(
    nodes: Iterable[Mapping[str, Any]],
    *,
    cluster: Cluster,
    pools: Mapping[str, ConfigSource],
    provider_config: Mapping[str, Any] | None = None,
) -> ExportedMachines:
    """Return the Machine file for complete Node objects.

    pools: by pool, the bundle of its last complete rollout. provider_config: of all Machines, without address; by
    default that of the shipped provider that the Node has, or that fits its operating system. Raises MachinesError for
    a Node that no shipped provider fits, and InvalidMachines for Machines that could not be read again.
    """
    notes: list[str] = []
    cluster_object, cluster_notes = _cluster_object(cluster)
    objects, readable = [cluster_object], [cluster_object]
    promise = _PROMISE
    present = sorted(((observe(node), _annotations(node)) for node in nodes), key=lambda item: item[0].name)
    shared = Counter(observed.addresses[0] for observed, _texts in present if observed.addresses)
    names = []
    for observed, texts in present:
        title = f"Node {observed.name}"
        if observed.deleting:
            notes.append(f"{title} is left out: it is being deleted")
        elif texts.get(_CLUSTER_API_ANNOTATION):
            notes.append(f"{title} is left out: Cluster API owns it, whose own Machine objects can be read")
        else:
            exported = _Exported(observed, cluster, pools, provider_config, shared)
            machine = exported.machine()
            objects.append(machine)
            readable.append(exported.readable(machine))
            notes += [f"{title}: {note}" for note in exported.notes]
            names.append(observed.name)
            promise = promise if exported.is_unchanged else _NO_PROMISE
    text = _encode_all(objects)
    # What a run refuses must not be written. A field that no Node holds has a note.
    read_catalog({_FILE: _encode_all(readable), **_provider_file(provider_config)})
    header = _HEADER.format(cluster=cluster.name, schema=_SCHEMA, promise=promise)
    return ExportedMachines(header + text, tuple(names), (*cluster_notes, *notes))


def _encode_all(objects: Iterable[Mapping[str, Any]]) -> str:
    return "---\n".join(encode(dict(item)) for item in objects)


def _provider_file(config: Mapping[str, Any] | None) -> dict[str, str]:
    """Return a file with the Provider of a kind that is not shipped, which the user's own files declare."""
    spec = {name: (config or {}).get(name) for name in ("apiVersion", "kind")}
    if not all(isinstance(value, str) for value in spec.values()) or spec["apiVersion"] == PROVIDER_API_VERSION:
        return {}
    provider = {"apiVersion": API_VERSION, "kind": "Provider", "metadata": {"name": "own"}}
    return {"provider_config": encode({**provider, "spec": {**spec, "role": "own"}})}


def _annotations(node: Mapping[str, Any]) -> Mapping[str, Any]:
    return (node.get("metadata") or {}).get("annotations") or {}


def _cluster_object(cluster: Cluster) -> tuple[dict[str, Any], list[str]]:
    """Return the Cluster object, and a note if the URL of the API server cannot be its endpoint."""
    network = _set_values(
        {
            "serviceCIDR": cluster.service_cidr,
            "dnsDomain": cluster.dns_domain,
            "clusterDNS": list(cluster.cluster_dns),
        }
    )
    version = cluster.kubernetes_version if _VERSION.fullmatch(cluster.kubernetes_version) else ""
    spec = {"endpoint": cluster.endpoint, "kubernetesVersion": version, "network": network}
    head = {"apiVersion": API_VERSION, "kind": "Cluster", "metadata": {"name": cluster.name}}
    declared = _set_values(spec)
    result = {**head, "spec": declared}
    problems = [item.message for item in _check(result).findings if item.path == ("spec", "endpoint")]
    if not problems:
        return result, []
    del declared["endpoint"]
    return result, [f"{cluster.endpoint} is not declared as the endpoint of Cluster {cluster.name}: it {problems[0]}"]


def _check(value: dict[str, Any]) -> CheckedObject:
    return read_object(Document(value, _FILE, (), False))


def _set_values(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value not in ("", None, [], {})}


class _Exported:
    """The Machine of one Node, and notes about what it cannot have. is_unchanged: whether a run changes nothing."""

    def __init__(
        self,
        observed: ObservedMachine,
        cluster: Cluster,
        pools: Mapping[str, ConfigSource],
        provider_config: Mapping[str, Any] | None,
        shared_addresses: Mapping[str, int],
    ) -> None:
        self.notes: list[str] = []
        self.is_unchanged = True
        self._is_complete = True
        self._observed = observed
        self._cluster = cluster
        self._pools = pools
        self._provider_config = provider_config
        self._shared_addresses = shared_addresses

    def machine(self) -> dict[str, Any]:
        """Return the Machine object."""
        observed, source = self._observed, self._source()
        labels = _set_values({"pool": source.get("pool"), "zone": observed.labels.get(_ZONE_LABEL)})
        spec = {
            "cluster": self._cluster.name,
            "versions": self._versions(),
            **source,
            "nodeLabels": {key: value for key, value in sorted(observed.labels.items()) if not _is_foreign_label(key)},
            "taints": [
                {name: value for name, value in taint._asdict().items() if value}
                for taint in sorted(observed.taints)
                if not taint.key.startswith(_FOREIGN_TAINTS) and not taint.key.endswith(_NOT_READY)
            ],
            "providerConfig": self._provider(),
        }
        return {
            "apiVersion": API_VERSION,
            "kind": "Machine",
            "metadata": {"name": observed.name, **({"labels": labels} if labels else {})},
            "spec": _set_values(spec),
        }

    def readable(self, machine: dict[str, Any]) -> dict[str, Any]:
        """Return a Machine object whose providerConfig lacks no required field."""
        if self._is_complete:
            return machine
        config = {"apiVersion": PROVIDER_API_VERSION, "kind": SHIPPED_PROVIDERS[0].kind}
        return {**machine, "spec": {**machine["spec"], "providerConfig": config}}

    def _versions(self) -> dict[str, Any]:
        versions: dict[str, Any] = {}
        kubelet, runtime = self._observed.kubelet_version, self._observed.runtime
        if _VERSION.fullmatch(kubelet):
            versions["kubelet"] = kubelet
        else:
            self.notes.append(f"its kubelet has no version of Kubernetes ({kubelet or 'none'}), so none is declared")
        if runtime is not None and runtime.name in _RUNTIMES and _RUNTIME_VERSION.fullmatch(runtime.version):
            versions["containerRuntime"] = runtime._asdict()
        else:
            self.notes.append(self._undeclared_runtime())
        return versions

    def _undeclared_runtime(self) -> str:
        runtime = self._observed.runtime
        if runtime is None:
            return "it reports no container runtime, so none is declared"
        name = sanitize(" ".join(runtime), _MAX_SYSTEM)
        return f"its container runtime cannot be declared ({name}): one of {', '.join(_RUNTIMES)} is known"

    def _source(self) -> dict[str, Any]:
        source = self._observed.config.source
        if source is None:
            return {}
        pools = sorted(pool for pool, target in self._pools.items() if target == source)
        if pools:
            # A bundle's name begins with that of its pool.
            return {"pool": next((pool for pool in pools if source.name.startswith(f"{pool}-")), pools[0])}
        reference = {"namespace": source.namespace, "name": source.name, "uid": source.uid}
        return {"configSource": {"configMap": reference}}

    def _provider(self) -> dict[str, Any]:
        observed = self._observed
        config = dict(self._provider_config or self._default_provider())
        address = next(iter(observed.addresses), "")
        if self._shared_addresses.get(address, 0) > 1:
            self.notes.append(f"its address {address} is that of another Node too, so none is declared")
        elif _is_address(address):
            config.setdefault("address", address)
        fields = {name: value for name, value in config.items() if name not in ("apiVersion", "kind")}
        api_version, kind = config.get("apiVersion"), config.get("kind")
        if machine_kind(api_version, kind) is not None:
            checked = _check(config)
            fields = {name: value for name, value in checked.data.items() if name not in ("apiVersion", "kind")}
            if self._provider_config is None:
                self._note_missing(finding for finding in checked.findings if finding.is_refusal)
        if observed.is_ours:
            self._note_difference(ProviderConfig(str(api_version), str(kind), fields))
        return config

    def _note_missing(self, refusals: Iterable[Finding]) -> None:
        for finding in refusals:
            self.notes.append(
                f"spec.providerConfig.{finding.text}, and the Node does not hold it: add it, or give it in"
                " provider_config"
            )
            self._is_complete = self.is_unchanged = False

    def _note_difference(self, declared: ProviderConfig) -> None:
        """Note what a run would update on the host."""
        installed = self._observed.annotation
        if installed.provider != declared.kind:
            self.is_unchanged = False
            self.notes.append(
                f"its provider is {installed.provider}, and {declared.kind} is declared, with which a run updates the"
                " host: give provider_config with the apiVersion, kind and fields of its provider"
            )
        elif installed.provider_hash != provider_hash(declared):
            self.is_unchanged = False
            self.notes.append(
                f"it has fields of its provider {installed.provider} that the Node does not hold: add them to"
                " spec.providerConfig, or give them as provider_config"
            )

    def _default_provider(self) -> dict[str, Any]:
        if self._observed.is_ours and is_shipped(self._observed.annotation.provider):
            return {"apiVersion": PROVIDER_API_VERSION, "kind": self._observed.annotation.provider}
        fitting = provider_for_system(self._observed.os_image)
        if fitting is not None:
            return {"apiVersion": fitting.api_version, "kind": fitting.kind}
        system = sanitize(self._observed.os_image, _MAX_SYSTEM) or "unknown"
        raise MachinesError(
            f"Node {self._observed.name}: no shipped provider fits its operating system ({system}): give"
            " provider_config with the apiVersion and kind of one"
        )


def _is_address(text: str) -> bool:
    try:
        return ipaddress.ip_address(text) is not None and "%" not in text
    except ValueError:
        return len(text) <= 253 and _DNS_NAME.fullmatch(text) is not None


def _is_foreign_label(key: str) -> bool:
    return key in _WELL_KNOWN_LABELS or key.startswith(_FOREIGN_PREFIXES) or _TOPOLOGY_OF_STORAGE.match(key) is not None
