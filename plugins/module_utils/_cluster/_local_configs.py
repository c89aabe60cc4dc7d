# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What nodes have of their own, published by provisioning and read by a plan. Private to configok.node."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .._kube._api_client import Client
from .._kube._api_errors import AlreadyExists, KubeError, NotFound
from .._kube._api_paths import config_map, config_maps
from .._kube._parallel import fan_out
from .._nodeconfig._local_config import (
    InvalidLocalConfig,
    LocalConfig,
    build_config_map,
    config_map_name,
    parse,
    read_config_map,
)
from .._nodeconfig._well_known import NAMESPACE_ROLLOUTS
from .._rollout._node_access import CONNECTIONS
from .._rollout._node_view import NodeView
from .._rollout._rollout_errors import RolloutError

__all__ = ["publish_local_config", "read_local_configs"]

_MOST = 500  # ConfigMaps that a plan reads; nodes that were set up alike share one


def publish_local_config(client: Client, text: str, *, check: bool = False) -> tuple[str, bool]:
    """Create the ConfigMap for what a node printed of itself, unless it is there; return its name and whether it is
    new. Raises RolloutError, KubeError."""
    try:
        wanted = build_config_map(parse(text))
    except InvalidLocalConfig as error:
        raise RolloutError(f"the node's own config cannot be published: {error}") from error
    namespace, name = wanted["metadata"]["namespace"], wanted["metadata"]["name"]
    try:
        client.get(config_map(namespace, name))
    except NotFound:
        pass
    else:
        return name, False
    try:
        client.create(config_maps(namespace), wanted, dry_run=check)
    except AlreadyExists:
        return name, False
    except NotFound as error:
        if not check:
            sentence = "does not exist: prepare the cluster with the role configok.node.cluster"
            raise RolloutError(f"the namespace {namespace} {sentence}") from error
    return name, True


def read_local_configs(client: Client, views: Iterable[NodeView]) -> dict[str, LocalConfig]:
    """Return by hash what these nodes have of their own, as far as it is published and undamaged. Raises KubeError."""
    claimed = {view.status.local_config for view in views if view.status is not None}
    names = {config_map_name(one): one for one in sorted(claimed)}
    names.pop(None, None)
    wanted = [name for name in names if name is not None][:_MOST]
    found: dict[str, LocalConfig] = {}
    for name, result in fan_out(lambda one: _read(client, one), wanted, workers=CONNECTIONS):
        if isinstance(result, KubeError) and not isinstance(result, NotFound):
            raise result
        if isinstance(result, Mapping):
            found[names[name]] = result
    return found


def _read(client: Client, name: str) -> LocalConfig | None:
    item: dict[str, Any] = client.get(config_map(NAMESPACE_ROLLOUTS, name))
    try:
        return read_config_map(item)
    except InvalidLocalConfig:
        return None
