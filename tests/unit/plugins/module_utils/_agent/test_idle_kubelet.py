# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A kubelet that starts no Pod of a manifest is restarted, once for each manifest that was put in place."""

from __future__ import annotations

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._idle_kubelet import IdleKubelet
from ansible_collections.configok.node.plugins.module_utils._agent._interfaces import ServiceManagerError
from ansible_collections.configok.node.plugins.module_utils._agent._pod_files import PodProcess, PodRun

BOOT = 5000.0  # seconds since the epoch
REPLACED, GRACE, DUE = 100.0, 30, 160.0
BEFORE = PodRun("a", 3, BOOT + 90.0)
BEFORE_RUNS = PodRun("a", 3, BOOT + 170.0, PodProcess(7, 50.0))  # the kubelet has rotated its log since


class Kubelet:
    """A kubelet that counts its restarts, and what restarts it."""

    def __init__(self) -> None:
        self.restarts = 0
        self.error: ServiceManagerError | None = None
        self.idle = IdleKubelet(self.restart)

    def restart(self) -> None:
        self.restarts += 1
        if self.error is not None:
            raise self.error

    def check(self, *runs: PodRun, now: float = DUE, replaced_at: float = REPLACED, component: str = "etcd") -> int:
        """Check a component, and return how often the kubelet was restarted so far."""
        self.idle.check(component, runs, replaced_at=replaced_at, grace=GRACE, now=now, epoch_of_boot=BOOT)
        return self.restarts


@pytest.fixture
def kubelet() -> Kubelet:
    return Kubelet()


@pytest.mark.parametrize("runs", [(), (BEFORE,), (BEFORE_RUNS,)], ids=["none", "has ended", "still runs"])
def test_it_is_restarted_if_it_has_started_nothing_since(kubelet: Kubelet, runs: tuple[PodRun, ...]) -> None:
    assert kubelet.check(*runs, now=DUE - 1) == 0
    assert kubelet.check(*runs) == 1
    assert kubelet.check(*runs, now=DUE + 500) == 1, "once is enough: what keeps it from that is something else"


@pytest.mark.parametrize(
    "run", [PodRun("b", 0, BOOT + 101.0), PodRun("b", 0, BOOT, PodProcess(8, 101.0))], ids=["has ended", "runs"]
)
def test_one_that_has_started_a_pod_since_is_left_alone(kubelet: Kubelet, run: PodRun) -> None:
    assert kubelet.check(BEFORE, run) == 0


def test_one_that_has_acted_is_not_restarted_when_its_pod_is_gone(kubelet: Kubelet) -> None:
    """An upgrade by kubeadm replaces the Pod, and pulls an image before the next one starts."""
    kubelet.check(PodRun("b", 0, BOOT + 101.0), now=REPLACED + 5)
    assert kubelet.check(now=DUE) == 0


def test_a_manifest_that_was_replaced_long_ago_asks_for_no_start(kubelet: Kubelet) -> None:
    """An agent that has started since does not know what has run of it."""
    assert kubelet.check(now=REPLACED + 601) == 0


def test_a_manifest_that_was_not_replaced_since_the_boot_asks_for_no_start(kubelet: Kubelet) -> None:
    assert kubelet.check(BEFORE, replaced_at=0.0) == 0


def test_each_replacement_and_each_component_counts(kubelet: Kubelet) -> None:
    assert kubelet.check(BEFORE) == 1
    assert kubelet.check(BEFORE, component="kube-apiserver") == 2
    assert kubelet.check(BEFORE, replaced_at=REPLACED + 1, now=DUE + 1) == 3


def test_a_kubelet_that_cannot_be_restarted_is_logged_and_not_tried_again(
    kubelet: Kubelet, caplog: pytest.LogCaptureFixture
) -> None:
    kubelet.error = ServiceManagerError("systemctl try-restart kubelet.service failed: no")
    assert kubelet.check(BEFORE) == 1
    assert kubelet.check(BEFORE) == 1
    assert "the kubelet is restarted: it has started no Pod of etcd for 60 s" in caplog.text
    assert "the kubelet was not restarted: systemctl try-restart kubelet.service failed: no" in caplog.text
