# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a bundle changes is grouped by the nodes that it changes in the same way."""

from __future__ import annotations

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig.findings import Level
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.denied_fields import DenyPolicy
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.local_config import LocalComponent, LocalConfig
from ansible_collections.configok.node.plugins.module_utils._operations._pool_nodes import PoolNodes
from ansible_collections.configok.node.plugins.module_utils._operations.bundle_changes import (
    NodeGroup,
    SourceDocument,
    current_documents,
    denied_findings,
    diff_documents,
    field_changes,
    group_changes,
    render_changes,
    text_diff,
)
from ansible_collections.configok.node.plugins.module_utils._rollout import UnusableDocument
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record import COMPLETE, Record, Revision
from support.configs.kubelet import KUBELET_HEADER
from support.rollouts.views import a_source, a_view
from support.rollouts.world import MakeWorld

FIRST, SECOND = a_source(1), a_source(2)
LOCAL = LocalConfig({"kubelet": LocalComponent({"maxPods": 50}, {}, DenyPolicy(("maxPods",)))})


def kubelet(pods: int) -> dict[str, str]:
    return {"kubelet": f"{KUBELET_HEADER}maxPods: {pods}\n"}


POOL = PoolNodes(
    [a_view("n1", source=FIRST), a_view("n2", source=FIRST), a_view("n3", source=SECOND)],
    {"": LOCAL},
    {FIRST: kubelet(100), SECOND: kubelet(110)},
)


def test_nodes_with_the_same_changes_are_one_group_and_the_largest_comes_first() -> None:
    assert [group.nodes for group in group_changes(POOL, kubelet(120))] == [("n1", "n2"), ("n3",)]


def test_a_node_without_changes_is_in_no_group() -> None:
    assert [group.nodes for group in group_changes(POOL, kubelet(110))] == [("n1", "n2")]


def test_the_changes_of_a_bundle_that_cannot_be_read_are_not_known() -> None:
    pool = POOL._replace(bundles={SECOND: kubelet(110)})
    assert group_changes(pool, kubelet(110)) == [NodeGroup(("n1", "n2"), None)]


def test_an_undo_is_compared_with_the_init_config_of_the_node() -> None:
    assert {fact["path"]: (fact["before"], fact["after"]) for fact in field_changes(group_changes(POOL, {}))} == {
        "maxPods": ("110", "50")
    }


def test_without_its_local_config_the_changes_of_an_undo_are_not_known() -> None:
    (group,) = group_changes(POOL._replace(local_configs={}), {})
    assert (group.nodes, group.changes) == (("n1", "n2", "n3"), None)


def test_an_override_of_a_class_that_does_not_exist_is_refused() -> None:
    with pytest.raises(UnusableDocument, match="disruption_overrides of kubelet"):
        group_changes(POOL, kubelet(120), {"kubelet": {"maxPods": "sometimes"}})


def test_the_lines_say_which_nodes_change_and_what_is_not_known() -> None:
    groups = [*group_changes(POOL, kubelet(120)), NodeGroup(("n4",), None)]
    lines = render_changes("workers-2 is revision 2", groups)
    assert lines[0] == "workers-2 is revision 2. What it changes on 2 nodes (n1, n2):"
    assert "maxPods" in lines[1]
    assert "100 -> 120" in lines[1]
    assert lines[-1].startswith("What it changes on 1 node (n4) is not known: ")


def test_without_changes_there_is_one_line() -> None:
    assert len(render_changes("workers-2 is revision 2", [])) == 1


def test_a_field_that_a_node_denies_is_a_refusal_with_the_nodes() -> None:
    (finding,) = denied_findings(POOL, {"kubelet": SourceDocument("kubelet", kubelet(120)["kubelet"])})
    assert finding.level is Level.POLICY
    assert finding.nodes == ("n1", "n2", "n3")


def test_a_document_of_a_component_that_a_node_does_not_run_is_not_denied() -> None:
    pool = POOL._replace(local_configs={"": LocalConfig({})})
    assert denied_findings(pool, {"kubelet": SourceDocument("kubelet", kubelet(120)["kubelet"])}) == []


def test_a_record_of_machines_has_no_documents(make_world: MakeWorld) -> None:
    revision = Revision(1, "machines-0123456789", "", "", "", "2026-01-01T00:00:00Z", result=COMPLETE)
    assert current_documents(make_world(1).client, Record("machines", revisions=(revision,))) == {}


def test_the_header_of_a_new_document_is_not_a_change() -> None:
    assert [str(change.change.path) for _component, change in diff_documents({}, kubelet(110))] == ["maxPods"]


def test_a_text_diff_has_only_the_documents_that_differ() -> None:
    before, after = {"kubelet": "a\n", "kube-proxy": "b\n"}, {"kubelet": "a\n", "kube-scheduler": "c\n"}
    assert [(part["before_header"], part["before"], part["after"]) for part in text_diff(before, after)] == [
        ("kube-proxy", "b\n", ""),
        ("kube-scheduler", "", "c\n"),
    ]
