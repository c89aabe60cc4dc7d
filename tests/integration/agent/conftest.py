# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A node of real processes for each test: see support.agents.node."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.plugin_utils._pack import ARCHIVE, pack
from support.agents.node import COLLECTION, AgentNode, alive


@pytest.fixture(scope="session")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The packed agent."""
    path = tmp_path_factory.mktemp("archive") / ARCHIVE
    path.write_bytes(pack(COLLECTION))
    return path


@pytest.fixture
def make_node(tmp_path: Path, archive: Path) -> Iterator[Callable[..., AgentNode]]:
    """Make the test's node; it is ended with the test."""
    made: list[AgentNode] = []

    def make(kubeconfig: str = "/nonexistent/kubeconfig", command: list[str] | None = None) -> AgentNode:
        (tmp_path / "n1").mkdir()
        made.append(AgentNode(tmp_path / "n1", archive, kubeconfig, command))
        return made[-1]

    yield make
    for node in made:
        node.stop()


@pytest.fixture
def is_alive() -> Callable[[int], bool]:
    """Asks the kernel for a process."""
    return alive
