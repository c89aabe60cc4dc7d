# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A node for kubelets that a test starts itself: without the agent, and without a Ready Node."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from support.machines import Node, Testbed, Unavailable
from support.session.unavailable import leave_out

__all__ = ["bare_node"]


@contextmanager
def bare_node(name: str) -> Iterator[Node]:
    """Start a testbed with one node; skip the test where this is not possible."""
    try:
        bed = Testbed.start(name, prepare_cluster=False, wait=False)
    except Unavailable as problem:
        leave_out(problem)
    with bed:
        yield bed.nodes[0]
