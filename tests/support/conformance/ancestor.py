# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The other side: the same kubelet with its own Dynamic Kubelet Configuration, which Kubernetes had until 1.23."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import yaml

from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import config_map, config_maps
from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import node as node_path
from support.api.binaries import Unavailable, find, minor_of, release_of
from support.conformance.payloads import document
from support.conformance.wait import until
from support.machines import Node, Testbed

__all__ = ["DIRECTORY", "AncestorNode", "missing_ancestor"]

DIRECTORY = "/var/lib/kubelet/dynamic"
META = f"{DIRECTORY}/store/meta"
NAMESPACE = "kube-system"
LOCAL_CONFIG = "/var/lib/kubelet/config.yaml"


_LAST = 23  # the last minor that has it


def missing_ancestor() -> str:
    """Return why this release of Kubernetes has no ancestor, or "" if it has one or is not available at all."""
    try:
        names = [name for name in ("kube-apiserver", "kubelet") if minor_of(name) > _LAST]
        releases = [f"{name} {release_of(find(name))}" for name in names]
    except Unavailable:
        return ""
    if not names:
        return ""
    return (
        f"Dynamic Kubelet Configuration was removed in Kubernetes 1.{_LAST + 1}, and this is {' and '.join(releases)}"
    )


class AncestorNode:
    """A node whose kubelet has --dynamic-config-dir; Node.spec.configSource assigns ConfigMaps to it."""

    side = "ancestor"

    def __init__(self, bed: Testbed, machine: Node) -> None:
        self.bed = bed
        self.machine = machine
        self.client = bed.client
        self.values = yaml.safe_load(machine.read(LOCAL_CONFIG))
        self._numbers = iter(range(1, 1000))
        flags = f"--dynamic-config-dir={DIRECTORY}"
        machine.write("/etc/default/kubelet", f'KUBELET_EXTRA_ARGS="{flags}"\n', mode=0o644)
        machine.run(["systemctl", "restart", "kubelet"])
        until("the ancestor has its directory", lambda: machine.exists(f"{META}/assigned"))

    def starts(self) -> int:
        """Return how often the kubelet was started since this boot."""
        return self.machine.kubelet_starts()

    def publish(self, changes: Mapping[str, Any] | None = None, *, text: str | None = None) -> str:
        """Create a ConfigMap with the node's own values and changes, or with a text; return its name."""
        name = f"ancestor-{self.machine.name}-{next(self._numbers)}"
        written = self.written(changes or {}) if text is None else text
        body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"kubelet": written}}
        self.client.create(config_maps(NAMESPACE), body)
        return name

    def written(self, changes: Mapping[str, Any]) -> str:
        """Return the document that publish() would write."""
        return document({**self.values, **changes})

    def edit(self, name: str, body: Mapping[str, Any]) -> None:
        """Change a ConfigMap in place."""
        self.client.patch(config_map(NAMESPACE, name), dict(body))

    def delete(self, name: str) -> None:
        """Delete a ConfigMap."""
        self.client.delete(config_map(NAMESPACE, name))

    def assign(self, name: str | None) -> None:
        """Set Node.spec.configSource, or clear it."""
        source = None
        if name is not None:
            source = {"configMap": {"namespace": NAMESPACE, "name": name, "kubeletConfigKey": "kubelet"}}
        self.client.patch(node_path(self.machine.name), {"spec": {"configSource": source}})

    def config(self) -> dict[str, Any]:
        """Return Node.status.config, or an empty one if it is missing."""
        status = self.client.get(node_path(self.machine.name)).get("status") or {}
        return dict(status.get("config") or {})

    def name_of(self, part: str) -> str | None:
        """Return the ConfigMap's name of "assigned", "active" or "lastKnownGood", or None for the local config."""
        source = self.config().get(part)
        return None if source is None else str(source["configMap"]["name"])

    def until_active(self, name: str | None, timeout: float = 90.0) -> None:
        """Wait until the status reports this config as in use, without an error."""

        def look() -> bool:
            config = self.config()
            return self.name_of("active") == name and self.name_of("assigned") == name and not config.get("error")

        until(f"the ancestor uses {name or 'its local config'}", look, timeout, lambda: json.dumps(self.config()))

    def until_error(self, text: str, timeout: float = 90.0) -> None:
        """Wait until the status has an error that contains this text."""
        until(
            f"the ancestor says {text!r}",
            lambda: text in str(self.config().get("error") or ""),
            timeout,
            lambda: json.dumps(self.config()),
        )

    def reset(self) -> None:
        """Bring the node to the start of every scenario, locally: a crash loop cannot be ended through the API."""
        self.assign(None)
        self.machine.run(["systemctl", "stop", "kubelet"])
        self.machine.run(["rm", "-rf", DIRECTORY])
        self.machine.run(["systemctl", "reset-failed", "kubelet"], check=False)
        self.machine.run(["systemctl", "start", "kubelet"])
        until("the ancestor has its directory", lambda: self.machine.exists(f"{META}/assigned"))
        self.until_active(None)

    def trial_over(self) -> None:
        """Set its trial clock back by eleven minutes: the clock is the age of a file."""
        self.machine.run(["touch", "-d", "11 minutes ago", f"{META}/assigned"])

    def record(self, name: str) -> str:
        """Return the content of the record "assigned" or "last-known-good"."""
        return str(self.machine.read(f"{META}/{name}"))
