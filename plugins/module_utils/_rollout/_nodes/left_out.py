# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Decide which nodes a plan leaves out because of what they say of themselves. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from ..._componentconfig._schema.releases import is_kubernetes_version, parse_minor

_THREE_BEHIND_SINCE = 28  # the minor of the API server from which a kubelet may be three behind; before that, two


def leave_out(reasons: Mapping[str, str], total: int) -> dict[str, str]:
    """Return the nodes that a plan leaves out, with their reasons; none if they are so many that the plan is refused.

    No rollout depends on the word of a few nodes: less than half of them are left out, and so is one of two. reasons:
    why each node that would refuse the target would do so. total: how many nodes were asked.
    """
    count = len(reasons)
    is_few = 2 * count < total or count == 1 < total
    return dict(reasons) if is_few else {}


def oldest_kubelet_minor(server_minor: int) -> int:
    """Return the oldest minor of a kubelet that an API server of a minor supports."""
    return server_minor - (3 if server_minor >= _THREE_BEHIND_SINCE else 2)


def is_within_skew(kubelet_version: str, server_version: str) -> bool:
    """Return whether an API server supports a kubelet; one whose version is not known supports all."""
    if not is_kubernetes_version(server_version):
        return True
    server = parse_minor(server_version)
    return oldest_kubelet_minor(server) <= parse_minor(kubelet_version) <= server
