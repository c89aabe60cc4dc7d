# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write Machine files for the Nodes of a cluster, which reconcile to "no change". Pure. Private to configok.node."""

from __future__ import annotations

import ipaddress
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from .._componentconfig._codec._yaml import encode
from .._nodeconfig._assignment import ConfigSource
from .._nodeconfig._untrusted import sanitize
from . import MachinesError
from ._changes._machine_annotation import provider_hash
from ._changes._observe import observe
from ._changes._types import ObservedMachine
from ._objects._types import API_VERSION, PROVIDER_API_VERSION, Cluster, ProviderConfig

__all__ = ["ExportedMachines", "export_machines"]

_HEADER: Final = """\
# The Machines of cluster {cluster}, as their Nodes were when this file was written. A run with it changes nothing.
# yaml-language-server: $schema={schema}
"""
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
    "configok.dev/",
    "failure-domain.beta.kubernetes.io/",
    "feature.node.kubernetes.io/",
    "k8s.io/cloud-provider",
)
_TOPOLOGY_OF_STORAGE = re.compile(r"topology\..*csi.*/")  # set by the kubelet for a storage driver
_FOREIGN_TAINTS: Final = (
    "configok.dev/",
    "node.cloudprovider.kubernetes.io/",
    "node.kubernetes.io/",
    "DeletionCandidateOfClusterAutoscaler",
    "ToBeDeletedByClusterAutoscaler",
)
_CLUSTER_API_ANNOTATION: Final = "cluster.x-k8s.io/machine"
_ZONE_LABEL: Final = "topology.kubernetes.io/zone"
_PROVIDERS_BY_SYSTEM: Final = {
    "DebianHost": ("debian", "ubuntu", "raspbian", "mint"),
    "RPMHost": ("red hat", "rhel", "fedora", "centos", "rocky", "alma", "oracle", "amazon", "suse"),
}


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
    default that of the provider for each Node's operating system. Raises MachinesError for a Node that no shipped
    provider fits.
    """
    notes: list[str] = []
    objects = [_cluster_object(cluster)]
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
            objects.append(exported.machine())
            notes += [f"{title}: {note}" for note in exported.notes]
            names.append(observed.name)
    text = _HEADER.format(cluster=cluster.name, schema=_SCHEMA) + "---\n".join(encode(item) for item in objects)
    return ExportedMachines(text, tuple(names), tuple(notes))


def _annotations(node: Mapping[str, Any]) -> Mapping[str, Any]:
    return (node.get("metadata") or {}).get("annotations") or {}


def _cluster_object(cluster: Cluster) -> dict[str, Any]:
    network = _set_values(
        {
            "serviceCIDR": cluster.service_cidr,
            "dnsDomain": cluster.dns_domain,
            "clusterDNS": list(cluster.cluster_dns),
        }
    )
    version = cluster.kubernetes_version if _VERSION.fullmatch(cluster.kubernetes_version) else ""
    spec = {"endpoint": cluster.endpoint, "kubernetesVersion": version, "network": network}
    return {
        "apiVersion": API_VERSION,
        "kind": "Cluster",
        "metadata": {"name": cluster.name},
        "spec": _set_values(spec),
    }


def _set_values(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value not in ("", None, [], {})}


class _Exported:
    """The Machine of one Node, and notes about what it cannot have."""

    def __init__(
        self,
        observed: ObservedMachine,
        cluster: Cluster,
        pools: Mapping[str, ConfigSource],
        provider_config: Mapping[str, Any] | None,
        shared_addresses: Mapping[str, int],
    ) -> None:
        self.notes: list[str] = []
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
                if not taint.key.startswith(_FOREIGN_TAINTS)
            ],
            "providerConfig": self._provider(),
        }
        return {
            "apiVersion": API_VERSION,
            "kind": "Machine",
            "metadata": {"name": observed.name, **({"labels": labels} if labels else {})},
            "spec": _set_values(spec),
        }

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
            self.notes.append("its container runtime cannot be declared: one of containerd, cri-o and docker is known")
        return versions

    def _source(self) -> dict[str, Any]:
        source = self._observed.config_source
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
        if observed.is_ours:
            fields = {name: value for name, value in config.items() if name not in ("apiVersion", "kind")}
            declared = provider_hash(ProviderConfig(config["apiVersion"], config["kind"], fields))
            if (observed.provider, observed.provider_hash) != (config["kind"], declared):
                self.notes.append(
                    f"it has fields of its provider {observed.provider} that the Node does not hold: add them to"
                    " spec.providerConfig, or give them as provider_config"
                )
        return config

    def _default_provider(self) -> dict[str, Any]:
        image = self._observed.os_image.lower()
        for kind, names in _PROVIDERS_BY_SYSTEM.items():
            if self._observed.provider == kind or any(name in image for name in names):
                return {"apiVersion": PROVIDER_API_VERSION, "kind": kind}
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
