# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check that logind lets the kubelet delay a shutdown for as long as the config asks for."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from .._scalars.field_path import Path
from ..findings import Finding, Level
from ._rule import SECOND, EffectiveConfig
from .host_model import Host

_BY_PRIORITY = "shutdownGracePeriodByPodPriority"
_OVERRIDE = "99-kubelet.conf"
"""The drop-in of logind that the kubelet writes in /etc if the allowed delay is too short (OverrideInhibitDelay)."""
_DIRECTORY = "/etc/systemd/logind.conf.d"


def delays_shutdown(config: EffectiveConfig) -> bool:
    """Return whether the kubelet is to delay a shutdown of this config's host."""
    return _requested(config)[1] > 0


def _requested(config: EffectiveConfig) -> tuple[Path, float]:
    """Return the field that sets how long the kubelet delays a shutdown, and the seconds."""
    field = "shutdownGracePeriod"
    if not config.gates.is_on("GracefulNodeShutdown"):
        return (field,), 0.0
    if config.gates.is_on("GracefulNodeShutdownBasedOnPodPriority"):
        periods = [entry.get("shutdownGracePeriodSeconds") or 0 for entry in config.get(_BY_PRIORITY) or []]
        if periods:
            return (_BY_PRIORITY,), float(sum(periods))
    return (field,), (config.nanoseconds(field) or 0) / SECOND


def inhibitor_findings(config: EffectiveConfig, host: Host) -> Iterator[Finding]:
    """Yield the file of logind that allows a shorter delay and is read after the kubelet's own."""
    path, seconds = _requested(config)
    if not seconds or not host.inhibit_delays:
        return
    last = host.inhibit_delays[-1]
    name = posixpath.basename(last.path)
    is_drop_in = posixpath.dirname(last.path).endswith(".conf.d")
    if last.seconds >= seconds or not is_drop_in or name <= _OVERRIDE:
        return
    why = f"{last.path} sets InhibitDelayMaxSec={last.text} for logind, and its name sorts after {_OVERRIDE}"
    remedy = f"set at least {seconds:g} there, or link {_DIRECTORY}/{name} to /dev/null"
    message = f"the kubelet could delay no shutdown: {why}, which the kubelet writes; {remedy}"
    yield Finding(path, message, "graceful-logind", Level.POLICY)
