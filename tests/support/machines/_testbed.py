# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A testbed: some real nodes and a real API server on a bridge of their own, until it is stopped."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from ansible_collections.configok.node.plugins.module_utils._cluster.access import Access
from ansible_collections.configok.node.plugins.module_utils._kube import api_paths as paths
from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import AlreadyExists
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import ConfigSource
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle import build_bundle
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle_trial import Trial
from ansible_collections.configok.node.plugins.module_utils._rollout._nodes.node_access import assign_nodes
from support.ansible_runs import playbooks
from support.api.binaries import Unavailable, find, find_or_build, minor_of
from support.api.bootstrap import Signer
from support.api.clusters import prepare
from support.api.servers import start_real
from support.session.guard import unmarked_environment
from support.session.patience import LONGEST_WAIT

from ..api.namespaces import finish_deletions
from . import _sweep
from ._commands import CommandFailed, run
from ._machine import Machine
from ._network import Network
from ._node import Node, NodeSpec
from ._node_files import (
    CERTIFICATE,
    CLUSTER_NETWORK,
    KUBECONFIG,
    bare_files,
    identity_files,
    kubelet_config,
    kubernetes_files,
    provider_fields,
)
from ._package_server import PackageServer
from ._packages import Repository, repository
from ._tree import tree
from ._workloads import control_workloads

__all__ = ["Testbed"]

_PRIVATE = (KUBECONFIG, CERTIFICATE, "/root/.ssh/authorized_keys")
_KUBERNETES_KEY = "/etc/apt/keyrings/kubernetes.asc"
# Of kube-controller-manager, for machines that become nodes: certificates are signed, but only approved by the user.
_CONTROLLERS = ("csrsigning", "csrcleaner", "tokencleaner")
_ADMINISTRATORS = {"kind": "Group", "name": "system:masters"}


class Testbed:
    """Real nodes on a real API server. `start` creates one; `stop` and the end of the run remove all of it."""

    __test__ = False  # not a class of tests, despite its name

    def __init__(
        self, name: str, nodes: Sequence[NodeSpec], *, prepare_cluster: bool, feature_gates: Mapping[str, bool]
    ) -> None:
        """Store the parts; use `start` to create a testbed."""
        self.name = name
        self._kubelet = _find_kubelet()
        self.minor = minor_of("kubelet")
        for number in _sweep.dead_numbers():
            _sweep.sweep(number)
        self.number = _sweep.claim(os.getpid())
        self.state = _sweep.DIRECTORY / str(self.number)
        guard = Path(_sweep.__file__)
        # In its own session: a signal that ends the run must not end the guard.
        self._guard = subprocess.Popen(
            [sys.executable, str(guard), str(self.number), str(os.getpid())],
            env=unmarked_environment(),  # it ends by itself, after the run
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            self._start(nodes, prepare_cluster, feature_gates)
        except BaseException:
            self.stop()
            raise

    @classmethod
    def start(
        cls,
        name: str,
        nodes: int | Sequence[NodeSpec] = 1,
        *,
        distribution: str = "bookworm",
        layout: str = "kubeadm",
        prepare_cluster: bool = True,
        wait: bool = True,
        feature_gates: Mapping[str, bool] | None = None,
    ) -> Testbed:
        """Start an API server and nodes n1, n2, ..., and wait until the Nodes are Ready (unless wait is False).

        With machines that are bare, the cluster signs certificates, and there are packages: see `bare_machines`.

        nodes: their number, with that distribution and layout, or a NodeSpec for each. prepare_cluster: create the
        namespaces and the access of nodes, as the role cluster does. feature_gates: of the API server. Raises
        Unavailable, with the reason, if this machine cannot run a testbed.
        """
        if isinstance(nodes, int):
            nodes = [NodeSpec(f"n{i}", distribution, layout) for i in range(1, nodes + 1)]
        bed = cls(name, nodes, prepare_cluster=prepare_cluster, feature_gates=feature_gates or {})
        try:
            if wait:
                for node in bed.nodes:
                    if not node.spec.is_bare:
                        node.wait_ready(180)
        except BaseException:
            bed.stop()
            raise
        return bed

    def __enter__(self) -> Testbed:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.stop()

    def _start(self, specs: Sequence[NodeSpec], prepare_cluster: bool, feature_gates: Mapping[str, bool]) -> None:
        (self.state / "name").write_text(self.name)
        layers = {spec: [tree(spec.distribution, "bare" if spec.is_bare else "node")] for spec in specs}
        repositories = {spec.distribution: repository(spec.distribution) for spec in specs if spec.is_bare}
        controllers = _controllers() if repositories else ()
        self._network = Network(self.number)
        self.inventory = self.state / "inventory.yml"
        self._key = self.state / "ssh-key"
        run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "configok-tests", "-f", str(self._key)])
        layer = self._kubernetes_layer()
        self.nodes: list[Node] = []
        machines = [
            Machine(
                spec.name,
                self.state / spec.name,
                [*([] if spec.is_bare else [layer]), *layers[spec]],
                self._network.attach(),
            )
            for spec in specs
        ]
        self.api = start_real(
            self.state / "api", address=self._network.address, feature_gates=feature_gates, controllers=controllers
        )
        self.client = self.api.client()
        if repositories and not controllers:
            self._signer = Signer(self.api.client(), self.api.authority)
            self._signer.__enter__()
        self.kubeconfig = self.api.admin_kubeconfig
        self.shared_config = self.state / "kubelet.yaml"
        self.shared_config.write_text(yaml.safe_dump(kubelet_config(self.minor)))
        if repositories:
            places = {name: packages.directory for name, packages in repositories.items()}
            self._packages = PackageServer(self.state / "packages", self._network.address, places)
        self.bare_machines = self.state / "bare.yml"
        self.bare_machines.write_text(yaml.safe_dump(self._bare_facts(repositories), sort_keys=False))
        if prepare_cluster:
            # Machines can only become nodes once there are subjects that may create them.
            prepare(self.client, Access(machine_subjects=[_ADMINISTRATORS] if repositories else None))
        for spec, machine in zip(specs, machines):
            node = Node(spec, machine, self.client, self.play)
            self.nodes.append(node)
            self._furnish(node)
            machine.switch_on()
        self._write_inventory()
        for machine in machines:
            machine.wait_booted()

    def stop(self) -> None:
        """Remove everything. May be called twice."""
        if hasattr(self, "client"):
            self.client.close()
        if hasattr(self, "_packages"):
            self._packages.stop()
        if hasattr(self, "_signer"):
            self._signer.__exit__()
        if hasattr(self, "api"):
            self.api.kill()
        _sweep.sweep(self.number)
        self._guard.kill()
        self._guard.wait()

    def tend(self) -> None:
        """Do once what machines and controllers do all the time: restart, finish, replace. Raises KubeError.

        Only testbeds that are kept for playbooks need it; a test does what it needs by itself.
        """
        for node in self.nodes:
            node.machine.restart_if_rebooted()
        finish_deletions(self.client)
        control_workloads(self.client)

    @property
    def address(self) -> str:
        """The address at which the nodes reach this machine."""
        return self._network.address

    def node(self, name: str) -> Node:
        """Return the node with this name."""
        return next(node for node in self.nodes if node.name == name)

    def publish(
        self,
        documents: Mapping[str, Mapping[str, Any] | str],
        *,
        pool: str = "pool",
        trial: Mapping[str, Any] | None = None,
    ) -> ConfigSource:
        """Publish a bundle and return its config source; the same documents give the same one.

        documents: component -> its whole document as text, or for the kubelet the fields that differ from the config
        that all nodes of a testbed share. trial: trialDuration and crashLoopThreshold. Only the nodes validate it.
        """
        texts = {
            name: document if isinstance(document, str) else yaml.safe_dump(kubelet_config(self.minor, document))
            for name, document in documents.items()
        }
        criteria = dict(trial or {})
        allowed = Trial.of(criteria.pop("trialDuration", None), criteria.pop("crashLoopThreshold", None))
        if criteria:
            raise ValueError(f"a trial has trialDuration and crashLoopThreshold, not {', '.join(criteria)}")
        bundle = build_bundle(pool, texts, trial=None if trial is None else allowed)
        namespace, name = bundle["metadata"]["namespace"], bundle["metadata"]["name"]
        try:
            stored = self.client.create(paths.config_maps(namespace), bundle)
        except AlreadyExists:
            stored = self.client.get(paths.config_map(namespace, name))
        return ConfigSource(namespace, name, stored["metadata"]["uid"])

    def assign(self, node: Node, source: ConfigSource | None, *, forget_bad: bool = False) -> int:
        """Assign a config source, or None for the init config, to a node; return the id of the assignment."""
        (done,) = assign_nodes(self.client, source, names=[node.name], forget_bad=forget_bad)
        if done.error:
            raise CommandFailed(done.error)
        return done.assignment

    def join_with_kubeadms_layout(self, node: Node, *, kubelet: str, runtime: str) -> list[str]:
        """Make a bare machine a node as an administrator does with packages and kubeadm; return the files of that.

        kubelet, runtime: the versions of the packages, of which the kubelet's is on hold. kubeadm's drop-in is where
        its package has it since 1.28. The certificate takes the place of a token.
        """
        facts = yaml.safe_load(self.bare_machines.read_text())["machines"][node.spec.distribution]["provider"]
        source = facts["packages"]["source"].replace("deb ", f"deb [signed-by={_KUBERNETES_KEY}] ")
        files = {
            _KUBERNETES_KEY: facts["packages"]["key"],
            "/etc/apt/sources.list.d/kubernetes.list": f"{source}\n",
        }
        for path, text in files.items():
            node.write(path, text, mode=0o644)
        node.run(["apt-get", "-qq", "update"], timeout=LONGEST_WAIT)
        packages = [f"kubelet={kubelet}", f"containerd={runtime}", *facts["packages"]["extra"]]
        node.run(["apt-get", "-qq", "--yes", "--no-install-recommends", "install", *packages], timeout=300)
        node.run(["apt-mark", "hold", "kubelet"])
        unit = "/etc/systemd/system/kubelet.service"
        kubernetes = kubernetes_files(address=node.address, **self._kubernetes("kubeadm"))
        del kubernetes[unit]  # the package has it
        for path, text in kubernetes.items():
            files[path.replace(unit, "/usr/lib/systemd/system/kubelet.service")] = text
        files[CERTIFICATE] = self.certificate(node)
        for path, text in files.items():
            node.write(path, text, mode=_mode(path))
        node.run(["systemctl", "daemon-reload"])
        node.run(["systemctl", "enable", "--quiet", "containerd.service", "kubelet.service"])
        node.run(["systemctl", "restart", "containerd.service", "kubelet.service"])
        node.wait_ready()
        return list(files)

    def certificate(self, node: Node, **lifetime: Any) -> str:
        """Return a new client certificate and key of a node, in the format of CERTIFICATE. lifetime: see pki."""
        certificate, key = self.api.authority.issue(f"system:node:{node.name}", ["system:nodes"], **lifetime)
        return (certificate + key).decode()

    def _furnish(self, node: Node) -> None:
        """Write the files of a node before its first boot."""
        identity = {
            "name": node.name,
            "address": node.address,
            "authorized_key": self._key.with_suffix(".pub").read_text(),
        }
        if node.spec.is_bare:
            for path, text in bare_files(**identity).items():
                node.write(path, text, mode=_mode(path))
            node.run(["systemctl", "enable", "--quiet", "control-groups.service", "ssh.service"])
            return
        kubernetes = kubernetes_files(address=node.address, **self._kubernetes(node.spec.unit_layout))
        files = {**identity_files(**identity), **kubernetes}
        for path, text in {**files, CERTIFICATE: self.certificate(node)}.items():
            node.write(path, text, mode=_mode(path))
        node.run(["systemctl", "enable", "--quiet", "kubelet.service", "containerd.service", "ssh.service"])

    def _kubernetes(self, layout: str) -> dict[str, Any]:
        """Return what the files of a node in that layout say of Kubernetes."""
        ca = self.api.authority.ca_file.read_text()
        return {"layout": layout, "kubelet_minor": self.minor, "server": self.api.url, "ca": ca}

    def _bare_facts(self, repositories: Mapping[str, Repository]) -> dict[str, Any]:
        """Return what machines that are bare need to become nodes.

        By distribution: `provider`, the fields of a DebianHost; `kubelets` and `runtimes`, see `Repository`. For all:
        `cluster`, the fields of their Cluster.
        """
        machines = {
            distribution: {
                "provider": provider_fields(
                    self.minor, source=f"deb {self._packages.url}/{distribution} ./", key=packages.key
                ),
                "kubelets": list(packages.kubelets),
                "runtimes": list(packages.runtimes),
                "notes": list(packages.notes),
            }
            for distribution, packages in repositories.items()
        }
        cluster = {"endpoint": self.api.url, "kubernetesVersion": self.api.version, "network": CLUSTER_NETWORK}
        return {"cluster": cluster, "machines": machines}

    def _kubernetes_layer(self) -> Path:
        """Create the layer with the nodes' Kubernetes files; the kubelet is a hard link to the cached binary."""
        layer = self.state / "kubernetes"
        target = layer / "usr/bin/kubelet"
        target.parent.mkdir(parents=True)
        for directory in (layer, layer / "usr", layer / "usr/bin"):
            directory.chmod(0o755)
        try:
            os.link(self._kubelet, target)
        except OSError:  # another file system
            shutil.copy2(self._kubelet, target)
        return layer

    def _write_inventory(self) -> None:
        options = "-o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR"
        hosts: dict[str, dict[str, Any]] = {"nodes": {}, "bare": {}, "control_plane": {}}
        for node in self.nodes:
            hosts[node.spec.group][node.name] = {"ansible_host": node.address}
            if node.spec.is_bare:
                hosts["bare"][node.name]["distribution"] = node.spec.distribution
        variables = {
            "ansible_user": "root",
            "ansible_ssh_private_key_file": str(self._key),
            "ansible_ssh_common_args": options,
            "ansible_python_interpreter": "/usr/bin/python3",
        }
        groups = {name: {"hosts": members, "vars": variables} for name, members in hosts.items()}
        self.inventory.write_text(yaml.safe_dump({"all": {"children": groups}}))

    def play(
        self,
        playbook: str,
        host: str,
        variables: Mapping[str, Any],
        *,
        check: bool = False,
        diff: bool = False,
        kubeconfig: str = "",
    ) -> playbooks.PlaybookRun:
        """Run a playbook of the collection for a node. kubeconfig: of a cluster that is not the testbed's."""
        arguments = [f"configok.node.{playbook}", "-i", str(self.inventory)]
        arguments += [
            "-e",
            yaml.safe_dump({"provision_hosts": host, **variables}, default_flow_style=True, width=10**6),
        ]
        arguments += ["--check"] if check else []
        arguments += ["--diff"] if diff else []
        run = playbooks.finish(
            playbooks.start(arguments, directory=self.state, kubeconfig=kubeconfig or self.kubeconfig)
        )
        if playbook == "remove" and not kubeconfig:  # the testbed's has no controller that deletes a namespace
            finish_deletions(self.client)
        return run


def _mode(path: str) -> int:
    return 0o600 if path in _PRIVATE else 0o644


def _controllers() -> Sequence[str]:
    """Return what kube-controller-manager runs, nothing if this machine has none of the API server's minor."""
    find_or_build("kube-controller-manager")
    return _CONTROLLERS if minor_of("kube-controller-manager") == minor_of("kube-apiserver") else ()


def _find_kubelet() -> Path:
    """Return the kubelet's path. Raises Unavailable if this machine cannot run nodes."""
    advice = "tests/support/bin/prepare-nodes makes it available"
    if os.geteuid() != 0:
        raise Unavailable("test nodes need root (mounts, network namespaces, containers)")
    for program in ("systemd-nspawn", "nsenter", "ip", "ssh-keygen"):
        if shutil.which(program) is None:
            raise Unavailable(f"{program} was not found on PATH ({advice})")
    return find("kubelet")
