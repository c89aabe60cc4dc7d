# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests what `configok-agent check` says of the agent's own config."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType

import pytest

from support.configs.manifests import kubeadm_pod, manifest_bytes

Entry = Callable[[str], ModuleType]


def write_configuration(tmp_path: Path, *, component: Mapping[str, object] | None = None, **fields: object) -> Path:
    """Write an AgentConfiguration and a kubeconfig; return the path of the first."""
    cluster = {"name": "c", "cluster": {"server": "http://127.0.0.1:1"}}
    context = {"name": "x", "context": {"cluster": "c", "user": "u"}}
    user = {"name": "u", "user": {"token": "t"}}
    kubeconfig = {"clusters": [cluster], "contexts": [context], "users": [user], "current-context": "x"}
    configuration = {
        "apiVersion": "agent.config.configok.dev/v1alpha1",
        "kind": "AgentConfiguration",
        "nodeName": "n1",
        "kubeconfig": str(tmp_path / "kubeconfig"),
        "components": {"kubelet": {"unit": "kubelet.service", **(component or {})}},
        **fields,
    }
    (tmp_path / "kubeconfig").write_text(json.dumps(kubeconfig))
    (tmp_path / "agent.yaml").write_text(json.dumps(configuration))
    return tmp_path / "agent.yaml"


KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILzXPNBfDWO6TJ4TH8jlTCjOeYpHTKONGpVK2OI0fidN alice"


@pytest.mark.parametrize(
    ("trust", "sentence"),
    [
        ({"mode": "require", "keys": [KEY]}, "trust.pools must name the pools of this node, because mode is require"),
        ({"mode": "warn", "pools": ["workers"]}, "trust.keys or authorities must have a public key"),
        ({"mode": "no", "verifer": "builtin"}, 'trust.mode: "no" must be off or warn or require'),
        ({"mode": "no", "verifer": "builtin"}, "trust.verifer is an unknown field"),
        ({"mode": "off", "keys": ["AAAA"]}, "trust.keys"),
        ({"threshold": 0}, "trust.threshold: 0 must be a whole number from 1 to 16"),
        ([], "trust must hold an object"),
        (
            {"mode": "require", "pools": ["workers"], "clusters": ["East"], "keys": [KEY]},
            'trust.clusters: ["East"] must be a list of clusters, each a DNS name of at most 63 characters, or a uid',
        ),
    ],
)
def test_errors_of_the_trust_policy_name_their_field(
    entry: Entry, tmp_path: Path, capsys: pytest.CaptureFixture[str], trust: object, sentence: str
) -> None:
    path = write_configuration(tmp_path, trust=trust)
    assert entry("__main__").main(["--config", str(path), "check"]) == 1
    assert f"configok-agent: {path}: {sentence}" in capsys.readouterr().err


@pytest.mark.parametrize(("mode", "code"), [("require", 1), ("warn", 0), ("off", 0)])
def test_a_node_that_requires_signatures_names_its_cluster(
    entry: Entry, tmp_path: Path, capsys: pytest.CaptureFixture[str], mode: str, code: int
) -> None:
    path = write_configuration(tmp_path, trust={"mode": mode, "pools": ["workers"], "keys": [KEY]})
    assert entry("__main__").main(["--config", str(path), "check"]) == code
    sentence = "trust.clusters must name the cluster of this node, because mode is require: set node_trust_clusters"
    assert (sentence in capsys.readouterr().err) is bool(code)


@pytest.mark.parametrize("mode", ['"require"', "require", "off", "false"])
def test_a_trust_policy_that_can_be_used(
    entry: Entry, tmp_path: Path, capsys: pytest.CaptureFixture[str], mode: str
) -> None:
    path = write_configuration(
        tmp_path, trust={"mode": "MODE", "pools": ["workers"], "keys": [KEY], "clusters": ["east"]}
    )
    path.write_text("# YAML\n" + path.read_text().replace('"MODE"', mode))
    assert entry("__main__").main(["--config", str(path), "check"]) == 0
    assert capsys.readouterr().err == ""


def test_a_verifier_that_the_node_lacks_is_an_error(
    entry: Entry, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    trust = {"mode": "warn", "pools": ["workers"], "keys": [KEY], "verifier": "ssh-keygen"}
    command = ["--config", str(write_configuration(tmp_path, trust=trust)), "check"]
    assert entry("__main__").main(command) == 0
    monkeypatch.setenv("PATH", str(tmp_path))
    assert entry("__main__").main(command) == 1
    message = capsys.readouterr().err
    assert "trust.verifier is ssh-keygen, but ssh-keygen: No such file or directory: install OpenSSH 8.1" in message


def test_the_local_config_has_the_trust_policy(
    entry: Entry, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def printed(trust: object) -> object:
        path = write_configuration(tmp_path, trust=trust)
        code = entry("__main__").main(["--config", str(path), "local-config"])
        return json.loads(capsys.readouterr().out).get("trust") if code == 0 else code

    assert printed({"mode": "warn", "pools": ["workers"], "keys": [KEY]}) == {
        "mode": "warn",
        "pools": ["workers"],
        "keys": [KEY],
        "authorities": [],
        "threshold": 1,
        "revoked": [],
        "verifier": "builtin",
        "clusters": [],
    }
    assert printed({"mode": "off", "keys": [KEY]}) is None
    assert printed({"mode": "require"}) == 1


def test_a_manifest_that_is_not_there_is_refused(
    entry: Entry, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest = tmp_path / "kube-scheduler.yaml"
    components = {"kube-scheduler": {"staticPod": str(manifest)}}
    path = write_configuration(tmp_path, components=components, stateDirectory=str(tmp_path / "state"))
    assert entry("__main__").main(["--config", str(path), "check"]) == 1
    assert f"configok-agent: {manifest} is not there: let kubeadm make" in capsys.readouterr().err


def test_the_static_pods_that_are_left_alone_are_named(
    entry: Entry, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "manifests"
    folder.mkdir()
    for component in ("kube-scheduler", "kube-apiserver"):
        (folder / f"{component}.yaml").write_bytes(manifest_bytes(kubeadm_pod(component)))
    components = {"kube-scheduler": {"staticPod": str(folder / "kube-scheduler.yaml")}}
    path = write_configuration(tmp_path, components=components, stateDirectory=str(tmp_path / "state"))
    assert entry("__main__").main(["--config", str(path), "check"]) == 0
    assert capsys.readouterr().out == "left alone: the static Pods kube-system/kube-apiserver\n"
