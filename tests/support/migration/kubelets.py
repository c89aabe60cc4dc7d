# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A test node on which kubelets are started with flags of ours, each asked for its /configz."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from support.machines import CERTIFICATE, KUBECONFIG, Node

__all__ = ["Kubelets", "Run"]

_SCRIPT = "/usr/local/lib/migration.py"
_OWN_CERTIFICATE = "/etc/kubernetes/own.pem"


class Run(NamedTuple):
    """A start of the kubelet: the words behind the program, files by path, and the port it serves on."""

    name: str
    words: Sequence[str]
    files: Mapping[str, str]
    port: int = 10250


class Kubelets:
    """A node whose own kubelet is stopped, and that starts others, each in a network of its own."""

    def __init__(self, node: Node, *, workers: int = 8) -> None:
        """workers: how many kubelets at a time; most of a start is waiting."""
        self._node = node
        self._workers = workers
        node.run(["systemctl", "stop", "kubelet"])
        kubeconfig = json.loads(node.read(KUBECONFIG))
        kubeconfig["clusters"][0]["cluster"] = {"server": "https://127.0.0.1:6443", "insecure-skip-tls-verify": True}
        kubeconfig["users"][0]["user"] = {"client-certificate": _OWN_CERTIFICATE, "client-key": _OWN_CERTIFICATE}
        node.write(_OWN_CERTIFICATE, node.read(CERTIFICATE))
        node.write(KUBECONFIG, json.dumps(kubeconfig))
        node.write(_SCRIPT, (Path(__file__).parent / "_on_node.py").read_text(encoding="utf-8"))

    def help(self) -> str:
        """Return what the kubelet prints of its flags."""
        return self._node.run(["kubelet", "--help"]).stdout

    def configs(self, runs: Sequence[Run]) -> dict[str, tuple[dict[str, Any] | None, str]]:
        """Return by name what each kubelet says that it runs with, or None and its last words."""
        request = [[run.name, list(run.words), run.port, dict(run.files)] for run in runs]
        # In a unit of its own: it and all kubelets end with the node.
        done = self._node.run(
            ["systemd-run", "--pipe", "--wait", "--quiet", "--collect", "python3", _SCRIPT],
            timeout=120 + 30 * len(runs),
            text=json.dumps({"workers": self._workers, "runs": request}),
        )
        return {name: (config, last) for name, (config, last) in json.loads(done.stdout).items()}
