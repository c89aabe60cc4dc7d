# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which cgroup driver a container runtime is configured for. Private to configok.node.

Read from the runtime's own files: the runtime itself is asked by the kubelet only, from Kubernetes 1.31 on.
"""

from __future__ import annotations

import os
import re

from ._files import below, text_of

__all__ = ["runtime_driver"]

_CONTAINERD = "etc/containerd/config.toml"
_CRIO = "etc/crio/crio.conf"
_SYSTEMD_CGROUP = re.compile(r"^\s*SystemdCgroup\s*=\s*(true|false)\b", re.MULTILINE)
_IMPORTS = re.compile(r"^\s*imports\s*=\s*\[\s*[^\]\s]", re.MULTILINE)
_CGROUP_MANAGER = re.compile(r"^\s*cgroup_manager\s*=\s*\"(systemd|cgroupfs)\"", re.MULTILINE)


def runtime_driver(runtime: str, root: str = "/") -> str:
    """Return "systemd" or "cgroupfs", "" where the config of the runtime ("containerd", "cri-o") does not say."""
    if runtime == "containerd":
        return _of_containerd(text_of(root, _CONTAINERD))
    if runtime == "cri-o":
        return _of_crio([text_of(root, path) for path in (_CRIO, *_crio_drop_ins(root))])
    return ""


def _of_containerd(text: str) -> str:
    """Read what all runtimes in the config agree on; "" where they do not, where other files join in, or none says."""
    said = set(_SYSTEMD_CGROUP.findall(text))
    if len(said) != 1 or _IMPORTS.search(text):
        return ""
    return "systemd" if said == {"true"} else "cgroupfs"


def _crio_drop_ins(root: str) -> list[str]:
    """The files of CRI-O's drop-in directory in the order in which it reads them."""
    directory = f"{_CRIO}.d"
    try:
        return [f"{directory}/{name}" for name in sorted(os.listdir(below(root, directory)))]
    except OSError:
        return []


def _of_crio(texts: list[str]) -> str:
    """Read what the last file that says it says."""
    said = [one for text in texts for one in _CGROUP_MANAGER.findall(text)]
    return said[-1] if said else ""
