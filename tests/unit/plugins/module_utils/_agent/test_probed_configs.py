# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Probes use the addresses that the component runs with: of its file, its drop-ins and its flags."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._interfaces import CommandResult
from ansible_collections.configok.node.plugins.module_utils._agent._probes import health_address, serving_address
from ansible_collections.configok.node.plugins.module_utils._agent._state.health import ProbeResult, Unit
from ansible_collections.configok.node.plugins.module_utils._agent._state.node_state import NodeInputs
from ansible_collections.configok.node.plugins.module_utils._agent._validation._validator import (
    AddressesCommand,
    ValidationUnavailable,
)
from support.agents.bench import Bench
from support.configs.kubelet import KUBELET_HEADER


class Listener(Bench):
    """A kubelet that is healthy only where it listens; `looked_at` has each probed address."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory)
        self.directory = directory
        self.looked_at: list[tuple[str, Any]] = []
        self.merges = 0

    def drop_in(self, text: str) -> str:
        """Write a drop-in, and return its directory."""
        (self.directory / "conf.d").mkdir()
        (self.directory / "conf.d/10-own.conf").write_text(KUBELET_HEADER + text)
        return f"--config-dir={self.directory}/conf.d"

    def probe(self, component: str, effective: Mapping[str, Any], unit: Unit) -> ProbeResult:
        kubelet = self.configuration.components["kubelet"]
        self.looked_at.append((health_address(kubelet, effective), serving_address(kubelet, effective)))
        return super().probe(component, effective, unit)

    def probed_values(self, path: str, version: str, inputs: NodeInputs) -> Mapping[str, Any]:
        self.merges += 1
        return super().probed_values(path, version, inputs)


FILE = KUBELET_HEADER + "healthzPort: 10300\nport: 10301\n"


@pytest.mark.contract("probe.effective-addresses")
@pytest.mark.parametrize(
    ("flags", "drop_in", "health", "serving"),
    [
        ([], "", "http://127.0.0.1:10300/healthz", ("127.0.0.1", 10301)),
        (["--healthz-port=10400"], "", "http://127.0.0.1:10400/healthz", ("127.0.0.1", 10301)),
        (["--healthz-port=0", "--port=10401"], "", "", ("127.0.0.1", 10401)),
        ([], "healthzPort: 10500\naddress: 10.0.0.1\n", "http://127.0.0.1:10500/healthz", ("10.0.0.1", 10301)),
        ([], "healthzPort: 0\nenableServer: false\n", "", None),
        ([], "healthzPort: null\n", "http://127.0.0.1:10248/healthz", ("127.0.0.1", 10301)),
        (["--healthz-port=10400"], "healthzPort: 0\n", "http://127.0.0.1:10400/healthz", ("127.0.0.1", 10301)),
    ],
)
def test_what_is_probed_is_what_runs(
    tmp_path: Path, flags: list[str], drop_in: str, health: str, serving: tuple[str, int] | None
) -> None:
    bench = Listener(tmp_path)
    bench.argv = ("/usr/bin/kubelet", *flags, *([bench.drop_in(drop_in)] if drop_in else []))
    bench.assign(bench.publish(FILE))
    bench.run(10)
    assert bench.looked_at[-1] == (health, serving)
    assert bench.merges <= 2  # for the file before and for the one that is adopted


def test_flags_count_from_the_first_probe_of_a_start(tmp_path: Path) -> None:
    bench = Listener(tmp_path)
    bench.assign(bench.publish(FILE))
    bench.run(10)
    bench.argv = ("/usr/bin/kubelet", "--healthz-port=10400")
    bench.looked_at.clear()
    bench.stop("kubelet")
    bench.start("kubelet")
    bench.run(15)
    assert {health for health, _serving in bench.looked_at} == {"http://127.0.0.1:10400/healthz"}


def test_a_node_without_such_flags_and_drop_ins_needs_no_merge(tmp_path: Path) -> None:
    bench = Listener(tmp_path)
    bench.argv = ("/usr/bin/kubelet", "--max-pods=20")
    bench.assign(bench.publish(FILE))
    bench.run(10)
    assert bench.merges == 0


@pytest.mark.parametrize(("code", "out"), [(1, ""), (0, "nothing"), (0, "[]"), (124, "{}")])
def test_a_merge_without_a_usable_answer_raises_an_error(code: int, out: str) -> None:
    calls: list[tuple[list[str], str]] = []

    def run(
        argv: Sequence[str], *, timeout: float, env: Mapping[str, str] | None = None, stdin: str = ""
    ) -> CommandResult:
        calls.append((list(argv), stdin))
        return CommandResult(code, out, "why\n")

    inputs = NodeInputs(arguments=("kubelet", "--port=7"))
    with pytest.raises(ValidationUnavailable, match="drop-ins and flags were not merged for the probe: why"):
        AddressesCommand(run, ["agent", "addresses"])("/c", "v1.36.3", inputs)
    assert calls == [(["agent", "addresses", "--kubernetes-version", "v1.36.3", "/c"], json.dumps(inputs.to_dict()))]
