# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The head of a kubelet's configuration, which most tests need."""

from __future__ import annotations

__all__ = ["KUBELET_HEADER", "KUBELET_KIND", "kubelet_config"]

KUBELET_KIND = {"apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration"}
KUBELET_HEADER = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"


def kubelet_config(*lines: str) -> str:
    """Return a kubelet's configuration as YAML with these lines below its head."""
    return KUBELET_HEADER + "".join(f"{line}\n" for line in lines)
