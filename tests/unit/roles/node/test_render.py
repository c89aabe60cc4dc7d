# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command that shows a rendered manifest."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

from support.configs.manifests import kubeadm_pod, manifest_bytes
from support.configs.options import AUDIT_POLICY, component_options

Entry = Callable[[str], ModuleType]
LOG = {"audit-log-path": "/var/log/audit/audit.log"}


@pytest.fixture
def manifest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "kube-apiserver.yaml"
    file.write_bytes(manifest_bytes(kubeadm_pod("kube-apiserver")))
    return file


def show(entry: Entry, *layers: Mapping[str, Any], host_paths: tuple[str, ...] = (), as_json: bool = False) -> int:
    names = [f"options{number}.yaml" for number in range(len(layers))]
    for name, layer in zip(names, layers):
        Path(name).write_text(json.dumps(layer))
    code: int = entry("_render").render_manifest(
        "kube-apiserver.yaml", names, host_paths=host_paths, version="", as_json=as_json
    )
    return code


def test_it_prints_the_manifest_and_says_where_its_files_belong(
    entry: Entry, manifest: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lower = component_options({"event-ttl": "2h"}, {"audit.yaml": {"content": AUDIT_POLICY}})
    assert show(entry, lower, component_options({**LOG, "event-ttl": "1h"}), host_paths=("/var/log/audit:write",)) == 0
    out, err = capsys.readouterr()
    pod = yaml.safe_load(out)
    options_hash = pod["metadata"]["annotations"]["configok.dev/options"]
    directory = f"/etc/kubernetes/configok/kube-apiserver/{options_hash}"
    assert err == f"configok-agent: the file audit.yaml belongs in {directory}\n"
    assert pod["spec"]["containers"][0]["command"][-3:] == [
        "--audit-log-path=/var/log/audit/audit.log",
        f"--audit-policy-file={directory}/audit.yaml",
        "--event-ttl=1h",
    ]


def test_as_json_it_has_the_files(entry: Entry, manifest: Path, capsys: pytest.CaptureFixture[str]) -> None:
    layer = component_options(LOG, {"audit.yaml": {"content": AUDIT_POLICY}})
    assert show(entry, layer, host_paths=("/var/log/audit:write",), as_json=True) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["directory"].endswith(answer["options_hash"])
    assert yaml.safe_load(answer["files"]["audit.yaml"]) == AUDIT_POLICY
    assert yaml.safe_load(answer["manifest"])["kind"] == "Pod"


def test_options_that_cannot_be_applied_are_refused(
    entry: Entry, manifest: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert show(entry, component_options({**LOG, "profiling": "perhaps", "audit-log-batch-max-size": 0})) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert "flags.profiling: " in err
    assert "flags.audit-log-path: " in err
    assert "does not allow it (hostPaths)" in err


def test_the_version_is_that_of_the_image(entry: Entry, manifest: Path, capsys: pytest.CaptureFixture[str]) -> None:
    newer = component_options({"goaway-chance": 0.5})
    assert show(entry, newer) == 0  # 1.20.2 takes any chance
    image = f"registry.k8s.io/kube-apiserver:v1.20.2@sha256:{'0' * 64}"
    manifest.write_bytes(manifest_bytes(kubeadm_pod("kube-apiserver", image=image)))
    assert show(entry, newer) == 0
    manifest.write_bytes(manifest_bytes(kubeadm_pod("kube-apiserver", image="registry.k8s.io/kube-apiserver:v1.36.3")))
    assert show(entry, newer) == 1
    assert "flags.goaway-chance" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("source", "options", "sentence"),
    [
        (b"a: [", component_options({}), "kube-apiserver.yaml:2: a: not valid YAML"),
        (manifest_bytes(kubeadm_pod("kube-scheduler")), component_options({}), "runs kube-scheduler"),
        (
            manifest_bytes(kubeadm_pod("kube-apiserver", command=["/vip"], name="vip")),
            component_options({}),
            "runs no component that has options",
        ),
        (
            manifest_bytes(kubeadm_pod("kube-apiserver", livenessProbe=None)),
            component_options({}),
            "kube-apiserver has no probe",
        ),
        (
            manifest_bytes(kubeadm_pod("kube-apiserver")),
            {"apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration"},
            "options0.yaml: must be ComponentOptions, not KubeletConfiguration",
        ),
    ],
)
def test_what_it_cannot_use_is_one_sentence(
    entry: Entry, manifest: Path, source: bytes, options: Mapping[str, Any], sentence: str
) -> None:
    manifest.write_bytes(source)
    with pytest.raises(entry("_output").UnusableInput) as raised:
        show(entry, options)
    assert sentence in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("path", ["/", "/etc", "/var/lib/kubelet/x", "logs"])
def test_a_directory_that_is_never_mounted_is_one_sentence(entry: Entry, manifest: Path, path: str) -> None:
    with pytest.raises(entry("_output").UnusableInput, match=f"--host-path {path}: must "):
        show(entry, component_options(LOG), host_paths=(f"{path}:write",))


def test_a_rendered_manifest_is_not_an_init_manifest(
    entry: Entry, manifest: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert show(entry, component_options({"event-ttl": "1h"})) == 0
    manifest.write_text(capsys.readouterr().out)
    with pytest.raises(entry("_output").UnusableInput, match="options are applied to it already"):
        show(entry, component_options({"event-ttl": "1h"}))
