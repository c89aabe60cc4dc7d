# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A node of real processes for each test: see support.agents.node."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from support.agents.node import AgentNode, alive


@pytest.fixture
def make_node(tmp_path: Path, archive: Path) -> Iterator[Callable[..., AgentNode]]:
    """Make the test's node; it is ended with the test."""
    made: list[AgentNode] = []

    def make(
        kubeconfig: str = "/nonexistent/kubeconfig",
        command: list[str] | None = None,
        *,
        name: str = "n1",
        **options: Any,
    ) -> AgentNode:
        (tmp_path / name).mkdir()
        made.append(AgentNode(tmp_path / name, archive, kubeconfig, command, name=name, options=options))
        return made[-1]

    yield make
    for node in made:
        node.stop()


@pytest.fixture
def is_alive() -> Callable[[int], bool]:
    """Asks the kernel for a process."""
    return alive
