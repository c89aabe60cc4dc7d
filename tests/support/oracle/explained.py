# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The cases in which the kubelet and our validation disagree, each with its reason.

The test fails for any other disagreement, and for one that no longer exists.
"""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["EXPLAINED", "RACES"]

_LIMIT = "we read no more than a component config needs, so that hostile input costs nothing"
_PEM = "we look for the frame of a certificate in a file, and not into it"
_ADDRESS = "we do not look for the addresses of the host"
_RUN_ONCE = "with runOnce it ends with an error only where no pods come within a second"
_TIMEOUT = "how soon the container runtime answers is no rule of the config"

EXPLAINED: Mapping[str, str] = {
    "path absolute authority broken.pem": _PEM,
    "path absolute certificate broken.pem": _PEM,
    "path relative authority broken.pem": _PEM,
    "path relative certificate broken.pem": _PEM,
    "text depth 70": _LIMIT,
    "text large": _LIMIT,
    "text many": _LIMIT,
    "text maxPods: 1e1_0": "the JSON reader of 1.20 takes some numbers that are too large for others",
    "field maxOpenFiles 3": "how many files a kubelet opens is no rule of its config",
    "corner address='010.0.0.1'": "built with a newer Go than its release had, which takes no leading zeros",
    "corner address='192.0.2.1'": _ADDRESS,
    "corner address='fe80::1'": _ADDRESS,
    "corner tlsCertFile='/etc/kubernetes/pki/ca.crt', tlsPrivateKeyFile='/etc/kubernetes/oracle/pair.pem'": _PEM,
    "corner runOnce=True, staticPodURL='http://127.0.0.1:1'": _RUN_ONCE,
    "field runOnce True": _RUN_ONCE,
    "corner runtimeRequestTimeout='1ns'": _TIMEOUT,
}
"""Names of cases, and why."""

RACES: Mapping[str, str] = {
    # The read-only server ends the kubelet when it comes second, the health server only logs: we refuse it.
    "corner healthzPort=10255, readOnlyPort=10255": "which of two servers has a port first differs from start to start",
}
"""Names of cases that the kubelet itself answers now so, now otherwise, and why."""
