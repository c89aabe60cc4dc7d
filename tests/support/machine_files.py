# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of Machine files, as data and as text."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["API_VERSION", "cluster", "cluster_api_machine", "debian_host", "machine", "machine_set", "text_of"]

API_VERSION = "machines.configok.dev/v1alpha1"
PROVIDER_API_VERSION = "provider.configok.dev/v1alpha1"


def debian_host(**fields: Any) -> dict[str, Any]:
    """Return the config of a DebianHost."""
    return {"apiVersion": PROVIDER_API_VERSION, "kind": "DebianHost", **fields}


def machine(name: str = "worker-1", *, labels: dict[str, str] | None = None, **spec: Any) -> dict[str, Any]:
    """Return a Machine on a DebianHost, with further fields of its spec."""
    return {
        "apiVersion": API_VERSION,
        "kind": "Machine",
        "metadata": {"name": name, **({"labels": labels} if labels else {})},
        "spec": {"providerConfig": debian_host(), **spec},
    }


def machine_set(
    *hosts: dict[str, Any], name: str = "workers", labels: dict[str, str] | None = None, **spec: Any
) -> Any:
    """Return a MachineSet of hosts, with further fields of the spec of its template."""
    template = {"metadata": {"labels": labels or {}}, "spec": {"providerConfig": debian_host(), **spec}}
    return {
        "apiVersion": API_VERSION,
        "kind": "MachineSet",
        "metadata": {"name": name},
        "spec": {"template": template, "hosts": list(hosts)},
    }


def cluster(name: str = "east", **spec: Any) -> dict[str, Any]:
    """Return a Cluster."""
    return {"apiVersion": API_VERSION, "kind": "Cluster", "metadata": {"name": name}, "spec": spec}


def cluster_api_machine(name: str = "east-abc", *, version: str = "v1beta1", **spec: Any) -> dict[str, Any]:
    """Return a Machine of Cluster API, without status."""
    reference = {"apiVersion": "infrastructure.cluster.x-k8s.io/v1beta2", "kind": "AWSMachine", "name": f"{name}-aws"}
    return {
        "apiVersion": f"cluster.x-k8s.io/{version}",
        "kind": "Machine",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"clusterName": "east", "version": "v1.34.9", "infrastructureRef": reference, **spec},
    }


def text_of(*objects: Any) -> str:
    """Return objects as one YAML text, one line each: the first one is line 1, the next one line 3, and so on."""
    return "\n---\n".join(json.dumps(item) for item in objects) if len(objects) != 1 else json.dumps(objects[0])
