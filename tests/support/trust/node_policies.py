# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Trust policies of simulated nodes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ansible_collections.configok.node.plugins.module_utils._cluster.local_configs import publish_local_config
from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.config_ok import ConfigInUse, good
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.config_status import TrustStatus, read_status
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.local_config import (
    LocalConfig,
    encode_local_config,
    local_hash,
)

from ..rollouts.simulated_nodes import SimulatedNodes
from .signing import trust_section

__all__ = ["set_policy"]


def set_policy(nodes: SimulatedNodes, names: Iterable[str], floor: int = 0, **section: Any) -> None:
    """Give nodes a trust policy, as provisioning does."""
    text = encode_local_config(LocalConfig({}, trust_section(**section)))
    publish_local_config(nodes.client, text)
    for name in names:
        nodes.local_configs[name] = local_hash(text)
        status = read_status(nodes.client.get(paths.node(name)))
        assert status is not None
        status = status._replace(trust=TrustStatus("require", {"workers": floor} if floor else {}))
        nodes.say(name, good(ConfigInUse("current", status.active.uid if status.active else None)), status)
