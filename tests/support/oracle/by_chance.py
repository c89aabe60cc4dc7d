# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cases by chance: many fields at once, most of them valid, and sometimes one or two invalid."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from typing import Any

from .by_rule import RULES
from .case import Case, config

__all__ = ["by_chance"]

# Values that people write, in addition to the examples of the rules.
_USUAL: Mapping[str, tuple[Any, ...]] = {
    "address": ("0.0.0.0", "127.0.0.1", "::"),
    "authentication.anonymous.enabled": (True, False),
    "authentication.webhook.cacheTTL": ("0s", "2m0s"),
    "authentication.webhook.enabled": (True, False),
    "authorization.mode": ("Webhook", "AlwaysAllow"),
    "cgroupDriver": ("systemd", "cgroupfs"),
    "clusterDNS": (["10.96.0.10"], ["10.96.0.10", "fd00::10"], []),
    "clusterDomain": ("cluster.local", "example.org."),
    "configMapAndSecretChangeDetectionStrategy": ("Get", "Cache", "Watch"),
    "containerLogMaxFiles": (2, 5, 100),
    "contentType": ("application/json", "application/vnd.kubernetes.protobuf"),
    "cpuCFSQuota": (True, False),
    "cpuManagerReconcilePeriod": ("5s", "0s"),
    "enableContentionProfiling": (True, False),
    "enableControllerAttachDetach": (True, False),
    "enableDebuggingHandlers": (True, False),
    "enableServer": (True, False),
    "enableSystemLogHandler": (True, False),
    "evictionMaxPodGracePeriod": (0, 60, -1),
    "evictionPressureTransitionPeriod": ("30s", "0s"),
    "fileCheckFrequency": ("20s", "1ms"),
    "imageMinimumGCAge": ("0s", "24h"),
    "kernelMemcgNotification": (True, False),
    "makeIPTablesUtilChains": (True, False),
    "nodeStatusReportFrequency": ("1m", "0s"),
    "nodeStatusUpdateFrequency": ("4s", "10s"),
    "podCIDR": ("10.88.0.0/16", ""),
    "podPidsLimit": (-1, 0, 1024, 10**12),
    "providerID": ("aws:///zone/i-1", ""),
    "resolvConf": ("/etc/resolv.conf", "/run/systemd/resolve/resolv.conf"),
    "rotateCertificates": (True, False),
    "runtimeRequestTimeout": ("15m", "0s"),
    "serializeImagePulls": (True, False),
    "staticPodPath": ("/etc/kubernetes/manifests", "/nowhere"),
    "staticPodURL": ("http://127.0.0.1:1/pods", ""),
    "staticPodURLHeader": ({}, {"Metadata-Flavor": ["Google"]}),
    "streamingConnectionIdleTimeout": ("0s", "5m"),
    "syncFrequency": ("10s", "1m0s"),
    "volumeStatsAggPeriod": ("-1s", "1m"),
}


def by_chance(number: int, seed: int = 20) -> Iterator[Case]:
    """Return a number of cases; a seed always makes the same cases."""
    chance = random.Random(seed)
    good = [{field: value} for field, values in _USUAL.items() for value in values]
    good += [dict(fields) for examples in RULES.values() for fields in examples.keeps]
    bad = [dict(fields) for examples in RULES.values() for fields in examples.breaks]
    for index in range(number):
        fields: dict[str, Any] = {}
        for chosen in chance.sample(good, chance.randint(2, 12)) + chance.sample(
            bad, chance.choice((0, 0, 0, 1, 1, 2))
        ):
            fields.update(chosen)
        yield config(f"chance {seed}/{index}", _apart(fields))


def _apart(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields without those that are set as a whole and by their parts too: the parts stay."""
    return {
        path: value for path, value in fields.items() if not any(longer.startswith(f"{path}.") for longer in fields)
    }
