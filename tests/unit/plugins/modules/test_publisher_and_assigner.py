# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Two identities share the work: one creates bundles and only reads records, the other writes records and no bundle."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Client
from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import Forbidden
from ansible_collections.configok.node.plugins.module_utils._rollout import RolloutError
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record_store import read_record
from ansible_collections.configok.node.plugins.modules import config_bundle
from support.ansible_runs.in_process import roll_out
from support.ansible_runs.modules import run_module
from support.api.clusters import SandboxCluster
from support.configs.kubelet import kubelet_config

pytestmark = pytest.mark.usefixtures("nodes")

DOCUMENT = kubelet_config("maxPods: 60")


def publish(cluster: SandboxCluster) -> dict[str, Any]:
    arguments = {"kubeconfig": cluster.kubeconfig, "pool": "workers", "documents": {"kubelet": DOCUMENT}}
    return run_module(config_bundle.main, {**arguments, "trial_duration": "10m"})


def forbid(patch: pytest.MonkeyPatch, namespace: str) -> None:
    """Refuse every write in a namespace, as RBAC does."""
    for name in ("create", "replace", "patch"):
        original = getattr(Client, name)

        def call(self: Client, path: str, *arguments: Any, _original: Any = original, **options: Any) -> Any:
            if f"/namespaces/{namespace}/configmaps" in path:
                raise Forbidden("forbidden", where=f"POST {path}", status=403)
            return _original(self, path, *arguments, **options)

        patch.setattr(Client, name, call)


def test_a_publisher_needs_no_right_to_write_records(cluster: SandboxCluster) -> None:
    with pytest.MonkeyPatch.context() as patch:
        forbid(patch, "configok-rollouts")
        for changed in (True, False):
            published = publish(cluster)
            assert (published["changed"], published["revision"], published["recorded"]) == (changed, 1, False)
            assert any("the next rollout adds its revision" in line for line in published["text"])
    assert read_record(cluster.client, "workers").revisions == ()
    with pytest.MonkeyPatch.context() as patch:
        forbid(patch, "configok-system")
        roll_out(cluster.client, DOCUMENT, trial={"trialDuration": "10m"})
    assert [revision.uid for revision in read_record(cluster.client, "workers").revisions] == [
        published["bundle"]["uid"]
    ]
    assert publish(cluster)["recorded"] is True


def test_an_assigner_moves_only_what_is_published(cluster: SandboxCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    forbid(monkeypatch, "configok-system")
    with pytest.raises(RolloutError, match=r"is not published yet, and may not be created with these cred"):
        roll_out(cluster.client, DOCUMENT, trial={"trialDuration": "10m"})
