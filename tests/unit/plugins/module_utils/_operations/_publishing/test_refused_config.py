# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the result of a refused config holds of the nodes of its pool."""

from __future__ import annotations

import json

import pytest

from ansible_collections.configok.node.plugins.module_utils._operations._publishing._release import (
    check_documents,
    raise_refused,
)
from ansible_collections.configok.node.plugins.module_utils._operations.bundle_changes import SourceDocument
from ansible_collections.configok.node.plugins.module_utils._rollout import ConfigRefused
from support.configs.kubelet import KUBELET_HEADER


def refusal(count: int) -> ConfigRefused:
    """Return the refusal of a config for a pool with a number of nodes."""
    nodes = {f"worker-{number:05}.example.com": "v1.36.3" for number in range(count)}
    document = SourceDocument("kubelet", KUBELET_HEADER + "maxPods: -1\npodsPerCore: -1\n")
    with pytest.raises(ConfigRefused) as refused:
        raise_refused(check_documents({"kubelet": document}, (), nodes))
    return refused.value


def test_a_result_does_not_grow_with_the_pool() -> None:
    small, large = refusal(20), refusal(2000)
    assert {finding["node_count"] for finding in large.findings} == {2000}
    assert len(json.dumps(large.findings)) < len(json.dumps(small.findings)) + 100


def test_a_result_names_the_nodes_of_a_small_pool() -> None:
    names = ["worker-00000.example.com", "worker-00001.example.com"]
    assert [(finding["nodes"], finding["node_count"]) for finding in refusal(2).findings] == [(names, 2)] * 2
