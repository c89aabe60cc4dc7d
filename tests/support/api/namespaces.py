# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Finishes deletions of namespaces, like a kube-controller-manager, without which they would stay in Terminating."""

from __future__ import annotations

from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Client

__all__ = ["finish_deletions"]

# The resources of this collection in namespaces. A path without a name means all objects.
_CONTENTS = (paths.config_maps, paths.leases, paths.events, paths.role_bindings, paths.roles)


def finish_deletions(client: Client) -> None:
    """Remove the namespaces that are being deleted, with their objects. Raises KubeError."""
    for namespace in client.list(paths.NAMESPACES).items:
        if "deletionTimestamp" not in namespace["metadata"]:
            continue
        name = namespace["metadata"]["name"]
        for path in _CONTENTS:
            client.delete(path(name))
        client.replace(f"{paths.namespace(name)}/finalize", {**namespace, "spec": {"finalizers": []}})
