# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files on the node that options of a static Pod name are validated where they are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._validation._node_files import (
    digest_of_files,
    node_file_findings,
    read_node_files,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig.findings import Finding, Level
from ansible_collections.configok.node.plugins.module_utils._static_pods.manifest import Manifest, read_manifest
from support.configs.manifests import kubeadm_pod, manifest_bytes
from support.configs.options import component_options

SECRET = "c2VjcmV0IG9mIHRlc3Rz"
GOOD = """apiVersion: apiserver.config.k8s.io/v1
kind: EncryptionConfiguration
resources:
- resources: [secrets]
  providers:
  - aescbc: {keys: [{name: first, secret: MDEyMzQ1Njc4OWFiY2RlZg==}]}
"""
BAD = GOOD.replace("MDEyMzQ1Njc4OWFiY2RlZg==", SECRET)


def document(path: Path | str, flag: str = "encryption-provider-config") -> str:
    return json.dumps(component_options(files={"entry": {"flag": flag, "path": str(path)}}))


def manifest(*mounts: tuple[str, Path]) -> Manifest:
    """Return kubeadm's Pod with these mounts: the path in the container, and on the node."""
    pod = kubeadm_pod("kube-apiserver")
    for index, (path, host_path) in enumerate(mounts):
        pod["spec"]["volumes"].append({"name": f"v{index}", "hostPath": {"path": str(host_path)}})
        pod["spec"]["containers"][0]["volumeMounts"].append({"name": f"v{index}", "mountPath": path})
    return read_manifest(manifest_bytes(pod), "/m/kube-apiserver.yaml")


def findings(text: str, mounts: Manifest | None = None) -> list[Finding]:
    return list(node_file_findings(read_node_files(text, None, mounts), "v1.24.0"))


def test_a_valid_file_has_no_findings(tmp_path: Path) -> None:
    file = tmp_path / "enc.yaml"
    file.write_text(GOOD)
    assert findings(document(file)) == []


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (
            BAD,
            "is not valid: resources[0].providers[0].aescbc.keys[0].secret; configok-agent validate says why, on the "
            "node",
        ),
        (f"secret: [{SECRET}", "cannot be decoded (line 2)"),
        (GOOD.replace("EncryptionConfiguration", "Policy"), "must be of kind EncryptionConfiguration"),
        ("", "must be of kind EncryptionConfiguration"),
        (f"- {SECRET}\n", "must be of kind EncryptionConfiguration"),
    ],
)
def test_a_file_that_the_component_does_not_read_is_refused(tmp_path: Path, content: str, sentence: str) -> None:
    """The finding shows nothing of its content."""
    file = tmp_path / "enc.yaml"
    file.write_text(content)
    [finding] = findings(document(file))
    assert finding.message == f"{file} {sentence}"
    assert (finding.field, finding.level) == ("files.entry.path", Level.COMPONENT)
    assert SECRET not in json.dumps(finding.as_dict())


def test_a_file_that_is_not_there_is_refused() -> None:
    [finding] = findings(document("/of-no-test/enc.yaml"))
    assert finding.message == "/of-no-test/enc.yaml is not on this node: put it there, or name another file"


def test_a_text_needs_to_be_there_only(tmp_path: Path) -> None:
    file = tmp_path / "ca.crt"
    file.write_text("no document: [")
    assert findings(document(file, "oidc-ca-file")) == []
    assert len(findings(document("/of-no-test/ca.crt", "oidc-ca-file"))) == 1


def test_the_value_of_a_flag_names_a_file_too(tmp_path: Path) -> None:
    text = json.dumps(component_options({"oidc-ca-file": str(tmp_path / "ca.crt"), "audit-log-path": "/x/audit.log"}))
    assert [finding.field for finding in findings(text)] == ["flags.oidc-ca-file"]


def test_a_file_is_read_where_the_manifest_mounts_it_from(tmp_path: Path) -> None:
    (tmp_path / "keys").mkdir()
    (tmp_path / "keys/enc.yaml").write_text(BAD)
    [finding] = findings(document("/in/container/keys/enc.yaml"), manifest(("/in/container", tmp_path)))
    assert finding.message.startswith(f"{tmp_path}/keys/enc.yaml is not valid")


def test_what_the_instance_config_names_counts(tmp_path: Path) -> None:
    instance = json.dumps({"files": {"entry": {"path": str(tmp_path / "other.yaml")}}})
    [file] = read_node_files(document(tmp_path / "enc.yaml"), instance, None)
    assert file.path == str(tmp_path / "other.yaml")


@pytest.mark.parametrize("path", ["directory", "/tmp/configok-of-no-test/enc.yaml"])
def test_what_cannot_be_read_is_not_judged(tmp_path: Path, path: str) -> None:
    (tmp_path / "directory").mkdir()
    [finding] = findings(document(tmp_path / path))
    assert finding.level is Level.NOT_JUDGED
    assert finding.message == "the content of a file on the node"


@pytest.mark.parametrize(
    "text", ["", "[", "files: 3", "files: {a: {path: 3}}", "component: kube-apiserver\nflags: {a: []}"]
)
def test_what_names_no_file_is_the_finding_of_others(text: str) -> None:
    assert findings(text) == []


def test_the_hash_tells_contents_apart(tmp_path: Path) -> None:
    file, hashes = tmp_path / "enc.yaml", set()
    for content in (GOOD, BAD, None):
        file.unlink(missing_ok=True)
        if content is not None:
            file.write_text(content)
        hashes.add(digest_of_files(read_node_files(document(file), None, None)))
    assert len(hashes) == 3
    assert digest_of_files([]) == ""
