# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a provider is asked to do with the host of a Machine, and what it answers. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, Protocol

from ..._machines._objects.types import Cluster, Machine, Provider, Runtime, is_address
from ..._text import sanitize

HostAction = Literal["plan", "create", "update", "rollback", "delete"]

# What a Node reports becomes an argument of programs: it must not look like an option of apt.
_VERSION = re.compile(r"[0-9A-Za-z][0-9A-Za-z.+~:_-]{0,127}\Z")


@dataclass(frozen=True)
class HostRequest:
    """What a provider is to do with the host of one machine.

    planned: for plan, what the run would do with it. machine, cluster, kubelet_config: as the role gets them.
    addresses: where the host may be. bootstrap_kubeconfig: for create; secret. timeout: seconds. should_stop:
    returns whether to give up; a change that has begun is finished.
    """

    action: HostAction
    planned: str
    provider: Provider
    machine: Mapping[str, Any]
    cluster: Mapping[str, Any]
    kubelet_config: Mapping[str, Any] = field(default_factory=dict)
    addresses: tuple[str, ...] = ()
    bootstrap_kubeconfig: str = field(default="", repr=False)
    timeout: float = 600.0
    should_stop: Callable[[], bool] = field(default=lambda: False, compare=False)

    @property
    def name(self) -> str:
        """Return the name of the Machine."""
        return str(self.machine["name"])

    def with_variables(self, **added: Any) -> HostRequest:
        """Return the request with more in the variable machine; "" adds nothing.

        changes: of a plan, the paths of the fields that change. replaces: the machine whose host this one takes the
        place of. rollout: its identity. has_node: whether the machine to create has a Node already.
        """
        return replace(self, machine={**self.machine, **{name: value for name, value in added.items() if value != ""}})


class HostAnswer(NamedTuple):
    """What a provider answers.

    failure: why it failed, "" for success. refusals: of a plan, one sentence each. local_config: of the agent, "" for
    none. not_begun: whether the host is as it was, because the run ends. versions: of a plan, the packages that would
    be installed, with their exact versions.
    """

    failure: str = ""
    refusals: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    local_config: str = ""
    not_begun: bool = False
    versions: tuple[tuple[str, str], ...] = ()


class MachineHosts(Protocol):
    """Runs providers. Safe for several threads."""

    def plan(self, requests: Sequence[HostRequest]) -> Mapping[str, HostAnswer]:
        """Return what the providers say of the changes, by the name of the machine. Changes nothing."""

    def change(self, request: HostRequest) -> HostAnswer:
        """Change the host of one machine. Blocks."""


def machine_variables(
    machine: Machine, *, kubelet_version: str, runtime: Runtime | None, addresses: Sequence[str]
) -> dict[str, Any]:
    """Return a Machine as its provider's role gets it, in the variable machine.

    kubelet_version, runtime: those of the Machine, or those to return to.
    """
    return {
        "name": machine.name,
        "labels": dict(machine.labels),
        "kubelet_version": kubelet_version,
        "runtime": {} if runtime is None else {"name": runtime.name, "version": runtime.version},
        "node_labels": dict(machine.node_labels),
        "taints": [taint._asdict() for taint in machine.taints],
        "provider": dict(machine.provider.fields),
        "addresses": list(addresses),
        "source": machine.origin,
    }


def cluster_variables(cluster: Cluster, *, ca_certificate: str, client_ca_certificate: str) -> dict[str, Any]:
    """Return a Cluster as a provider's role gets it, in the variable machine_cluster.

    ca_certificate: of the API server, as PEM. client_ca_certificate: of the kubelet's clients.
    """
    return {
        "name": cluster.name,
        "endpoint": cluster.endpoint,
        "kubernetes_version": cluster.kubernetes_version,
        "cluster_dns": list(cluster.cluster_dns),
        "dns_domain": cluster.dns_domain,
        "service_cidr": cluster.service_cidr,
        "ca_certificate": ca_certificate,
        "client_ca_certificate": client_ca_certificate,
    }


def unusable_versions(kubelet_version: str, runtime: Runtime | None) -> str:
    """Return why a provider must not be given these versions, "" if it may be."""
    texts = [kubelet_version, *(runtime or ())]
    wrong = next((text for text in texts if text and not _VERSION.match(text)), None)
    return "" if wrong is None else f"its Node reports the version {sanitize(wrong, 60)!r}, which is not a version"


def usable_addresses(addresses: Iterable[str]) -> tuple[str, ...]:
    """Return those of the addresses that a Node reports which a connection may use."""
    return tuple(filter(is_address, addresses))
