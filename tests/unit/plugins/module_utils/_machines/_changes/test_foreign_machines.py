# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A machine that Cluster API owns is in the plan, and never changed."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._machines._changes.cluster_changes import plan_cluster
from ansible_collections.configok.node.plugins.module_utils._machines._changes.config_inputs import ConfigInputs
from ansible_collections.configok.node.plugins.module_utils._machines._changes.observe import observe
from ansible_collections.configok.node.plugins.module_utils._machines._changes.types import MachineAction
from ansible_collections.configok.node.plugins.module_utils._machines._objects.read import read_catalog
from support.machine_files import cluster_api_machine, text_of


def node(version: str) -> dict[str, Any]:
    return {"metadata": {"name": "east-abc", "uid": "1"}, "status": {"nodeInfo": {"kubeletVersion": version}}}


@pytest.mark.parametrize(
    ("version", "warnings"),
    [
        ("v1.34.9", ()),
        (
            "v1.33.1",
            ("m.yaml:1: Machine east-abc: spec.versions.kubelet: left as it is: Cluster API owns the machine",),
        ),
        (None, ("m.yaml:1: Machine east-abc: it has no Node yet: Cluster API owns the machine",)),
    ],
)
def test_a_machine_of_cluster_api_is_left_alone(version: str | None, warnings: tuple[str, ...]) -> None:
    catalog = read_catalog({"m.yaml": text_of(cluster_api_machine())})
    observed = {"east-abc": observe(node(version))} if version else {}
    (change,) = plan_cluster(catalog, observed, ConfigInputs(), server_version="v1.35.0")
    assert (change.action, change.refusals, change.warnings) == (MachineAction.NONE, (), warnings)
    assert not change.is_change
