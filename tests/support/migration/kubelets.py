# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A test node that starts kubelets with given flags, and gets the /configz of each."""

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
    """A start of the kubelet: its arguments, files by path, and its port."""

    name: str
    words: Sequence[str]
    files: Mapping[str, str]
    port: int = 10250


class Kubelets:
    """A node whose own kubelet is stopped, and that starts others, each in its own network."""

    def __init__(self, node: Node, *, workers: int = 8) -> None:
        """workers: the number of concurrent kubelets; most of a start is waiting."""
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
        """Return the kubelet's help on its flags."""
        return self._node.run(["kubelet", "--help"]).stdout

    def configs(self, runs: Sequence[Run]) -> dict[str, tuple[dict[str, Any] | None, str]]:
        """Return for each run the config that the kubelet reports, or None, and its last output."""
        request = [[run.name, list(run.words), run.port, dict(run.files)] for run in runs]
        # In a separate unit: it and all kubelets end with the node.
        done = self._node.run(
            ["systemd-run", "--pipe", "--wait", "--quiet", "--collect", "python3", _SCRIPT],
            timeout=120 + 30 * len(runs),
            text=json.dumps({"workers": self._workers, "runs": request}),
        )
        return {name: (config, last) for name, (config, last) in json.loads(done.stdout).items()}
