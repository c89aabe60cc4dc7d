# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Configs that want to delay a shutdown, on hosts whose logind does or does not allow it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._codec.document import Document
from ansible_collections.configok.node.plugins.module_utils._componentconfig._rules._host_shutdown import (
    delays_shutdown,
    inhibitor_findings,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._rules._rule import EffectiveConfig
from ansible_collections.configok.node.plugins.module_utils._componentconfig._rules.host_model import (
    Host,
    InhibitDelay,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig.check import config_at
from ansible_collections.configok.node.plugins.module_utils._componentconfig.findings import Level
from support.configs.kubelet import KUBELET_KIND

pytestmark = pytest.mark.contract("validate.host-checks")

PLAIN = {"shutdownGracePeriod": "60s", "shutdownGracePeriodCriticalPods": "20s"}
BY_PRIORITY = {
    "shutdownGracePeriodByPodPriority": [
        {"priority": 0, "shutdownGracePeriodSeconds": 40},
        {"priority": 1000, "shutdownGracePeriodSeconds": 20},
    ]
}
MAIN = "/etc/systemd/logind.conf"
LATER = "/usr/lib/systemd/logind.conf.d/unattended-upgrades-logind-maxdelay.conf"
OWN = f"{MAIN}.d/99-kubelet.conf"


def context(config: Mapping[str, Any], minor: int) -> EffectiveConfig:
    """Return the config as the kubelet of a minor sees it."""
    effective = config_at(Document({**KUBELET_KIND, **config}, "config"), minor)
    assert effective is not None
    return effective


def host(*delays: tuple[str, float]) -> Host:
    """Return a host with these files of logind, in their order."""
    return Host(inhibit_delays=tuple(InhibitDelay(path, seconds, f"{seconds:g}") for path, seconds in delays))


@pytest.mark.parametrize(
    ("config", "minor", "field"),
    [
        (PLAIN, 22, "shutdownGracePeriod"),
        (PLAIN, 34, "shutdownGracePeriod"),
        (BY_PRIORITY, 24, "shutdownGracePeriodByPodPriority"),
        ({**PLAIN, "featureGates": {"GracefulNodeShutdown": True}}, 20, "shutdownGracePeriod"),
    ],
)
def test_a_file_that_sorts_after_the_kubelets_and_allows_less_is_refused_by_policy(
    config: dict[str, Any], minor: int, field: str
) -> None:
    effective = context(config, minor)
    assert delays_shutdown(effective)
    [finding] = inhibitor_findings(effective, host((MAIN, 5), (OWN, 60), (LATER, 30)))
    assert (finding.field, finding.level) == (field, Level.POLICY)
    assert LATER in finding.message
    assert "InhibitDelayMaxSec=30" in finding.message
    assert "set at least 60 there, or link /etc/systemd/logind.conf.d/unattended-" in finding.message


@pytest.mark.parametrize(
    "delays",
    [
        (),
        ((MAIN, 5),),  # the kubelet's own file wins over it
        ((MAIN, 5), (f"{MAIN}.d/10-short.conf", 1)),
        ((OWN, 10),),  # the kubelet rewrites it
        ((f"{MAIN}.d/99-a.conf", 1),),
        ((LATER, 60),),
        ((LATER, 5), (f"{MAIN}.d/zz.conf", 120)),
        ((LATER, float("inf")),),
    ],
)
def test_files_that_leave_the_kubelet_its_delay_are_accepted(delays: tuple[tuple[str, float], ...]) -> None:
    assert not list(inhibitor_findings(context(PLAIN, 34), host(*delays)))


@pytest.mark.parametrize(
    ("config", "minor"),
    [
        ({}, 34),
        ({"shutdownGracePeriod": "0s"}, 34),
        ({"shutdownGracePeriodByPodPriority": []}, 34),
        ({**PLAIN, "featureGates": {"GracefulNodeShutdown": False}}, 30),
        (PLAIN, 20),  # the gate is off
    ],
)
def test_logind_is_not_checked_without_a_shutdown_delay(config: dict[str, Any], minor: int) -> None:
    effective = context(config, minor)
    assert not delays_shutdown(effective)
    assert not list(inhibitor_findings(effective, host((LATER, 1))))
