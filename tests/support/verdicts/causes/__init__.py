# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The causes of disagreements that stay: each is explained, and a disagreement without a cause fails the test."""

from __future__ import annotations

from support.verdicts.comparison import Disagreement

from . import kube_apiserver, kube_proxy, kube_scheduler, kubeadm, kubelet
from ._cause import Category, Cause

__all__ = ["CAUSES", "Category", "Cause", "cause_of"]

CAUSES = (
    *kubelet.CAUSES,
    *kube_proxy.CAUSES,
    *kube_scheduler.CAUSES,
    *kubeadm.CAUSES,
    *kube_apiserver.CAUSES,
)


def cause_of(disagreement: Disagreement) -> Cause | None:
    """Return the cause of a disagreement, None if it is not explained."""
    return next((cause for cause in CAUSES if cause.explains(disagreement)), None)
