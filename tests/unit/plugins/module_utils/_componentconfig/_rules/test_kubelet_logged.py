# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Invalid values that a kubelet only logs are refused by policy, at every version."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.releases import known_minors
from ansible_collections.configok.node.plugins.module_utils._componentconfig.check import check
from support.configs.kubelet import KUBELET_KIND

VERSIONS = [f"1.{minor}" for minor in known_minors()]


def summarize(config: dict[str, Any]) -> list[tuple[str, str]]:
    """Return path and level of each finding at any version."""
    return [
        (finding.field, finding.level) for finding in check(json.dumps({**KUBELET_KIND, **config}), versions=VERSIONS)
    ]


@pytest.mark.parametrize(
    ("config", "path"),
    [
        ({"clusterDNS": ["not-an-ip"]}, "clusterDNS[0]"),
        ({"clusterDNS": ["10.96.0.10", ""]}, "clusterDNS[1]"),
        ({"clusterDNS": ["10.96.0.10:53"]}, "clusterDNS[0]"),
        ({"clusterDNS": ["10.96.0.0/24"]}, "clusterDNS[0]"),
        ({"clusterDomain": "not a domain"}, "clusterDomain"),
        ({"clusterDomain": "cluster..local"}, "clusterDomain"),
        ({"clusterDomain": "http://cluster.local"}, "clusterDomain"),
        ({"podCIDR": "10.1.0.0"}, "podCIDR"),
        ({"podCIDR": "10.1.0.0/24,nonsense"}, "podCIDR"),
        ({"staticPodURL": "example.com/pods"}, "staticPodURL"),
        ({"staticPodURL": "ftp://example.com/pods"}, "staticPodURL"),
        ({"healthzBindAddress": "127.0.0.1:10248"}, "healthzBindAddress"),
    ],
    ids=str,
)
def test_what_is_only_logged_is_refused_by_policy(config: dict[str, Any], path: str) -> None:
    assert summarize(config) == [(path, "policy")]


@pytest.mark.parametrize(
    "config",
    [
        {"clusterDNS": []},
        {"clusterDNS": ["10.96.0.10", "fd00::a"]},
        {"clusterDNS": ["010.96.0.10"]},
        {"clusterDomain": ""},
        {"clusterDomain": "cluster.local"},
        {"clusterDomain": "Cluster.local."},
        {"clusterDomain": "k8s"},
        {"podCIDR": ""},
        {"podCIDR": "10.1.0.0/24"},
        {"podCIDR": "10.1.0.0/24,fd00::/64"},
        {"staticPodURL": "https://example.com/pods"},
        {"healthzBindAddress": "::1"},
        {"healthzBindAddress": "localhost"},
        {"healthzBindAddress": "a b", "healthzPort": 0},
    ],
    ids=str,
)
def test_what_is_used_passes(config: dict[str, Any]) -> None:
    assert summarize(config) == []
