# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files whose head the API server fills in, and those that it reads without Kubernetes' own codec."""

from __future__ import annotations

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig.check import check
from ansible_collections.configok.node.plugins.module_utils._componentconfig.findings import Level

SELECTIONS = "egressSelections: [{name: cluster, connection: {proxyProtocol: Direct}}]"
ODD_SELECTIONS = """\
kind: EgressSelectorConfiguration
apiVersion: other
EgressSelections:
- Name: cluster
  connection: {proxyprotocol: GRPC, Transport: {uds: {UDSNAME: 5}}}
"""


def refusing_versions(text: str, *versions: str, component: str | None = None) -> list[str]:
    findings = check(text, versions=versions or ["1.25", "1.31", "1.32", "1.36"], component=component)
    refused = {version for finding in findings if finding.level is Level.COMPONENT for version in finding.versions}
    return sorted(refused)


@pytest.mark.parametrize(
    "text",
    [
        "apiVersion: audit.k8s.io/v1\nrules: [{level: None}]\n",
        "apiVersion: audit.k8s.io/v1\nkind: null\nrules: [{level: None}]\n",
        "apiVersion: apiserver.config.k8s.io/v1alpha1\nendpoint: a:1\n",
        "kind: TracingConfiguration\nendpoint: a:1\n",
        "endpoint: a:1\nsamplingRatePerMillion: 1\n",
        "kind: TracingConfiguration\napiVersion: ''\nendpoint: a:1\n",
    ],
)
def test_a_head_that_the_reader_fills_in_is_a_warning(text: str) -> None:
    findings = check(text, versions=["1.25", "1.36"], component="kube-apiserver")
    assert [(finding.rule, finding.level) for finding in findings] == [("kind", "warning")]
    assert refusing_versions(text, component="kubelet")


def test_the_rest_of_such_a_file_is_validated() -> None:
    assert refusing_versions("apiVersion: audit.k8s.io/v1\nrules: []\n", "1.31") == ["1.31"]
    assert refusing_versions("kind: TracingConfiguration\nendpoint: http://a\n", "1.31") == ["1.31"]
    assert refusing_versions("kind: TracingConfiguration\nother: 1\n") == ["1.32", "1.36"]
    assert refusing_versions("apiVersion: apiserver.config.k8s.io/v1beta1\nendpoint: a:1\n", "1.26") == ["1.26"]


@pytest.mark.parametrize(
    "text",
    [
        "endpoint: a:1\nother: 1\n",
        "apiVersion: apiserver.config.k8s.io/v1\nresources: []\n",
        "apiVersion: 5\nkind: TracingConfiguration\n",
        "kind: Policy\nrules: [{level: None}]\n",
        f"apiVersion: apiserver.k8s.io/v1beta1\n{SELECTIONS}\n",
        f"apiVersion: 5\nkind: EgressSelectorConfiguration\n{SELECTIONS}\n",
    ],
)
def test_a_head_is_refused_by_the_versions_that_need_it(text: str) -> None:
    assert refusing_versions(text) == ["1.25", "1.31", "1.32", "1.36"]


@pytest.mark.parametrize("head", ["", "apiVersion: ''\n", "apiVersion: other\n"])
def test_the_version_of_egress_selections_is_not_checked_up_to_1_31(head: str) -> None:
    assert refusing_versions(f"kind: EgressSelectorConfiguration\n{head}{SELECTIONS}\n") == ["1.32", "1.36"]


def test_egress_selections_up_to_1_31_have_keys_in_any_case_and_scalars_as_text() -> None:
    assert refusing_versions(ODD_SELECTIONS) == ["1.32", "1.36"]
    known = ODD_SELECTIONS.replace("other", "apiserver.k8s.io/v1beta1")
    assert refusing_versions(known) == ["1.32", "1.36"]
    assert refusing_versions(known.replace("cluster", "other"), "1.31") == ["1.31"]
    assert refusing_versions(known.replace("5", "[5]"), "1.31") == ["1.31"]


@pytest.mark.parametrize("key", ["imagePolicy", "podNodeSelectorPluginConfig"])
def test_the_two_old_files_of_admission_plugins_are_not_judged(key: str) -> None:
    findings = check(f"{key}: {{a: b}}\n", versions=["1.25", "1.36"])
    assert [(finding.rule, finding.level) for finding in findings] == [("not-judged", "not-judged")]
