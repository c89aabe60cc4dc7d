# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects as data, resolved and validated. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple

API_GROUP: Final = "machines.configok.dev"
API_VERSION: Final = "machines.configok.dev/v1alpha1"
PROVIDER_API_VERSION: Final = "provider.configok.dev/v1alpha1"

# The names of container runtimes, as a Node reports them: containerd://1.7.24, cri-o://1.30.2.
CONTAINERD: Final = "containerd"
CRI_O: Final = "cri-o"

# An address becomes an argument of ssh, and not only the user writes it: it must not look like an option.
_ADDRESS = re.compile(r"[0-9A-Za-z:][0-9A-Za-z.:-]{0,252}")

# What owns the Machines that are read from Cluster API objects.
CLUSTER_API: Final = "Cluster API"

MachineState = Literal["Present", "Absent"]


class Runtime(NamedTuple):
    """A container runtime. version: without a leading v, "" for any; a prefix of what the Node reports is enough."""

    name: str
    version: str

    def __str__(self) -> str:
        return f"{self.name} {self.version}".strip()


class Taint(NamedTuple):
    """A taint of a Node. effect: NoSchedule, PreferNoSchedule or NoExecute."""

    key: str
    value: str
    effect: str

    @property
    def identity(self) -> str:
        """Return the key and effect, which together are unique on a Node."""
        return f"{self.key}:{self.effect}"

    def __str__(self) -> str:
        """Return the taint as kubectl writes it."""
        return f"{self.key}={self.value}:{self.effect}" if self.value else self.identity


def plain_version(text: str | None) -> str:
    """Return a version as Machines hold it: without a leading v, "" for none."""
    return (text or "").removeprefix("v")


def is_address(text: str) -> bool:
    """Return whether a text can be the address of a host: an IP address or a name."""
    return _ADDRESS.fullmatch(text) is not None


class BundleReference(NamedTuple):
    """A published bundle. uid: "" means: the one that has this name now."""

    namespace: str
    name: str
    uid: str = ""


@dataclass(frozen=True)
class ProviderConfig:
    """What only the provider understands.

    fields: without apiVersion and kind, with the defaults of its kind. defaulted: those that no file sets.
    """

    api_version: str
    kind: str
    fields: Mapping[str, Any] = field(default_factory=dict)
    defaulted: frozenset[str] = field(default=frozenset(), compare=False)


@dataclass(frozen=True)
class Machine:
    """The declarative spec of one Node; defaults are applied, a MachineSet is expanded.

    name: of the Machine and of its Node. labels: of the Machine, for selectors and groups. kubelet_version: without a
    leading v, "" leaves the version alone. runtime: None leaves it alone. pool, config_source: one of them, or neither
    for the init config. node_labels, taints: those that the Node must have; others on the Node are left alone, apart
    from those that an earlier run has set for this Machine. state: Absent deletes the machine. owner: "" for us, or
    what else owns the machine ("Cluster API"): it is reported and compared, never changed. origin: where it was
    declared: "machines/a.yaml:12".
    """

    name: str
    cluster: str
    provider: ProviderConfig
    labels: Mapping[str, str] = field(default_factory=dict)
    kubelet_version: str = ""
    runtime: Runtime | None = None
    pool: str = ""
    config_source: BundleReference | None = None
    node_labels: Mapping[str, str] = field(default_factory=dict)
    taints: tuple[Taint, ...] = ()
    state: MachineState = "Present"
    machine_set: str = ""
    owner: str = ""
    origin: str = ""


@dataclass(frozen=True)
class Cluster:
    """What the Machines of a cluster share.

    endpoint: the API server's URL. kubernetes_version: without a leading v. cluster_dns, dns_domain, service_cidr: the
    values that belong in every node's config; () and "" for none.
    """

    name: str
    endpoint: str = ""
    kubernetes_version: str = ""
    service_cidr: str = ""
    dns_domain: str = ""
    cluster_dns: tuple[str, ...] = ()
    origin: str = ""


class Capabilities(NamedTuple):
    """What a provider can do with a machine. kubelet, runtime, runtime_kind: change it in place."""

    create: bool = True
    delete: bool = True
    kubelet: bool = True
    runtime: bool = True
    runtime_kind: bool = False
    replace: bool = False


@dataclass(frozen=True)
class Provider:
    """A provider: the kind of its configs, and the Ansible role that changes hosts."""

    api_version: str
    kind: str
    role: str
    capabilities: Capabilities = Capabilities()


@dataclass(frozen=True)
class MachineCatalog:
    """All objects of one or more files, valid together: names are unique, references lead somewhere.

    providers: the shipped ones and those that Provider objects declare. notes: what the files say that has no
    counterpart here, one sentence each.
    """

    machines: tuple[Machine, ...] = ()
    clusters: Mapping[str, Cluster] = field(default_factory=dict)
    providers: tuple[Provider, ...] = ()
    notes: tuple[str, ...] = ()

    def provider_of(self, machine: Machine) -> Provider | None:
        """Return the provider of a Machine; None for one that another program owns."""
        kind = machine.provider.api_version, machine.provider.kind
        return next((item for item in self.providers if (item.api_version, item.kind) == kind), None)

    def cluster_of(self, machine: Machine) -> Cluster:
        """Return the Cluster of a Machine."""
        return self.clusters[machine.cluster]
