# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ConfigMap is deleted, recreated, replaced, of another uid, or too large, before it is fetched and in use."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import ConfigSource
from faults.bench_node import CHANGES, TEXTS, BenchNode, node_before
from faults.invariants import Condition
from faults.ledger import Ledger

pytestmark = [pytest.mark.quick, pytest.mark.usefixtures("no_fsync")]
WHERE = "in process"
LONG = 900.0
CHANGE = CHANGES["adopt and trial"]
ON_GOOD = Condition("Unknown", "using current (UID: good)")


def _deleted(node: BenchNode, source: ConfigSource) -> None:
    del node.api.config_maps[source.name]


def _recreated(node: BenchNode, source: ConfigSource) -> None:
    node.api.config_maps[source.name]["metadata"]["uid"] = str(uuid.uuid4())


def _replaced(node: BenchNode, source: ConfigSource) -> None:
    node.api.config_maps[source.name]["data"]["kubelet"] = TEXTS["deadly"]


def _no_config_map(node: BenchNode, source: ConfigSource) -> None:
    node.api.config_maps[source.name]["kind"] = "Secret"


def _too_large(node: BenchNode, source: ConfigSource) -> None:
    node.api.config_maps[source.name]["data"]["kubelet"] += "#" + "x" * (2 * 1024 * 1024)


FAULTS: dict[str, Callable[[BenchNode, ConfigSource], None]] = {
    "ConfigMap deleted": _deleted,
    "ConfigMap recreated: wrong uid": _recreated,
    "ConfigMap replaced in place": _replaced,
    "ConfigMap is another kind": _no_config_map,
    "ConfigMap too large": _too_large,
}


@pytest.mark.parametrize("fault", FAULTS)
def test_before_it_is_fetched(ledger: Ledger, tmp_path: Path, fault: str) -> None:
    """The running config does not change; the bundle is adopted once it is the assigned one."""
    with ledger.case(WHERE, fault, "fetching") as case, node_before(tmp_path / "node", CHANGE) as node:
        source = _assigned(node)
        whole = dict(node.api.config_maps[source.name], metadata=dict(node.api.config_maps[source.name]["metadata"]))
        whole["data"] = dict(whole["data"])
        FAULTS[fault](node, source)
        node.run(LONG)
        meanwhile = (
            CHANGES["adopt and trial"]
            .expected((0, 0))
            ._replace(runs=frozenset({"good"}), conditions=frozenset({ON_GOOD}))
        )
        case.check(meanwhile._replace(good=frozenset({"good"})), node.observe())
        node.api.config_maps[source.name] = whole
        node.run(LONG)
        case.check(CHANGE.expected((1, 1)), node.observe())


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("seconds", [0.5, 3.0, 60.0], ids=["adopting", "trial", "after the trial"])
def test_while_it_is_in_use(ledger: Ledger, tmp_path: Path, fault: str, seconds: float) -> None:
    """The checkpoint is local: neither restart nor other status, also after a restart of the agent or a boot."""
    phase = {0.5: "adopting", 3.0: "trial", 60.0: "after the trial"}[seconds]
    with ledger.case(WHERE, fault, phase) as case, node_before(tmp_path / "node", CHANGE) as node:
        source = _assigned(node)
        node.run(seconds)
        FAULTS[fault](node, source)
        node.restart_agent()
        node.run(LONG)
        case.check(CHANGE.expected((1, 1)), node.observe())
        node.reboot()
        node.run(LONG)
        case.check(CHANGE.expected((2, 2)), node.observe())


def test_the_same_content_under_another_uid(ledger: Ledger, tmp_path: Path) -> None:
    """A bundle that is deleted, republished and reassigned is pinned without a restart."""
    fault = "ConfigMap recreated and assigned again"
    with ledger.case(WHERE, fault, "after the trial") as case, node_before(tmp_path / "node", CHANGE) as node:
        source = _assigned(node)
        node.run(60)
        _recreated(node, source)
        again = source._replace(uid=node.api.config_maps[source.name]["metadata"]["uid"])
        node.names[again.uid] = "next"
        node.assign(again)
        node.run(LONG)
        case.check(CHANGE.expected((1, 1)), node.observe())
        case.holds("I5", node.status.active == again, f"active is {node.status.active}")


def _assigned(node: BenchNode) -> ConfigSource:
    [uid] = [uid for uid, name in node.names.items() if name == "next"]
    [config_map] = [item for item in node.api.config_maps.values() if item["metadata"]["uid"] == uid]
    return ConfigSource(config_map["metadata"]["namespace"], config_map["metadata"]["name"], uid)
