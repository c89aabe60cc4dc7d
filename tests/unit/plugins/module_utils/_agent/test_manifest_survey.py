# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What keeps an agent from taking over the manifests of a control plane is reported before anything is changed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._agent_configuration import (
    AgentConfiguration,
    ComponentConfiguration,
)
from ansible_collections.configok.node.plugins.module_utils._agent._manifest_note import (
    ManifestNote,
    write_manifest_note,
)
from ansible_collections.configok.node.plugins.module_utils._agent._manifest_survey import (
    ManifestSurvey,
    survey_manifests,
)
from ansible_collections.configok.node.plugins.module_utils._agent._store._store import Store
from ansible_collections.configok.node.plugins.module_utils._static_pods.manifest import OPTIONS_ANNOTATION
from support.configs.manifests import kubeadm_pod, manifest_bytes

COMPONENT = "kube-scheduler"
SCHEDULER = manifest_bytes(kubeadm_pod(COMPONENT))
VIP = manifest_bytes(
    {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "kube-vip"},
        "spec": {"containers": [{"name": "vip", "image": "vip"}]},
    }
)


def with_options() -> bytes:
    pod = kubeadm_pod(COMPONENT)
    pod["metadata"]["annotations"] = {OPTIONS_ANNOTATION: "abc"}
    return manifest_bytes(pod)


class Node:
    """A node with a folder of manifests, of which the scheduler's is to have options."""

    def __init__(self, root: Path) -> None:
        self.folder = root / "manifests"
        self.folder.mkdir()
        self.store = Store(str(root / "state"), now=lambda: "now")

    def survey(self, files: Mapping[str, bytes]) -> ManifestSurvey:
        for name, source in files.items():
            (self.folder / name).write_bytes(source)
        component = ComponentConfiguration(COMPONENT, "", manifest=str(self.folder / f"{COMPONENT}.yaml"))
        components = {COMPONENT: component, "kubelet": ComponentConfiguration("kubelet", "kubelet.service")}
        return survey_manifests(AgentConfiguration("n1", "/k", components), self.store)


@pytest.fixture
def node(tmp_path: Path) -> Node:
    return Node(tmp_path)


def test_the_static_pods_of_others_are_named(node: Node) -> None:
    (node.folder / "a-folder").mkdir()
    api_server = manifest_bytes(kubeadm_pod("kube-apiserver"))
    survey = node.survey({f"{COMPONENT}.yaml": SCHEDULER, "vip.yaml": VIP, "a.yaml": api_server, ".b": b"no Pod"})
    assert survey == ((), ("default/kube-vip", "kube-system/kube-apiserver"))


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        ({}, "is not there: let kubeadm make the control plane first, or set static_pod of kube-scheduler"),
        ({f"{COMPONENT}.yaml": VIP}, "it does not run kube-scheduler"),
        ({f"{COMPONENT}.yaml": VIP, "other.yaml": SCHEDULER}, "other.yaml of the same folder runs kube-scheduler"),
        ({f"{COMPONENT}.yaml": SCHEDULER, "b.yaml": SCHEDULER}, "kube-scheduler.yaml: b.yaml has the same Pod"),
        ({f"{COMPONENT}.yaml": SCHEDULER, "b": b"no Pod"}, "b: "),
        ({f"{COMPONENT}.yaml": manifest_bytes(kubeadm_pod(COMPONENT, livenessProbe=None))}, "has no probe"),
        ({f"{COMPONENT}.yaml": with_options()}, "options are applied to it by an agent whose notes are not in"),
    ],
)
def test_what_keeps_a_component_from_having_options(node: Node, files: Mapping[str, bytes], problem: str) -> None:
    first, *_others = node.survey(files).problems
    assert problem in first
    assert first.startswith(str(node.folder))


def test_options_of_this_agent_are_accepted(node: Node) -> None:
    write_manifest_note(node.store, COMPONENT, ManifestNote(init=SCHEDULER.decode()))
    assert node.survey({f"{COMPONENT}.yaml": with_options()}).problems == ()
