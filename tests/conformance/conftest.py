# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Conformance: the ancestor's scenarios, its gaps and its known faults, on real kubelets and a real API server."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from support.conformance.ancestor import AncestorNode, missing_ancestor
from support.conformance.blinded import blinded
from support.conformance.ours import METRICS, OurNode
from support.conformance.rows import Case, Rows
from support.conformance.stress import Stress
from support.machines import Testbed, Unavailable
from support.session.terminal import say
from support.session.unavailable import leave_out

HERE = Path(__file__).resolve().parent
BUILD = HERE.parents[1] / "build"
ROWS = pytest.StashKey[Rows]()
CaseOf = Callable[..., AbstractContextManager[Case]]


def pytest_configure(config: pytest.Config) -> None:
    # The quick part has its own rows file: the page is written from the rows of a full run.
    name = "conformance-quick.jsonl" if _is_quick(config) else "conformance.jsonl"
    config.stash[ROWS] = Rows(partial(say, config), BUILD / name)


def _is_quick(config: pytest.Config) -> bool:
    return "quick" in str(config.option.markexpr)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    rows = [row for row in config.stash[ROWS].rows if row["unit"] == "restarts"]
    figures = [row for row in config.stash[ROWS].rows if row["unit"] != "restarts"]
    terminalreporter.write_line(f"{'CASE':44} {'RESTARTS':>8} {'SECONDS':>8} OK")
    for row in sorted(rows, key=lambda row: str(row["name"])):
        good = "yes" if row["ok"] else "NO"
        terminalreporter.write_line(f"{row['name']:44} {row['value']:>8} {row['seconds']:>8.1f} {good}")
    ours = [row for row in rows if row["side"] == "configok"]
    good = sum(row["ok"] for row in ours)
    terminalreporter.write_line(
        f"conformance: {good} of {len(ours)} cases passed, {sum(row['value'] for row in ours)} restarts of "
        f"the kubelet; the ancestor: {len(rows) - len(ours)} cases"
    )
    for section in dict.fromkeys(row["side"] for row in figures):
        lines = [
            f"{row['case']}: {row['value']} {row['unit']}" + ("" if row["ok"] else " (NOT SO)")
            for row in figures
            if row["side"] == section
        ]
        terminalreporter.write_line(f"{section}: {', '.join(lines)}")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip the tests that need the ancestor where this release of Kubernetes no longer has it."""
    why = missing_ancestor()
    for item in items if why else ():
        if item.path.is_relative_to(HERE) and "ancestor_node" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.skip(reason=why))


def _machine_numbers(request: pytest.FixtureRequest) -> dict[str, int]:
    """Return the number of the machine that each role has; only machines that a test of this run uses are started."""
    items = [
        item
        for item in request.session.items
        if item.path.is_relative_to(HERE) and item.get_closest_marker("skip") is None
    ]
    names = {name for item in items for name in getattr(item, "fixturenames", ())}
    roles = {"ours": "provisioned", "stress": "stress", "ancestor": "ancestor_node"}
    used = [role for role, fixture in roles.items() if fixture in names]
    return {name: number for number, name in enumerate(used)}


@pytest.fixture(scope="session")
def machines(request: pytest.FixtureRequest) -> dict[str, int]:
    """The machine of the testbed for each role."""
    return _machine_numbers(request)


@pytest.fixture(scope="session")
def bed(machines: dict[str, int]) -> Iterator[Testbed]:
    """The testbed, with an API server that still supports the ancestor."""
    gates = {"DynamicKubeletConfig": True} if "ancestor" in machines else {}
    try:
        started = Testbed.start("conformance", nodes=len(machines), layout="kubeadm", feature_gates=gates)
    except Unavailable as problem:
        leave_out(problem)
    with started:
        yield started


def _ours(bed: Testbed, number: int) -> OurNode:
    machine = bed.nodes[number]
    machine.provision(node_agent_options={"metricsAddress": METRICS})
    node = OurNode(bed, machine)
    machine.wait_config_ok("True")
    return node


@pytest.fixture(scope="session")
def provisioned(bed: Testbed, machines: dict[str, int]) -> OurNode:
    """The node with our agent."""
    return _ours(bed, machines["ours"])


@pytest.fixture
def ours(provisioned: OurNode) -> OurNode:
    """The node with our agent, on its init config."""
    provisioned.reset()
    return provisioned


@pytest.fixture(scope="session")
def ancestor_node(bed: Testbed, machines: dict[str, int]) -> AncestorNode:
    """The node whose kubelet has --dynamic-config-dir."""
    return AncestorNode(bed, bed.nodes[machines["ancestor"]])


@pytest.fixture
def ancestor(ancestor_node: AncestorNode) -> AncestorNode:
    """The ancestor's node, on its local config."""
    ancestor_node.reset()
    return ancestor_node


@pytest.fixture(scope="session")
def api_stays() -> threading.Lock:
    """A lock for tests that need the API server to stay up, or to stop."""
    return threading.Lock()


@pytest.fixture(scope="session")
def stress(bed: Testbed, machines: dict[str, int], api_stays: threading.Lock) -> Iterator[Stress]:
    """A hundred updates, on a dedicated node while the other tests run."""
    work = Stress(_ours(bed, machines["stress"]), api_stays)
    yield work
    work.stop()


@pytest.fixture(scope="session", autouse=True)
def _early(request: pytest.FixtureRequest, machines: dict[str, int]) -> None:
    """Start the hundred updates first, if a test needs them."""
    if "stress" in machines:
        request.getfixturevalue("stress").start()


@pytest.fixture
def is_quick(request: pytest.FixtureRequest) -> bool:
    """Whether this is the quick part."""
    return _is_quick(request.config)


@pytest.fixture
def case(request: pytest.FixtureRequest) -> CaseOf:
    """``with case("E2", ours) as seen``: writes one row of evidence."""
    rows = request.config.stash[ROWS]

    def make(name: str, node: OurNode | AncestorNode) -> AbstractContextManager[Case]:
        return rows.case(name, node.side, node.starts)

    return make


@pytest.fixture
def figure(request: pytest.FixtureRequest) -> Callable[..., None]:
    """``figure("oracle", "all", 400, "agree", ok=True)``: writes a figure of the page's section "oracle"."""
    return request.config.stash[ROWS].figure


@pytest.fixture
def blind(ours: OurNode, tmp_path: Path) -> Iterator[OurNode]:
    """The node with our agent, whose engine finds nothing."""
    with blinded(ours, tmp_path):
        yield ours
