# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An inventory of kubespray, for the tests of its page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

__all__ = ["write_inventory"]

_INVENTORY: dict[str, Any] = {
    "all": {
        "vars": {
            "kube_version": "v1.34.9",
            "container_manager": "containerd",
            "cluster_name": "east.local",
            "kube_service_addresses": "10.96.0.0/18",
            "ansible_user": "ubuntu",
        },
        "hosts": {
            "master1": {"ansible_host": "10.0.0.10", "ip": "10.1.0.10"},
            "node1": {"ansible_host": "10.0.0.11", "ip": "10.1.0.11", "access_ip": "10.2.0.11"},
            "Node2": {
                "access_ip": "10.0.0.12",
                "ansible_port": 2222,
                "node_labels": {"example.com/disk": "ssd"},
                "node_taints": ["dedicated=batch:NoSchedule", "maintenance:NoExecute"],
            },
        },
        "children": {
            "kube_control_plane": {"hosts": {"master1": {}}},
            "etcd": {"hosts": {"master1": {}}},
            "kube_node": {"hosts": {"master1": {}, "node1": {}, "Node2": {}}},
            "k8s_cluster": {"children": {"kube_control_plane": {}, "kube_node": {}}},
            "zone_a": {"hosts": {"node1": {}, "Node2": {}}},
        },
    }
}


def write_inventory(directory: Path, **variables: Any) -> None:
    """Write the inventory to the place that the page names. variables: of all hosts, over those of _INVENTORY."""
    inventory = {"all": {**_INVENTORY["all"], "vars": {**_INVENTORY["all"]["vars"], **variables}}}
    (directory / "inventory").mkdir()
    (directory / "inventory/mycluster").write_text(yaml.safe_dump(inventory))
