# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documents for nodes: good ones, and ones that do not parse, do not validate, or crash the kubelet."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ansible_collections.configok.node.plugins.module_utils._nodeconfig.denied_fields import DENIED_FIELDS
from support.configs.kubelet import KUBELET_KIND

__all__ = ["BOGUS", "DEADLY", "FAIL_PARSE", "INVALID", "document", "gated", "shareable"]

# The payload of the ancestor's own tests.
FAIL_PARSE = "{0xdeadbeef}"
INVALID: Mapping[str, Any] = {"kubeAPIQPS": -1}

# Values that the ancestor's validation accepted and that made its kubelet exit: its known fault 1.
BOGUS: Mapping[str, Mapping[str, Any]] = {
    "evictionHard": {"evictionHard": {"memory.available": "bogus"}},
    "cpuManagerPolicy": {"cpuManagerPolicy": "bogus"},
    "tlsCipherSuites": {"tlsCipherSuites": ["BOGUS"]},
    "kubeReserved": {"kubeReserved": {"cpu": "minus"}},
}
# Values that facts about fields cannot refuse, and that crash this kubelet on this machine.
DEADLY: Mapping[str, Mapping[str, Any]] = {
    # A valid duration in which no container runtime answers.
    "runtimeRequestTimeout": {"runtimeRequestTimeout": "1ns"},
}


# Values that need a feature gate, and the last minor in which that gate is off by default.
_GATED: Mapping[int, Mapping[str, Any]] = {
    35: {"cpuCFSQuotaPeriod": "50ms"},
    99: {"memoryReservationPolicy": "TieredReservation"},
}


def gated(minor: int) -> Mapping[str, Any]:
    """Return a value that a kubelet of this minor refuses, because its feature gate is off by default."""
    return next(values for last, values in _GATED.items() if minor <= last)


def document(values: Mapping[str, Any]) -> str:
    """Return a kubelet's component config with these values."""
    return json.dumps({**KUBELET_KIND, **values}, indent=1, sort_keys=True) + "\n"


def shareable(local: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of a node's local config that a bundle may set."""
    left_out = {"apiVersion", "kind", *DENIED_FIELDS["KubeletConfiguration"]}
    return {name: value for name, value in local.items() if name not in left_out}
