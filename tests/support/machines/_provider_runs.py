# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the task files of a provider's role for one host, as the playbook of a machine does."""

from __future__ import annotations

import base64
import json
import secrets
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Client
from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import AlreadyExists, KubeError
from support.ansible_runs import playbooks
from support.configs.kubelet import KUBELET_KIND

__all__ = ["ProviderRuns"]

_PLAY = """
- name: Run a task file of a provider
  hosts: "{{ target }}"
  gather_facts: false
  become: true
  tasks:
    - name: Validate
      ansible.builtin.include_role:
        name: "{{ machine_provider_role }}"
        tasks_from: validate

    - name: Act
      ansible.builtin.include_role:
        name: "{{ machine_provider_role }}"
        tasks_from: "{{ 'update' if machine_action == 'rollback' else machine_action }}"

    - name: Report
      ansible.builtin.debug:
        msg: "OUTCOME {{ outcome | to_json }}"
      vars:
        outcome:
          refusals: "{{ machine_refusals | default([]) }}"
          versions: "{{ machine_versions | default({}) }}"
          warnings: "{{ machine_warnings | default([]) }}"
"""
_CSRS = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
_POLL = 0.3


class ProviderRuns:
    """The task files of one provider's role, run for the hosts of a testbed.

    facts: those of the testbed's file bare.yml. The methods take the parts of a Machine that differ from run to run.
    """

    def __init__(
        self, role: str, *, inventory: Path, kubeconfig: str, client: Client, facts: Mapping[str, Any], state: Path
    ) -> None:
        self._role = role
        self._inventory = inventory
        self._kubeconfig = kubeconfig
        self._client = client
        self._facts = facts
        self._state = state
        state.mkdir(parents=True, exist_ok=True)
        (state / "provider.yml").write_text(_PLAY)

    def variables(
        self,
        action: str,
        host: str,
        provider: Mapping[str, Any],
        *,
        kubelet: str = "",
        runtime: str = "",
        runtime_name: str = "containerd",
        machine: str = "",
        changes: Sequence[str] = (),
        **more: Any,
    ) -> dict[str, Any]:
        """Return the variables of the contract. runtime: its version, "" to leave it alone."""
        network = self._facts["cluster"]["network"]
        init = {
            **KUBELET_KIND,
            "authentication": {"x509": {"clientCAFile": "/etc/kubernetes/pki/ca.crt"}, "anonymous": {"enabled": False}},
            "clusterDNS": network["clusterDNS"],
            "clusterDomain": network["dnsDomain"],
            "rotateCertificates": True,
            **provider.get("kubeletConfiguration", {}),
        }
        return {
            "target": host,
            "machine_provider_role": self._role,
            "machine_action": action,
            "machine_kubelet_config": init,
            "machine": {
                "name": machine or host,
                "labels": {},
                "kubelet_version": kubelet,
                "runtime": {"name": runtime_name, "version": runtime} if runtime else {},
                "node_labels": {},
                "taints": [],
                "provider": dict(provider),
                "changes": list(changes),
            },
            "machine_cluster": {
                "name": "east",
                "endpoint": self._facts["cluster"]["endpoint"],
                "kubernetes_version": self._facts["cluster"]["kubernetesVersion"],
                "cluster_dns": network["clusterDNS"],
                "dns_domain": network["dnsDomain"],
                "service_cidr": network["serviceCIDR"],
                "ca_certificate": self._authority(),
                "client_ca_certificate": self._authority(),
            },
            **more,
        }

    def start(
        self, action: str, host: str, provider: Mapping[str, Any], *options: str, **parts: Any
    ) -> subprocess.Popen[str]:
        """Start a task file. options: of ansible-playbook."""
        variables = self.variables(action, host, provider, **parts)
        file = self._state / f"variables-{action}-{host}.json"
        file.write_text(json.dumps(variables))
        arguments = [str(self._state / "provider.yml"), "-i", str(self._inventory), "-e", f"@{file}", *options]
        return playbooks.start(arguments, directory=self._state, kubeconfig=self._kubeconfig)

    def run(
        self, action: str, host: str, provider: Mapping[str, Any], *options: str, **parts: Any
    ) -> playbooks.PlaybookRun:
        """Run a task file to its end."""
        return playbooks.finish(self.start(action, host, provider, *options, **parts))

    def create(self, host: str, provider: Mapping[str, Any], *options: str, **parts: Any) -> playbooks.PlaybookRun:
        """Run the task file create with a bootstrap token, and approve the kubelet's request meanwhile."""
        done = threading.Event()
        approver = threading.Thread(target=self._approve, args=(done,))
        approver.start()
        try:
            return self.run(
                "create", host, provider, *options, machine_bootstrap_kubeconfig=self.bootstrap_kubeconfig(), **parts
            )
        finally:
            done.set()
            approver.join()

    def bootstrap_kubeconfig(self) -> str:
        """Return a kubeconfig with a new bootstrap token."""
        token = secrets.token_hex(3), secrets.token_hex(8)
        expiry = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 900))
        data = {"token-id": token[0], "token-secret": token[1], "usage-bootstrap-authentication": "true"}
        self._ensure(
            "/api/v1/namespaces/kube-system/secrets",
            {
                "metadata": {"name": f"bootstrap-token-{token[0]}"},
                "type": "bootstrap.kubernetes.io/token",
                "stringData": {**data, "expiration": expiry},
            },
        )
        self._ensure(
            "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
            {
                "metadata": {"name": "provider-tests"},
                "roleRef": {
                    "apiGroup": "rbac.authorization.k8s.io",
                    "kind": "ClusterRole",
                    "name": "system:node-bootstrapper",
                },
                "subjects": [
                    {"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "system:bootstrappers"}
                ],
            },
        )
        authority = base64.b64encode(self._authority().encode()).decode()
        cluster = {"server": self._facts["cluster"]["endpoint"], "certificate-authority-data": authority}
        return yaml.safe_dump(
            {
                "apiVersion": "v1",
                "kind": "Config",
                "current-context": "bootstrap",
                "clusters": [{"name": "bootstrap", "cluster": cluster}],
                "users": [{"name": "bootstrap", "user": {"token": ".".join(token)}}],
                "contexts": [{"name": "bootstrap", "context": {"cluster": "bootstrap", "user": "bootstrap"}}],
            }
        )

    def _approve(self, done: threading.Event) -> None:
        while not done.wait(_POLL):
            try:
                for request in self._client.list(_CSRS).items:
                    if not (request.get("status") or {}).get("conditions"):
                        condition = {"type": "Approved", "status": "True", "reason": "Test"}
                        body = {**request, "status": {"conditions": [condition]}}
                        self._client.replace(f"{_CSRS}/{request['metadata']['name']}/approval", body)
            except KubeError:
                continue

    def _ensure(self, path: str, body: dict[str, Any]) -> None:
        try:
            self._client.create(path, body)
        except AlreadyExists:
            return

    def _authority(self) -> str:
        cluster = yaml.safe_load(Path(self._kubeconfig).read_text())["clusters"][0]["cluster"]
        return base64.b64decode(cluster["certificate-authority-data"]).decode()
