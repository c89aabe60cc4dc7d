# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Asks real components whether they take files and flags, which they read before they speak to anything else."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from ports import free_port

from support.api.binaries import find
from support.api.pki import Authority

__all__ = ["ApiServerFiles", "refusal_of_client"]

_FLAGS = {
    "EncryptionConfiguration": ["--encryption-provider-config={file}"],
    "EgressSelectorConfiguration": ["--egress-selector-config-file={file}"],
    "Policy": ["--audit-policy-file={file}", "--audit-log-path=-"],
    "AdmissionConfiguration": ["--admission-control-config-file={file}"],
}
"""How each kind of file is given to the API server."""
_OFF = ("EventRateLimit", "PodTolerationRestriction")
"""Admission plugins that read a configuration and have to be turned on for that."""

_TAKEN = "validating admission controller(s) successfully"
"""The last line that it writes before it waits for etcd."""
_DIALS = "createTransport failed to connect"
"""What it writes once it looks for etcd: all flags are taken by then, and newer releases write nothing else."""


class ApiServerFiles:
    """Starts one API server for each question, without an etcd."""

    def __init__(self, directory: Path) -> None:
        """Keep files in `directory`. Raises Unavailable where there is no kube-apiserver."""
        self._program = find("kube-apiserver")
        self._directory = directory
        directory.mkdir(parents=True, exist_ok=True)
        authority = Authority(directory / "pki")
        certificate, key = authority.issue_files("server", "server", addresses=["127.0.0.1"])
        self.flags = [
            "--etcd-servers=http://127.0.0.1:1",
            "--bind-address=127.0.0.1",
            "--advertise-address=127.0.0.1",
            f"--secure-port={free_port()}",
            f"--tls-cert-file={certificate}",
            f"--tls-private-key-file={key}",
            f"--cert-dir={directory / 'generated'}",
            "--service-account-issuer=https://configok.test",
            f"--service-account-key-file={key}",
            f"--service-account-signing-key-file={key}",
            "--service-cluster-ip-range=10.0.0.0/24",
        ]

    def refuses(self, kind: str, text: str, seconds: float = 60.0) -> str | None:
        """Return what the API server says against a file of that kind, or None if it accepts the file."""
        file = self._directory / "file.yaml"
        file.write_text(text, encoding="utf-8")
        flags = [flag.format(file=file) for flag in _FLAGS[kind]]
        plugins = [name for name in _OFF if f"name: {name}\n" in text]
        if plugins:
            flags.append(f"--enable-admission-plugins={','.join(plugins)}")
        return self._answer(flags, _TAKEN, seconds)

    def refuses_flags(self, flags: Sequence[str], seconds: float = 60.0) -> str | None:
        """Return what the API server says against flags, or None if it accepts them."""
        return self._answer(flags, _DIALS, seconds)

    def _answer(self, flags: Sequence[str], taken: str, seconds: float) -> str | None:
        log = self._directory / "log"
        with log.open("wb") as stream:
            process = subprocess.Popen(
                [self._program, *self.flags, *flags], stdout=stream, stderr=stream, cwd=self._directory
            )
        deadline = time.monotonic() + seconds
        try:
            while process.poll() is None:
                if taken in log.read_text(encoding="utf-8", errors="replace"):
                    return None
                if time.monotonic() > deadline:
                    raise TimeoutError(
                        f"kube-apiserver neither took nor refused {' '.join(flags)} within {seconds:.0f} s"
                    )
                time.sleep(0.05)
        finally:
            process.kill()
            process.wait()
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
        return lines[-1] if lines else "nothing"


def refusal_of_client(component: str, flags: Sequence[str], kubeconfig: Path) -> str | None:
    """Return what a client of the API server says against flags, or None if it continues with its kubeconfig.

    component: kube-controller-manager or kube-scheduler. kubeconfig: a path of no file; the component writes
    into its folder. Raises Unavailable without the component.
    """
    command = [str(find(component)), f"--kubeconfig={kubeconfig}", *flags]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, cwd=kubeconfig.parent)
    lines = [line for line in f"{ended.stdout}{ended.stderr}".splitlines() if line.strip()]  # help follows an error
    last = lines[-1] if lines else "nothing"
    return None if f"stat {kubeconfig}" in last else last
