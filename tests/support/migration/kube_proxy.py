# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Asks kube-proxy for the config that it makes of flags or of a file: --write-config-to needs no node."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml

from ansible_collections.configok.node.plugins.module_utils._componentconfig._flags._flag_set import flag_set

__all__ = ["command_lines", "effective_config"]

_MODES = ("", "iptables", "ipvs", "nftables")
# By the form of a flag, and by name where a form alone gives no valid value.
_VALUES = {
    "addressPort": "127.0.0.1:99",
    "bool": "true",
    "duration": "42s",
    "float": "5.5",
    "int": "7",
    "ip": "10.1.2.3",
    "list": "10.0.0.0/8,11.0.0.0/8",
    "mapBool": "AllBeta=false",
    "quantity": "1Mi",
    "string": "text",
    "vmodule": "a=2",
}
_NAMED = {
    "cluster-cidr": "10.0.0.0/8",
    "detect-local-mode": "NodeCIDR",
    "iptables-min-sync-period": "9s",
    "ipvs-min-sync-period": "9s",
    "kubeconfig": "/etc/kubernetes/kube-proxy.conf",
    "logging-format": "json",
    "show-hidden-metrics-for-version": "",
}
# They end kube-proxy, name its file or are always given.
_LEFT_OUT = {"cleanup", "config", "help", "init-only", "proxy-mode", "version", "write-config-to"}


def command_lines(minor: int) -> Iterator[tuple[str, ...]]:
    """Yield arguments of kube-proxy: each mode alone, and each flag in each mode."""
    known = flag_set("kube-proxy")
    assert known is not None
    flags = [flag for flag in known.flags.values() if flag.known_at(minor) and flag.name not in _LEFT_OUT]
    for mode in _MODES:
        words = (f"--proxy-mode={mode}",) if mode else ()
        yield words
        for flag in flags:
            yield (*words, f"--{flag.name}={_NAMED.get(flag.name, _VALUES.get(flag.form, 'text'))}")


def effective_config(program: Path, arguments: Sequence[str], directory: Path) -> dict[str, Any] | None:
    """Return the config that kube-proxy makes of its arguments, None if it refuses them."""
    target = directory / "effective.yaml"
    target.unlink(missing_ok=True)
    command = [str(program), *arguments, f"--write-config-to={target}"]
    subprocess.run(command, cwd=directory, capture_output=True, check=False, timeout=20)
    return yaml.safe_load(target.read_text()) if target.exists() else None
