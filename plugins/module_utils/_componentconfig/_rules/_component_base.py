# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules about fields that components have in common: `logging` and `tracing`.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections.abc import Iterator

from .._values._networks import is_grpc_target
from .._values._quantity import parse_quantity
from ._context import Context, Fault

__all__ = ["logging_rule", "tracing_rule"]

_LARGEST_INT32 = 2**31 - 1


def logging_rule(c: Context) -> Iterator[Fault]:
    """What component-base makes of `logging`, in the kubelet as in kube-proxy."""
    flush = c.seconds("logging", "flushFrequency")
    if c.known("logging", "flushFrequency") and flush is not None and flush <= 0:
        yield ("logging", "flushFrequency"), "must be > 0"
    if not 0 <= (c.get("logging", "verbosity") or 0) <= _LARGEST_INT32:
        yield ("logging", "verbosity"), f"must be between 0 and {_LARGEST_INT32}"
    patterns = c.get("logging", "vmodule") or []
    if patterns and c.get("logging", "format") != "text":
        yield ("logging", "vmodule"), "works with the text format only"
    for index, entry in enumerate(patterns):
        path = ("logging", "vmodule", index)
        if not entry.get("filePattern") or "=" in entry["filePattern"] or "," in entry["filePattern"]:
            yield path + ("filePattern",), "is required, without = and ,"
        if not 0 <= entry.get("verbosity", 0) <= _LARGEST_INT32:
            yield path + ("verbosity",), f"must be between 0 and {_LARGEST_INT32}"
    if c.gates.known("LoggingAlphaOptions") and not c.gates.on("LoggingAlphaOptions"):
        for form in ("text", "json"):
            used = c.get("logging", "options", form) or {}
            if used.get("splitStream") or parse_quantity(used.get("infoBufferSize", 0)) != 0:
                yield ("logging", "options", form), "needs the feature gate LoggingAlphaOptions"


def tracing_rule(c: Context) -> Iterator[Fault]:
    """What component-base makes of `tracing`."""
    rate = c.get("tracing", "samplingRatePerMillion")
    if rate is not None and not 0 <= rate <= 1_000_000:
        yield ("tracing", "samplingRatePerMillion"), "must be between 0 and 1000000"
    endpoint = c.get("tracing", "endpoint") or ""
    if not is_grpc_target(endpoint):
        yield ("tracing", "endpoint"), "must be host:port, or a URL with the scheme dns, unix or unix-abstract"
