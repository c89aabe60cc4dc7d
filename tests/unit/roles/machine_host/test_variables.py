# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The flags and files with which a kubelet starts, as Ansible evaluates them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

VARIABLES = Path(__file__).resolve().parents[4] / "roles/machine_host/vars/main.yml"
TAINT = {"key": "example.com/gpu", "value": "a-1", "effect": "NoSchedule"}


def evaluate(tmp_path: Path, name: str, **variables: Any) -> Any:
    """Return the value of a variable of the role."""
    options = [f"--extra-vars=@{VARIABLES}", f"--extra-vars={json.dumps(variables)}"]
    task = ["--module-name=ansible.builtin.copy", f"--args=dest={tmp_path}/value content={{{{ {name} }}}}"]
    command = [sys.executable, "-m", "ansible", "adhoc", "localhost", "--connection=local", *options, *task]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads((tmp_path / "value").read_text())


def flags(tmp_path: Path, **machine: Any) -> list[str]:
    """Return the flags of the kubelet of a machine."""
    return list(evaluate(tmp_path, "__machine_host_flags", machine={"name": "w1", **machine}))


@pytest.mark.parametrize(
    ("taints", "flag"),
    [
        ([TAINT], "--register-with-taints=example.com/gpu=a-1:NoSchedule"),
        (
            [TAINT, {"key": "batch", "value": "", "effect": "NoExecute"}],
            "--register-with-taints=example.com/gpu=a-1:NoSchedule,batch=:NoExecute",
        ),
    ],
)
def test_a_new_node_has_its_taints_from_the_beginning(tmp_path: Path, taints: list[dict[str, str]], flag: str) -> None:
    assert flag in flags(tmp_path, taints=taints)


@pytest.mark.parametrize("machine", [{}, {"taints": []}])
def test_without_taints_there_is_no_flag(tmp_path: Path, machine: dict[str, Any]) -> None:
    names = flags(tmp_path, provider={"kubeletFlags": {"node-ip": "10.0.0.1"}}, **machine)
    assert names[-2:] == ["--hostname-override=w1", "--node-ip=10.0.0.1"]


@pytest.mark.parametrize(("authority", "paths"), [("", []), ("PEM\n", ["/etc/kubernetes/pki/ca.crt"])])
def test_a_kubelet_accepts_the_clients_of_the_api_server_and_keeps_its_authority_if_that_is_not_known(
    tmp_path: Path, authority: str, paths: list[str]
) -> None:
    of_the_server = {"ca_certificate": "a company\n"}  # its CA issues certificates to other people, too
    cluster = {**of_the_server, "client_ca_certificate": authority}
    variables = {"machine": {"name": "w1"}, "machine_cluster": cluster}
    files = evaluate(tmp_path, "__machine_host_optional_files", **variables)
    assert [file["path"] for file in files] == paths
    assert [file["content"] for file in files] == [authority for _path in paths]


@pytest.mark.parametrize(
    ("declared", "written"),
    [
        ({"maxPods": 50}, {"maxPods": 50, "clientCAFile": "/etc/kubernetes/pki/ca.crt", "rotateCertificates": True}),
        (
            {"rotateCertificates": False, "authentication": {"x509": {"clientCAFile": "/etc/ca.pem"}}},
            {"maxPods": None, "clientCAFile": "/etc/ca.pem", "rotateCertificates": False},
        ),
    ],
)
def test_a_kubelet_trusts_the_cluster_and_renews_its_certificate_unless_declared_otherwise(
    tmp_path: Path, declared: dict[str, Any], written: dict[str, Any]
) -> None:
    variables = {"machine": {"name": "w1"}, "machine_kubelet_config": declared}
    name = "__machine_host_defaults | combine(machine_kubelet_config, recursive=true)"
    assert name in VARIABLES.read_text()
    config = evaluate(tmp_path, name, **variables)
    assert {
        "maxPods": config.get("maxPods"),
        "clientCAFile": config["authentication"]["x509"]["clientCAFile"],
        "rotateCertificates": config["rotateCertificates"],
    } == written


def test_files_that_may_hold_secrets_are_handed_over_apart(tmp_path: Path) -> None:
    variables = {
        "machine": {"name": "w1", "provider": {"containerRuntimeConfig": "password"}},
        "machine_kubelet_config": {"maxPods": 50},
        "machine_cluster": {},
        "__machine_host_common_files": [{"path": "/etc/plain", "content": "x"}],
    }
    assert evaluate(tmp_path, "__machine_host_secret_contents", **variables) == {
        "/etc/containerd/config.toml": "password"
    }
    plain, secret = evaluate(tmp_path, "__machine_host_plain_files", **variables)
    assert plain == {"path": "/etc/plain", "content": "x"}
    assert secret == {"path": "/etc/containerd/config.toml", "mode": "0600", "restarts": ["containerd"]}


@pytest.mark.parametrize(
    ("address", "url"),
    [
        ("", "http://127.0.0.1:10248/healthz"),
        ("0.0.0.0", "http://127.0.0.1:10248/healthz"),
        ("10.0.0.9", "http://10.0.0.9:10248/healthz"),
        ("::", "http://[::1]:10248/healthz"),
    ],
)
def test_the_kubelet_of_an_external_host_is_asked_where_it_listens(tmp_path: Path, address: str, url: str) -> None:
    tasks = yaml.safe_load((VARIABLES.parents[2] / "external/tasks/create.yml").read_text())
    config = {"healthzBindAddress": address} if address else {}
    value = evaluate(tmp_path, "[__external_url]", **{**tasks[1]["vars"], "machine_kubelet_config": config})
    assert value == [url]
