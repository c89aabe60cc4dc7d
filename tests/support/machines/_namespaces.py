# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a kube-controller-manager does for namespaces: a testbed has none, and there they would be deleted for ever."""

from __future__ import annotations

from ansible_collections.configok.node.plugins.module_utils._kube import _api_paths as paths
from ansible_collections.configok.node.plugins.module_utils._kube._api_client import Client

__all__ = ["finish_deletions"]

# Of what the collection has in namespaces. A path without a name is the whole collection.
_CONTENTS = (paths.config_maps, paths.leases, paths.events, paths.role_bindings, paths.roles)


def finish_deletions(client: Client) -> None:
    """Take the namespaces away that are being deleted, with what is in them. Raises KubeError."""
    for namespace in client.list(paths.NAMESPACES).items:
        if "deletionTimestamp" not in namespace["metadata"]:
            continue
        name = namespace["metadata"]["name"]
        for path in _CONTENTS:
            client.delete(path(name))
        client.replace(f"{paths.namespace(name)}/finalize", {**namespace, "spec": {"finalizers": []}})
