# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""configok-agent migrate, as a user calls it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from support.configs.kubelet import KUBELET_HEADER

MakeNode = Callable[..., Any]


@pytest.mark.contract("cli.commands")
def test_given_flags(make_node: MakeNode) -> None:
    node = make_node()
    present = node.directory / "present.yaml"
    present.write_text(KUBELET_HEADER + "maxPods: 10\n")
    flags = [f"--config={present}", "--max-pods=50", "--node-ip=10.0.0.1"]
    result = node.call("migrate", "--kubernetes-version", "1.31", "kubelet", "--", *flags)
    assert result.returncode == 0, result.stderr
    assert yaml.safe_load(result.stdout)["maxPods"] == 50
    assert "--node-ip stays: its value belongs to this node" in result.stderr
    described = json.loads(node.call("migrate", "--json", "kubelet", "--", *flags).stdout)
    assert [flag["words"] for flag in described["flags"]] == [[f"--config={present}"], ["--node-ip=10.0.0.1"]]


@pytest.mark.contract("cli.commands")
def test_what_cannot_be_used(make_node: MakeNode) -> None:
    node = make_node()
    assert node.call("migrate", "kubelet", "--", "--max-pods=many").returncode == 1
    gone = node.call("migrate", "kubelet", "--", "--config=/no/such/file")
    assert (gone.returncode, gone.stdout) == (2, "")
    assert gone.stderr == "configok-agent: /no/such/file: cannot be read: No such file or directory\n"
    assert node.call("migrate", "--kubernetes-version", "x", "kubelet", "--", "--max-pods=1").returncode == 2
    unseen = node.call("migrate", "kubelet")
    assert unseen.returncode == 1
    assert "give its flags behind --" in unseen.stderr
