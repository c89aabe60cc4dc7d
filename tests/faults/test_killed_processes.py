# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The agent, prestart and poststop are killed by SIGKILL at every durable step of adoption, trial and rollback.

Real processes under the supervisor, with the embedded API server; one node goes through all changes in turn.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle_trial import Trial
from faults.invariants import Condition, Expected
from faults.ledger import Ledger
from faults.process_node import DEADLY, ProcessNode
from support.api.servers import Embedded

pytestmark = pytest.mark.quick
WHERE = "real processes"
PHASE = "adopt, trial, crash loop, rollback"
THRESHOLD = 1
ADOPTED = Condition("True", "using current (UID: next)")
BACK = Condition("False", "using last-known-good (UID: next)")


@pytest.fixture
def node(tmp_path: Path, archive: Path, embedded_api: Embedded) -> Iterator[ProcessNode]:
    """A node that runs its init config."""
    client = embedded_api.client()
    node = ProcessNode.prepared(tmp_path / "n1", archive, client, embedded_api.node_kubeconfig("n1"))
    try:
        node.until_condition(Condition("True", "using current (init)"))
        yield node
    finally:
        node.remove()


@pytest.mark.parametrize("actor", ["agent", "prestart", "poststop"])
def test_killed_at_every_step(ledger: Ledger, node: ProcessNode, every: int, actor: str) -> None:
    """A killed hook records no start or end; it cannot be counted, which costs one more start."""
    more = 0 if actor == "agent" else 1
    expected = Expected(
        valid=frozenset({"good", "next", "deadly"}),
        runs=frozenset({"next"}),
        good=frozenset({"next"}),
        starts=(1 + THRESHOLD + 1 + 1, 1 + THRESHOLD + 1 + 1 + more),
        conditions=frozenset({BACK}),
        kept=frozenset({"good", "next", "init"}),
        doomed=frozenset({"deadly"}),
        doomed_starts=THRESHOLD + 1 + more,
    )
    stride = 1 if every == 1 else 3 * every if actor == "agent" else every
    for step in itertools.count(0, stride):
        with ledger.case(WHERE, f"{actor} killed at a durable step", PHASE, f"step {step}") as case:
            node.begin()
            node.rename("next", "good")
            node.kill_at(actor, step)
            node.assign(node.publish("next", trial=Trial(0.3, THRESHOLD)))
            node.until_condition(ADOPTED)
            node.until("the end of the trial", lambda: node.last_known_good() == "next")
            node.rename("deadly", "deadly before")
            node.assign(node.publish("deadly", trial=Trial(60, THRESHOLD), **DEADLY))
            node.until_condition(BACK)
            case.check(expected, node.observe())
        if not node.was_killed():
            break
    assert step > 0, sorted((path.name, path.stat().st_size) for path in node.steps.iterdir())
