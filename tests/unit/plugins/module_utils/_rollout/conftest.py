# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A pool of simulated nodes on the embedded API server."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.rollouts.world import MakeWorld, World
from support.session.cluster_fixtures import cluster

__all__ = ["cluster", "make_world"]


@pytest.fixture
def make_world() -> Iterator[MakeWorld]:
    """Return a function that makes a World of so many nodes in three zones."""
    worlds: list[World] = []

    def make(count: int, *, latency: float = 0.005) -> World:
        worlds.append(World.start(count, latency=latency))
        return worlds[-1]

    yield make
    for world in worlds:
        world.stop()
