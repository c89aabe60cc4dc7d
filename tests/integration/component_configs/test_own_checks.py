# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The components' own checks of their arguments, by the real components."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.configok.node.plugins.module_utils._componentconfig.component_options import read_options
from ansible_collections.configok.node.plugins.module_utils._static_pods.manifest import read_manifest
from ansible_collections.configok.node.plugins.module_utils._static_pods.own_answer import OwnAnswer, OwnVerdict
from ansible_collections.configok.node.plugins.module_utils._static_pods.own_check import (
    RUNS_FOR,
    check_arguments,
    read_answer,
)
from ansible_collections.configok.node.plugins.module_utils._static_pods.rendered_manifest import render
from support.api.binaries import find
from support.api.pki import Authority
from support.configs.manifests import kubeadm_pod, manifest_bytes
from support.configs.options import AUDIT_POLICY, component_options
from support.session.control_plane import minor_at_hand
from support.session.patience import LONGEST_WAIT

PASSED = OwnAnswer(OwnVerdict.PASSED)


def answer(component: str, arguments: Sequence[str], directory: Path, *, longest: float = LONGEST_WAIT) -> OwnAnswer:
    """Return what the real component answers within `longest` seconds."""
    minor_at_hand(component)
    words = check_arguments(component, arguments, scratch=str(directory))
    assert words is not None
    process = subprocess.Popen(
        [find(component), *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=directory
    )
    try:
        output, _none = process.communicate(timeout=longest)
        return read_answer(component, process.returncode, output)
    except subprocess.TimeoutExpired:
        return read_answer(component, None, "")
    finally:
        process.kill()
        process.wait()


def api_server(directory: Path) -> list[str]:
    """Return the arguments of an API server whose keys exist; its etcd is another cluster's."""
    certificate, key = Authority(directory / "pki").issue_files("server", "server", addresses=["127.0.0.1"])
    return [
        "--advertise-address=127.0.0.1",
        "--etcd-servers=https://10.0.0.9:2379",
        "--secure-port=6443",
        "--service-account-issuer=https://configok.test",
        f"--service-account-key-file={key}",
        f"--service-account-signing-key-file={key}",
        "--service-cluster-ip-range=10.0.0.0/24",
        f"--tls-cert-file={certificate}",
        f"--tls-private-key-file={key}",
    ]


def with_options(base: Sequence[str], flags: Mapping[str, Any], files: Mapping[str, Any], root: Path) -> list[str]:
    """Return the arguments of a rendered manifest, whose files are written."""
    pod = kubeadm_pod("kube-apiserver", command=["kube-apiserver", *base])
    init = read_manifest(manifest_bytes(pod), "kube-apiserver.yaml")
    rendered = render(init, read_options(component_options(flags, files)), root=str(root))
    Path(rendered.directory).mkdir(parents=True)
    for name, content in rendered.files.items():
        Path(rendered.directory, name).write_bytes(content)
    return list(rendered.manifest.arguments)


def test_an_api_server_passes_and_leaves_the_log_of_the_running_one_alone(tmp_path: Path) -> None:
    flags = {"audit-log-path": str(tmp_path / "audit.log"), "enable-admission-plugins": ["NodeRestriction"]}
    files = {"audit.yaml": {"content": AUDIT_POLICY}}
    arguments = with_options(api_server(tmp_path), flags, files, tmp_path / "root")
    assert answer("kube-apiserver", arguments, tmp_path, longest=4 * RUNS_FOR) == PASSED
    assert not (tmp_path / "audit.log").exists()


@pytest.mark.parametrize(
    ("flags", "policy", "sentence"),
    [
        ({"no-such-flag": 1}, AUDIT_POLICY, "no-such-flag"),
        ({"event-ttl": "soon"}, AUDIT_POLICY, "event-ttl"),
        ({"audit-log-path": "-"}, {**AUDIT_POLICY, "rules": [{"level": "Some"}]}, "Some"),
        ({"audit-log-path": "-"}, yaml.safe_load("{a: b}"), "audit"),
    ],
)
def test_an_api_server_fails_with_a_reason(
    tmp_path: Path, flags: Mapping[str, Any], policy: Mapping[str, Any], sentence: str
) -> None:
    files = {"audit.yaml": {"flag": "audit-policy-file", "content": policy}}
    arguments = with_options(api_server(tmp_path), flags, files, tmp_path / "root")
    verdict, reason = answer("kube-apiserver", arguments, tmp_path)
    assert verdict is OwnVerdict.FAILED
    assert sentence in reason


@pytest.mark.parametrize("component", ["kube-controller-manager", "kube-scheduler"])
def test_clients_of_the_api_server_pass_or_fail_by_their_flags(tmp_path: Path, component: str) -> None:
    base = ["--kubeconfig=/etc/kubernetes/x.conf", "--leader-elect=true"]
    assert answer(component, [*base, "--kube-api-qps=30"], tmp_path) == PASSED
    verdict, reason = answer(component, [*base, "--kube-api-burst=many"], tmp_path)
    assert (verdict, "kube-api-burst" in reason) == (OwnVerdict.FAILED, True)
