# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The settings of a control-plane pool, one whose config has options of static Pods, and their defaults. Pure.

A control plane has few nodes, and its quorum spares one of them: each node is a wave of its own, and none may fail.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any
from urllib.parse import urlsplit

from ..._componentconfig.component_options import ETCD, FLAG_COMPONENTS
from .._pool_values import texts

_API_SERVER = "kube-apiserver"
_AFTER_A_TRIAL = "11m"  # of the usual length
_LARGEST = 9  # nodes of a control plane that are moved one by one; etcd has seven members at most
_POLICY: Mapping[str, Any] = {
    "canary": {"count": 1},
    "waves": list(range(2, _LARGEST + 1)),
    "maxUnavailable": 1,
    "failureBudget": 0,
    "nodeTimeout": "15m",
}

CONTROL_PLANE_TRIAL: Mapping[str, Any] = {"crashLoopThreshold": 1}
"""The trial of a control-plane pool: the kubelet doubles its pause after each crash."""


def has_static_pods(components: Collection[str]) -> bool:
    """Return whether a config of these components is that of a control-plane pool."""
    return any(component in FLAG_COMPONENTS for component in components)


def control_plane_policy(components: Collection[str]) -> Mapping[str, Any]:
    """Return what the policy of a control-plane pool is without the user's settings, as a user writes it.

    components: of the pool's config. An API server or a member of etcd takes longer to be healthy, and only a person
    knows whether the cluster can spare another restart of one: without them, what fails is taken back everywhere. The
    next member of etcd moves after the trial of the one before, so that no two of them can be rolled back at once.
    """
    if ETCD in components:
        return {**_POLICY, "healthTimeout": "5m", "soak": _AFTER_A_TRIAL}
    if _API_SERVER in components:
        return {**_POLICY, "healthTimeout": "5m"}
    return {**_POLICY, "healthTimeout": "2m", "onFailure": "rollback"}


def server_urls(value: Any) -> tuple[str, ...]:
    """Return the URLs of API servers. Raises ValueError."""
    urls = tuple(url.rstrip("/") for url in texts(value))
    for url in urls:
        if not _is_address(url):
            raise ValueError("must be a list of URLs such as https://192.0.2.11:6443, without a user and a path")
    return urls


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        is_usable = parts.port != 0  # ValueError for one that is not a number
    except ValueError:
        return False
    return is_usable and bool(parts.hostname) and "@" not in parts.netloc and url == f"https://{parts.netloc}"


def with_defaults(value: Any, defaults: Mapping[str, Any]) -> Any:
    """Return a user's mapping with the defaults of the keys that it does not set; anything else unchanged."""
    if value is None:
        return dict(defaults)
    if not isinstance(value, Mapping):
        return value
    missing = {key: default for key, default in defaults.items() if value.get(key) is None}
    merged = {
        key: with_defaults(value[key], default)
        for key, default in defaults.items()
        if key not in missing and isinstance(default, Mapping)
    }
    return {**value, **missing, **merged}
