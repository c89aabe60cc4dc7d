# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The kubelet's unit in the common layouts.

kubeadm           10-kubeadm.conf, flags in variables, kubeadm-flags.env and /etc/default/kubelet, as kubeadm's packages
plain             one ExecStart with all flags
variable          all flags in one variable, set by Environment=
environment-file  the same variable, set by an EnvironmentFile=, which wins over any Environment=

A machine that is bare has no kubelet. One with the control plane has kubeadm's layout, and is a cluster of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["BARE", "CONFIG_PATHS", "CONTROL_PLANE", "LAYOUTS", "unit_files"]

LAYOUTS = ("kubeadm", "plain", "variable", "environment-file")
BARE = "bare"
CONTROL_PLANE = "control-plane"
# The path of the kubelet's config, by layout.
CONFIG_PATHS = {
    "kubeadm": "/var/lib/kubelet/config.yaml",
    "plain": "/etc/kubernetes/kubelet-config.yaml",
    "variable": "/var/lib/kubelet/config.yaml",
    "environment-file": "/var/lib/kubelet/config.yaml",
}
_UNIT = "/etc/systemd/system/kubelet.service"
_KUBECONFIG = "--kubeconfig=/etc/kubernetes/kubelet.conf"
_HEAD = """[Unit]
Description=kubelet: The Kubernetes Node Agent
Documentation=https://kubernetes.io/docs/
Wants=network-online.target
After=network-online.target containerd.service

[Service]
"""
_TAIL = """Restart=always
StartLimitInterval=0
RestartSec=10

[Install]
WantedBy=multi-user.target
"""
_KUBEADM = """# Note: This dropin only works with kubeadm and kubelet v1.11+
[Service]
Environment="KUBELET_KUBECONFIG_ARGS=--bootstrap-kubeconfig=/etc/kubernetes/bootstrap-kubelet.conf --kubeconfig=/etc/kubernetes/kubelet.conf"
Environment="KUBELET_CONFIG_ARGS=--config=/var/lib/kubelet/config.yaml"
# This is a file that "kubeadm init" and "kubeadm join" generates at runtime, populating the KUBELET_KUBEADM_ARGS variable dynamically
EnvironmentFile=-/var/lib/kubelet/kubeadm-flags.env
# This is a file that the user can use for overrides of the kubelet args as a last resort. Preferably, the user should use
# the .NodeRegistration.KubeletExtraArgs object in the configuration files instead. KUBELET_EXTRA_ARGS should be sourced from this file.
EnvironmentFile=-/etc/default/kubelet
ExecStart=
ExecStart=/usr/bin/kubelet $KUBELET_KUBECONFIG_ARGS $KUBELET_CONFIG_ARGS $KUBELET_KUBEADM_ARGS $KUBELET_EXTRA_ARGS
"""  # noqa: E501 - as kubeadm's package has it


def unit_files(layout: str, flags: Sequence[str]) -> dict[str, str]:
    """Return the unit and its files, by path. flags: those in addition to --config and --kubeconfig."""
    config = f"--config={CONFIG_PATHS[layout]}"
    if layout == "kubeadm":
        return {
            _UNIT: f"{_HEAD}ExecStart=/usr/bin/kubelet\n{_TAIL}",
            f"{_UNIT}.d/10-kubeadm.conf": _KUBEADM,
            "/var/lib/kubelet/kubeadm-flags.env": f'KUBELET_KUBEADM_ARGS="{" ".join(flags)}"\n',
            "/etc/default/kubelet": "KUBELET_EXTRA_ARGS=\n",
        }
    words = [config, _KUBECONFIG, *flags]
    if layout == "plain":
        lines = " \\\n  ".join(["ExecStart=/usr/bin/kubelet", *words])
        return {_UNIT: f"{_HEAD}{lines}\n{_TAIL}"}
    start = "ExecStart=/usr/bin/kubelet $KUBELET_ARGS\n"
    if layout == "variable":
        return {_UNIT: f'{_HEAD}Environment="KUBELET_ARGS={" ".join(words)}"\n{start}{_TAIL}'}
    return {
        _UNIT: f"{_HEAD}EnvironmentFile=-/etc/default/kubelet\n{start}{_TAIL}",
        "/etc/default/kubelet": f'KUBELET_ARGS="{" ".join(words)}"\n',
    }
