# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""`configok-agent static-pod` brings a manifest in line with the options in use; `status` shows why it does not."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._hold import Hold, HoldFile
from ansible_collections.configok.node.plugins.module_utils._agent._state.node_state import NodeInputs
from ansible_collections.configok.node.plugins.module_utils._agent._state.records import ConfigRecord
from ansible_collections.configok.node.plugins.module_utils._agent._store._store import Store
from ansible_collections.configok.node.plugins.module_utils._agent._validation._own_check import OwnCheckFiles
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import ConfigSource
from ansible_collections.configok.node.plugins.module_utils._static_pods.own_answer import OwnVerdict
from support.configs.manifests import kubeadm_pod, manifest_bytes
from support.configs.options import component_options

COMPONENT = "kube-scheduler"


class Node:
    """A node whose scheduler is a static Pod."""

    def __init__(self, root: Path, main: Callable[[list[str]], int]) -> None:
        self._main = main
        self.manifest = root / "scheduler.yaml"
        self.manifest.write_bytes(manifest_bytes(kubeadm_pod(COMPONENT)))
        self._config = root / "agent.yaml"
        settings = {
            "apiVersion": "agent.config.configok.dev/v1alpha1",
            "kind": "AgentConfiguration",
            "nodeName": "n1",
            "kubeconfig": "/nowhere",
            "stateDirectory": str(root / "state"),
            "runDirectory": str(root / "run"),
            "components": {COMPONENT: {"staticPod": str(self.manifest)}, "kubelet": {}},
        }
        self._config.write_text(json.dumps(settings))
        data = json.dumps(component_options({"kube-api-qps": 30}, component=COMPONENT)).encode()
        store = Store(str(root / "state"), now=lambda: "now")
        store.write_rendered(COMPONENT, data)
        store.write_config(COMPONENT, data)

    def run(self, *words: str) -> int:
        return self._main([f"--config={self._config}", *words])


@pytest.fixture
def node(entry: Callable[[str], ModuleType], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Node:
    monkeypatch.setattr(entry("_static_pod"), "DIRECTORY", str(tmp_path / "options"))
    return Node(tmp_path, entry("__main__").main)


def test_a_check_writes_no_manifest(node: Node, capsys: pytest.CaptureFixture[str]) -> None:
    before = node.manifest.read_bytes()
    assert node.run("static-pod", "--check", COMPONENT) == 0
    assert capsys.readouterr().out == f"{node.manifest} is as the agent left it\n"
    assert node.manifest.read_bytes() == before


def test_the_manifest_is_written_once(node: Node, capsys: pytest.CaptureFixture[str]) -> None:
    assert node.run("static-pod", COMPONENT) == 0
    assert "--kube-api-qps=30" in node.manifest.read_text()
    assert node.run("static-pod", COMPONENT) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"{node.manifest} was written",
        f"{node.manifest} has the options in use already",
    ]


def test_files_on_the_node_that_options_name_are_validated_where_they_are(
    node: Node, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the command that the agent runs, whose answer also has their hash, and by the one that a user runs."""
    node.run("static-pod", "--check", COMPONENT)
    (tmp_path / "scheduler.yaml").write_text("apiVersion: v1\nkind: Config\n")
    files = {"own.yaml": {"flag": "config", "path": str(tmp_path / "scheduler.yaml")}}
    document = json.dumps(component_options(files=files, component=COMPONENT))
    capsys.readouterr()
    request = json.dumps({"document": document, "present": None, **NodeInputs().to_dict()})
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=BytesIO(request.encode())))
    assert node.run("validate-document", COMPONENT) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["nodeFiles"]
    [finding] = [finding for finding in answer["findings"] if finding["rule"] == "host:node-file"]
    assert finding["message"] == f"{tmp_path}/scheduler.yaml must be of kind KubeSchedulerConfiguration"
    (tmp_path / "options.json").write_text(document)
    assert node.run("validate", "--on-node", "--component", COMPONENT, str(tmp_path / "options.json")) == 1
    assert "must be of kind KubeSchedulerConfiguration" in capsys.readouterr().out


def test_a_manifest_of_another_program_is_left_alone_and_shown(node: Node, capsys: pytest.CaptureFixture[str]) -> None:
    node.run("static-pod", COMPONENT)
    node.manifest.write_text(node.manifest.read_text().replace("qps=30", "qps=31"))
    assert node.run("static-pod", COMPONENT) == 1
    reason = f"{node.manifest}: it was changed, with the image as it was, neither by this agent nor by an upgrade"
    assert capsys.readouterr().err == f"configok-agent: {reason}\n"
    node.run("status", "--json")
    components = json.loads(capsys.readouterr().out)["components"]
    assert (components[COMPONENT]["unit"], components["kubelet"]["manifest"]) == ("", None)
    assert components[COMPONENT]["manifest"] == {"path": str(node.manifest), "problem": reason}
    node.run("status")
    assert "nothing is written:" in capsys.readouterr().out


def test_a_component_that_is_a_unit_has_no_manifest(node: Node, capsys: pytest.CaptureFixture[str]) -> None:
    assert node.run("static-pod", "kubelet") == 2
    assert "kubelet is not a static Pod: components.kubelet.staticPod names no manifest" in capsys.readouterr().err


def test_the_init_manifest_is_put_back(node: Node, capsys: pytest.CaptureFixture[str]) -> None:
    init = node.manifest.read_bytes()
    node.run("static-pod", COMPONENT)
    assert node.run("static-pod", "--restore-init", "--check", COMPONENT) == 2
    assert node.run("static-pod", "--restore-init", COMPONENT) == 0
    assert node.manifest.read_bytes() == init
    node.run("static-pod", "--restore-init", COMPONENT)
    assert capsys.readouterr().out.splitlines()[1:] == [
        f"{node.manifest} is the init manifest again",
        f"{node.manifest} has no options of this agent",
    ]


def test_the_answer_of_a_program_is_left_for_the_daemon(
    node: Node, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert node.run("own-check", COMPONENT) == 1
    assert capsys.readouterr().err == f"configok-agent: the agent asks nothing about options of {COMPONENT}\n"
    files = OwnCheckFiles(str(tmp_path / "run"), COMPONENT)
    files.ask("/options")
    assert node.run("own-check", COMPONENT) == 0
    assert capsys.readouterr().out == f"{COMPONENT}: not judged: its init manifest is not known\n"
    assert files.read_answer("/options") == (OwnVerdict.NOT_JUDGED, "its init manifest is not known")
    assert node.run("own-check", "kubelet") == 2


def test_a_hold_keeps_manifests_as_they_are_until_it_is_released(
    node: Node, capsys: pytest.CaptureFixture[str]
) -> None:
    before = node.manifest.read_bytes()
    assert node.run("hold", "kubeadm", "--for", "10m") == 0
    assert "kubeadm holds the manifests for another 600s" in capsys.readouterr().out
    assert node.run("static-pod", COMPONENT) == 1
    assert "kubeadm holds the manifests for another" in capsys.readouterr().err
    assert node.run("status") == 0
    assert f"{'hold':17}kubeadm holds the manifests" in capsys.readouterr().out
    assert (node.run("hold", "kubespray"), node.run("release", "kubespray")) == (1, 1)
    assert node.manifest.read_bytes() == before
    assert node.run("release", "kubeadm") == 0
    assert node.run("static-pod", COMPONENT) == 0
    assert node.manifest.read_bytes() != before


def test_a_hold_ends_by_itself(node: Node, capsys: pytest.CaptureFixture[str]) -> None:
    HoldFile(str(node.manifest.parent / "run")).write(Hold("kubeadm", 1))  # a second after boot
    assert node.run("static-pod", COMPONENT) == 0
    assert node.run("hold", "kubespray") == 0


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("hold", "Kube Adm"), "'Kube Adm': an owner is lower case letters"),
        (("hold", "kubeadm", "--for", "soon"), "--for soon: must be a duration"),
        (("hold", "kubeadm", "--for", "48h"), "--for 48h: must be from 1s to 24h"),
    ],
)
def test_a_hold_that_cannot_be_taken(
    node: Node, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], sentence: str
) -> None:
    assert node.run(*words) == 2
    assert sentence in capsys.readouterr().err


def test_a_hold_is_refused_during_a_trial(node: Node, capsys: pytest.CaptureFixture[str]) -> None:
    store = Store(str(node.manifest.parent / "state"), now=lambda: "now")
    source = ConfigSource("configok-system", "pool-1", "00000000-0000-0000-0000-000000000001")
    store.write_current(ConfigRecord(source=source, files={COMPONENT: "a"}))
    assert node.run("hold", "kubeadm") == 1
    assert f"options of {COMPONENT} are on trial" in capsys.readouterr().err
