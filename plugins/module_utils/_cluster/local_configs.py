# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Publishes and reads the local configs of nodes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .._kube.api_client import Client
from .._kube.api_errors import AlreadyExists, KubeError, NotFound
from .._kube.api_paths import config_map, config_maps
from .._kube.parallel import run_parallel
from .._nodeconfig.local_config import (
    InvalidLocalConfig,
    LocalConfig,
    build_local_config_map,
    config_map_name,
    parse_local_config,
    read_local_config_map,
)
from .._nodeconfig.well_known import NAMESPACE_ROLLOUTS, missing_namespace
from . import ClusterRefused

_MAX_CONFIG_MAPS = 500  # ConfigMaps that a plan reads; nodes with the same values share one


def publish_local_config(client: Client, text: str, *, check: bool = False) -> tuple[str, bool]:
    """Create the ConfigMap for a local config unless it exists; return its name and whether it is new.

    text: the output of configok-agent local-config. Raises ClusterRefused, KubeError.
    """
    try:
        local_config_map = build_local_config_map(parse_local_config(text))
    except InvalidLocalConfig as error:
        raise ClusterRefused(f"the node's own config cannot be published: {error}") from error
    metadata = local_config_map["metadata"]
    namespace, name = metadata["namespace"], metadata["name"]
    if client.find(config_map(namespace, name)) is not None:
        return name, False
    try:
        client.create(config_maps(namespace), local_config_map, dry_run=check)
    except AlreadyExists:
        return name, False
    except NotFound as error:
        if not check:
            raise ClusterRefused(missing_namespace(namespace)) from error
    return name, True


def read_local_configs(client: Client, hashes: Iterable[str], *, workers: int) -> dict[str, LocalConfig]:
    """Return the published and undamaged local configs, by hash. Raises KubeError.

    hashes: as the nodes report them. workers: the limit of concurrent requests.
    """
    hash_by_name = {name: digest for digest in sorted(set(hashes)) if (name := config_map_name(digest)) is not None}
    local_configs: dict[str, LocalConfig] = {}
    names = list(hash_by_name)[:_MAX_CONFIG_MAPS]
    for name, result in run_parallel(lambda name: _read(client, name), names, workers=workers):
        if isinstance(result, KubeError) and not isinstance(result, NotFound):
            raise result
        if isinstance(result, LocalConfig):
            local_configs[hash_by_name[name]] = result
    return local_configs


def _read(client: Client, name: str) -> LocalConfig | None:
    item: dict[str, Any] = client.get(config_map(NAMESPACE_ROLLOUTS, name))
    try:
        return read_local_config_map(item)
    except InvalidLocalConfig:
        return None
