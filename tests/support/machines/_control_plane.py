# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A control plane on one or more nodes, as kubeadm makes it: static Pods of the real components."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import yaml

from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Client
from ansible_collections.configok.node.plugins.module_utils._kube.api_paths import pods
from ansible_collections.configok.node.plugins.module_utils._kube.credentials import from_kubeconfig
from support.ansible_runs.playbooks import PlaybookRun, finish, start
from support.api.binaries import find, find_or_build, release_of
from support.session.patience import LONGEST_WAIT

from ._commands import run
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
_COMPONENTS = ("kube-apiserver", "kube-controller-manager", "kube-scheduler")
_BUILT = (*_COMPONENTS, "kubeadm")
_LONGEST_ROLLOUT = 900.0  # seconds; a leader is observed for two minutes
_PKI = "/etc/kubernetes/pki"
# What kubeadm's --upload-certs gives the next control-plane node.
_SHARED = (
    "ca.crt",
    "ca.key",
    "sa.key",
    "sa.pub",
    "front-proxy-ca.crt",
    "front-proxy-ca.key",
    "etcd/ca.crt",
    "etcd/ca.key",
)
# Several members on two processors need more time than the defaults leave them.
_PATIENT_ETCD = {"heartbeat-interval": "500", "election-timeout": "5000"}
_PATIENT_LEADER = {
    "leader-elect-lease-duration": "60s",
    "leader-elect-renew-deadline": "40s",
    "leader-elect-retry-period": "5s",
}


class ControlPlane:
    """The control plane of a cluster of its own, on nodes whose kubelets have left the testbed's API server.

    Each kubelet speaks to the API server of its own node, and the user's kubeconfig names the one of the first node.
    """

    def __init__(self, bed: Testbed, nodes: Sequence[Node] = ()) -> None:
        """Turn nodes, by default all of the testbed, into a cluster of their own; wait until its API servers are ready.

        Raises Unavailable if a binary is missing.
        """
        self.nodes = list(nodes or bed.nodes)
        self._bed = bed
        self.kubeconfig = bed.state / "control-plane.conf"
        self._programs = {"etcd": find("etcd"), **dict(zip(_BUILT, find_or_build(*_BUILT)))}
        self._release = f"v{release_of(self._programs['kubeadm'])}"
        for node in self.nodes:
            self._prepare(node)
            if node is not self.node:
                self._share_authorities(node)
            for phase in _PHASES:
                self._run_phase(node, *phase)
            for component in _COMPONENTS:
                self._adapt(node, component)
        for node in self.nodes:  # only now: one member of etcd alone has no leader
            node.run(["systemctl", "start", "kubelet.service"])
        self.kubeconfig.write_text(self.node.read("/etc/kubernetes/admin.conf"))
        self.client = Client(from_kubeconfig(str(self.kubeconfig)))
        for node in self.nodes:
            self.wait_ready(node=node)
            self._run_phase(node, "mark-control-plane")

    @property
    def node(self) -> Node:
        """The first node, which is the only one of most tests."""
        return self.nodes[0]

    def _prepare(self, node: Node) -> None:
        """Stop the kubelet, and give the node the images and kubeadm."""
        node.write(CONTROL_GROUPS_UNIT, CONTROL_GROUPS, mode=0o644)
        node.run(["systemctl", "enable", "--quiet", "--now", Path(CONTROL_GROUPS_UNIT).name])
        node.run(["systemctl", "stop", "kubelet.service"])
        node.run(["sh", "-c", f"rm -rf {CERTIFICATE} {_PKI} /etc/kubernetes/*.conf"])
        import_image(node.machine, _PAUSE, Path(shutil.which("sleep") or "/usr/bin/sleep"), ("sleep", "infinity"))
        for name in STATIC_PODS:
            import_image(node.machine, self._image(name), self._programs[name])
        shutil.copy2(self._programs["kubeadm"], node.machine.view / "usr/bin/kubeadm")

    def _image(self, name: str) -> str:
        tag = _TAG if name == "etcd" else f"v{release_of(self._programs[name])}"
        return f"{_REPOSITORY}/{name}:{tag}"

    def _adapt(self, node: Node, component: str) -> None:
        """Change a manifest of kubeadm for a component of another release, which does not know all of its flags."""
        release = release_of(self._programs[component])
        if f"v{release}" == self._release:
            return
        words = [str(self._programs[component]), "--help"]
        known = set(re.findall(r"--([a-z0-9-]+)", run(words, timeout=LONGEST_WAIT).stdout))
        path = f"{MANIFESTS}/{component}.yaml"
        manifest = yaml.safe_load(node.read(path))
        (container,) = manifest["spec"]["containers"]
        program, *arguments = container["command"]
        own = [word for word in arguments if word.lstrip("-").partition("=")[0] in known]
        container.update(command=[program, *own], image=self._image(component))
        node.write(path, yaml.safe_dump(manifest))

    def _share_authorities(self, node: Node) -> None:
        """Give a node the certificate authorities of the first one."""
        for name in _SHARED:
            node.write(f"{_PKI}/{name}", self.node.read(f"{_PKI}/{name}"))

    def _run_phase(self, node: Node, *phase: str, release: str = "") -> None:
        node.write(_CONFIG, yaml.safe_dump_all(_kubeadm_config(node, self.nodes, release or self._release)))
        node.run(["kubeadm", "init", "phase", *phase, f"--config={_CONFIG}"], timeout=LONGEST_WAIT)

    def wait_ready(self, timeout: float = LONGEST_WAIT, *, node: Node | None = None) -> None:
        """Wait until the API server of a node, by default the first, is ready, and knows the Node."""
        node = node or self.node
        own = Client(from_kubeconfig(str(self.kubeconfig))._replace(server=f"https://{node.address}:6443"))
        with own:
            node.wait(
                "ready API server with the Node", lambda: own.get(f"/api/v1/nodes/{node.name}"), timeout, poll=0.5
            )

    def wait_reported(self) -> None:
        """Wait until the kubelets report each static Pod as Ready, which may take them a minute or two."""
        self.node.wait("Ready control-plane Pods", self._are_reported, 3 * LONGEST_WAIT, poll=1.0)

    def _are_reported(self) -> bool:
        listed = self.client.list(pods("kube-system"), label_selector="tier=control-plane").items
        ready = [pod for pod in listed if _is_ready(pod)]
        return len(ready) == len(STATIC_PODS) * len(self.nodes)

    def upgrade(self, component: str, release: str) -> str:
        """Have kubeadm write the manifest of a component for a release, as its upgrade does; return the image.

        The image has the same program as before.
        """
        image = f"{_REPOSITORY}/{component}:{release}"
        import_image(self.node.machine, image, self._programs[component])
        self._run_phase(self.node, "control-plane", component.partition("-")[2], release=release)
        return image

    def play(
        self, playbook: str, variables: Mapping[str, Any], *, check: bool = False, node: Node | None = None
    ) -> PlaybookRun:
        """Run a playbook of the collection for a node of this cluster, by default the first; ignore its outcome."""
        name, kubeconfig = (node or self.node).name, str(self.kubeconfig)
        return self._bed.play(playbook, name, variables, check=check, kubeconfig=kubeconfig)

    def write_host_variables(self, variables: Mapping[str, Any], *, node: Node | None = None) -> None:
        """Give a node variables in the inventory."""
        file = self._bed.inventory.parent / "host_vars" / f"{(node or self.node).name}.yml"
        file.parent.mkdir(exist_ok=True)
        file.write_text(yaml.safe_dump(dict(variables)))

    def rollout(self, pool: Mapping[str, Any]) -> PlaybookRun:
        """Run the playbook rollout with a pool file, and ignore its outcome."""
        return self.operate("rollout", pool)

    def operate(self, playbook: str, pool: Mapping[str, Any], **variables: str) -> PlaybookRun:
        """Run a playbook of rollouts with a pool file and other variables, and ignore its outcome."""
        file = self._bed.state / "pool.yml"
        file.write_text(yaml.safe_dump(dict(pool)))
        extra = [word for name, value in variables.items() for word in ("-e", f"{name}={value}")]
        words = [f"configok.node.{playbook}", "-e", f"@{file}", *extra]
        running = start(words, directory=self._bed.state, kubeconfig=str(self.kubeconfig))
        return finish(running, timeout=_LONGEST_ROLLOUT)

    def pids(self, node: Node | None = None) -> dict[str, int]:
        """Return the process of each component that runs, by its number on the node."""
        return {name: pid for pid, (name, *_words) in self._commands(node).items() if name in STATIC_PODS}

    def process(self, component: str, node: Node | None = None) -> list[str]:
        """Return the arguments of a component's newest process, [] if it does not run.

        An API server that ends may still serve its last requests.
        """
        running = [(pid, words) for pid, (name, *words) in self._commands(node).items() if name == component]
        return max(running, default=(0, []))[1]

    def _commands(self, node: Node | None) -> dict[int, list[str]]:
        """Return the name of the program and the arguments of each process."""
        commands = {}
        for file in ((node or self.node).machine.view / "proc").glob("[0-9]*/cmdline"):
            with suppress(OSError):  # it has ended meanwhile
                program, *words = file.read_text().split("\0")
                commands[int(file.parent.name)] = [Path(program).name, *words[:-1]]
        return commands

    def manifests(self, node: Node | None = None) -> dict[str, bytes]:
        """Return the files of the kubelet's folder by name."""
        folder = (node or self.node).machine.view / MANIFESTS.lstrip("/")
        return {path.name: path.read_bytes() for path in folder.iterdir()}


def _is_ready(pod: Mapping[str, Any]) -> bool:
    conditions = pod["status"].get("conditions") or ()
    return any(condition["type"] == "Ready" and condition["status"] == "True" for condition in conditions)


def _kubeadm_config(node: Node, nodes: Sequence[Node], release: str) -> list[dict[str, Any]]:
    minor = int(release.split(".")[1])
    version = "v1beta2" if minor < 22 else "v1beta3" if minor < 31 else "v1beta4"
    head = {"apiVersion": f"kubeadm.k8s.io/{version}"}

    def flags(values: Mapping[str, str]) -> dict[str, Any]:
        if len(nodes) == 1:
            return {}
        if version == "v1beta4":
            return {"extraArgs": [{"name": name, "value": value} for name, value in values.items()]}
        return {"extraArgs": dict(values)}

    members = ",".join(f"{member.name}=https://{member.address}:2380" for member in nodes)
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
            "etcd": {"local": {"imageTag": _TAG, **flags({"initial-cluster": members, **_PATIENT_ETCD})}},
            "controllerManager": flags(_PATIENT_LEADER),
            "scheduler": flags(_PATIENT_LEADER),
        },
    ]
