# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A control plane on a node, as kubeadm makes one: static Pods of the real components."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import yaml

from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Client
from ansible_collections.configok.node.plugins.module_utils._kube.credentials import from_kubeconfig
from support.ansible_runs.playbooks import PlaybookRun, finish, start
from support.api.binaries import find, find_or_build, release_of
from support.session.patience import LONGEST_WAIT

from ._images import import_image
from ._node import Node
from ._node_files import CERTIFICATE, CLUSTER_NETWORK, CONTROL_GROUPS, CONTROL_GROUPS_UNIT
from ._testbed import Testbed

__all__ = ["MANIFESTS", "STATIC_PODS", "ControlPlane"]

STATIC_PODS = ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler")
MANIFESTS = "/etc/kubernetes/manifests"
_REPOSITORY = "images.invalid"  # nothing is ever pulled from it
_TAG = "local"  # of etcd, whose version kubeadm does not need to know
_CONFIG = "/etc/kubernetes/kubeadm.yaml"
_PAUSE = "registry.k8s.io/pause:3.6"
_PHASES = (("certs", "all"), ("kubeconfig", "all"), ("etcd", "local"), ("control-plane", "all"))
_BUILT = ("kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubeadm")


class ControlPlane:
    """The control plane of a cluster of its own, on a node whose kubelet has left the testbed's API server."""

    def __init__(self, bed: Testbed) -> None:
        """Turn the testbed's first node into a cluster of its own, and wait until its API server is ready.

        Raises Unavailable if a binary is missing.
        """
        node = bed.nodes[0]
        programs = {"etcd": find("etcd"), **dict(zip(_BUILT, find_or_build(*_BUILT)))}
        self.node = node
        self._bed = bed
        self._kubeconfig = bed.state / "control-plane.conf"
        self._programs = programs
        release = f"v{release_of(programs['kube-apiserver'])}"
        node.write(CONTROL_GROUPS_UNIT, CONTROL_GROUPS, mode=0o644)
        node.run(["systemctl", "enable", "--quiet", "--now", Path(CONTROL_GROUPS_UNIT).name])
        node.run(["systemctl", "stop", "kubelet.service"])
        node.run(["sh", "-c", f"rm -rf {CERTIFICATE} /etc/kubernetes/pki /etc/kubernetes/*.conf"])
        import_image(node.machine, _PAUSE, Path(shutil.which("sleep") or "/usr/bin/sleep"), ("sleep", "infinity"))
        for name in STATIC_PODS:
            tag = _TAG if name == "etcd" else release
            import_image(node.machine, f"{_REPOSITORY}/{name}:{tag}", programs[name])
        shutil.copy2(programs["kubeadm"], node.machine.view / "usr/bin/kubeadm")
        node.write(_CONFIG, yaml.safe_dump_all(_kubeadm_config(node, release)))
        for phase in _PHASES:
            node.run(["kubeadm", "init", "phase", *phase, f"--config={_CONFIG}"], timeout=LONGEST_WAIT)
        node.run(["systemctl", "start", "kubelet.service"])
        self._kubeconfig.write_text(node.read("/etc/kubernetes/admin.conf"))
        self.client = Client(from_kubeconfig(str(self._kubeconfig)))
        self.wait_ready()
        node.run(["kubeadm", "init", "phase", "mark-control-plane", f"--config={_CONFIG}"], timeout=LONGEST_WAIT)

    def wait_ready(self, timeout: float = LONGEST_WAIT) -> None:
        """Wait until the API server of this node is ready, and knows the Node."""
        self.node.wait("ready API server with the Node", self._has_node, timeout, poll=0.5)

    def upgrade(self, component: str, release: str) -> str:
        """Have kubeadm write the manifest of a component for a release, as its upgrade does; return the image.

        The image has the same program as before.
        """
        image = f"{_REPOSITORY}/{component}:{release}"
        import_image(self.node.machine, image, self._programs[component])
        self.node.write(_CONFIG, yaml.safe_dump_all(_kubeadm_config(self.node, release)))
        phase = component.partition("-")[2]
        self.node.run(["kubeadm", "init", "phase", "control-plane", phase, f"--config={_CONFIG}"], timeout=LONGEST_WAIT)
        return image

    def _has_node(self) -> bool:
        return bool(self.client.get(f"/api/v1/nodes/{self.node.name}"))

    def play(self, playbook: str, variables: Mapping[str, Any], *, check: bool = False) -> PlaybookRun:
        """Run a playbook of the collection for this cluster and its node, and ignore its outcome."""
        kubeconfig = str(self._kubeconfig)
        return self._bed.play(playbook, self.node.name, variables, check=check, kubeconfig=kubeconfig)

    def write_host_variables(self, variables: Mapping[str, Any]) -> None:
        """Give the node variables in the inventory."""
        file = self._bed.inventory.parent / "host_vars" / f"{self.node.name}.yml"
        file.parent.mkdir(exist_ok=True)
        file.write_text(yaml.safe_dump(dict(variables)))

    def rollout(self, pool: Mapping[str, Any]) -> PlaybookRun:
        """Run the playbook rollout with a pool file, and ignore its outcome."""
        file = self._bed.state / "pool.yml"
        file.write_text(yaml.safe_dump(dict(pool)))
        words = ["configok.node.rollout", "-e", f"@{file}"]
        return finish(start(words, directory=self._bed.state, kubeconfig=str(self._kubeconfig)))

    def pids(self) -> dict[str, int]:
        """Return the process of each component that runs, by its number on the node."""
        return {name: pid for pid, (name, *_words) in self._commands().items() if name in STATIC_PODS}

    def process(self, component: str) -> list[str]:
        """Return the arguments of a component's newest process, [] if it does not run.

        An API server that ends may still serve its last requests.
        """
        running = [(pid, words) for pid, (name, *words) in self._commands().items() if name == component]
        return max(running, default=(0, []))[1]

    def _commands(self) -> dict[int, list[str]]:
        """Return the name of the program and the arguments of each process."""
        commands = {}
        for file in (self.node.machine.view / "proc").glob("[0-9]*/cmdline"):
            with suppress(OSError):  # it has ended meanwhile
                program, *words = file.read_text().split("\0")
                commands[int(file.parent.name)] = [Path(program).name, *words[:-1]]
        return commands

    def manifests(self) -> dict[str, bytes]:
        """Return the files of the kubelet's folder by name."""
        folder = self.node.machine.view / MANIFESTS.lstrip("/")
        return {path.name: path.read_bytes() for path in folder.iterdir()}


def _kubeadm_config(node: Node, release: str) -> list[dict[str, Any]]:
    minor = int(release.split(".")[1])
    version = "v1beta2" if minor < 22 else "v1beta3" if minor < 31 else "v1beta4"
    head = {"apiVersion": f"kubeadm.k8s.io/{version}"}
    return [
        {
            **head,
            "kind": "InitConfiguration",
            "localAPIEndpoint": {"advertiseAddress": node.address, "bindPort": 6443},
            "nodeRegistration": {"name": node.name, "criSocket": "unix:///run/containerd/containerd.sock"},
        },
        {
            **head,
            "kind": "ClusterConfiguration",
            "kubernetesVersion": release,
            "imageRepository": _REPOSITORY,
            "networking": {"serviceSubnet": CLUSTER_NETWORK["serviceCIDR"], "dnsDomain": CLUSTER_NETWORK["dnsDomain"]},
            "etcd": {"local": {"imageTag": _TAG}},
        },
    ]
