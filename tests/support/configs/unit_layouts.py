# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How kubelets are started in practice: the units of distributions and installers, without what is irrelevant here."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["LAYOUTS", "TARGET", "Layout"]

TARGET = "/var/lib/configok/components/kubelet/config.yaml"


class Layout(NamedTuple):
    """Texts of a unit, its drop-ins and its environment files in order, and the expected result.

    exec_start: the expected command line, empty if a variable is set. arguments: those that the kubelet must get.
    """

    name: str
    texts: tuple[str, ...]
    files: tuple[str, ...]
    config: str
    variable: str
    exec_start: str
    arguments: tuple[str, ...]


_PACKAGED = """\
[Unit]
Description=kubelet: The Kubernetes Node Agent
Documentation=https://kubernetes.io/docs/
Wants=network-online.target

[Service]
ExecStart=/usr/bin/kubelet
Restart=always
StartLimitInterval=0
RestartSec=10

[Install]
WantedBy=multi-user.target
"""

_KUBEADM = """\
# Note: This dropin only works with kubeadm and kubelet v1.11+
[Service]
Environment="KUBELET_KUBECONFIG_ARGS=--bootstrap-kubeconfig=/etc/kubernetes/bootstrap-kubelet.conf --kubeconfig=/etc/kubernetes/kubelet.conf"
Environment="KUBELET_CONFIG_ARGS=--config=/var/lib/kubelet/config.yaml"
# This is a file that "kubeadm init" and "kubeadm join" generates at runtime
EnvironmentFile=-/var/lib/kubelet/kubeadm-flags.env
# This is a file that the user can use for overrides of the kubelet args as a last resort.
EnvironmentFile=-{sysconfig}
ExecStart=
ExecStart=/usr/bin/kubelet $KUBELET_KUBECONFIG_ARGS $KUBELET_CONFIG_ARGS $KUBELET_KUBEADM_ARGS $KUBELET_EXTRA_ARGS
"""  # noqa: E501 - as it is shipped

_KUBEADM_FLAGS = 'KUBELET_KUBEADM_ARGS="--container-runtime-endpoint=unix:///run/containerd/containerd.sock"\n'

_KUBECONFIG = "--kubeconfig=/etc/kubernetes/kubelet.conf"
_BOOTSTRAP = "--bootstrap-kubeconfig=/etc/kubernetes/bootstrap-kubelet.conf"
_RUNTIME = "--container-runtime-endpoint=unix:///run/containerd/containerd.sock"


def _kubeadm(name: str, sysconfig: str, extra: str, *more: str, config: str = "/var/lib/kubelet/config.yaml") -> Layout:
    return Layout(
        name,
        (_PACKAGED, _KUBEADM.format(sysconfig=sysconfig)),
        (_KUBEADM_FLAGS, extra),
        config,
        "KUBELET_CONFIG_ARGS",
        "",
        (_BOOTSTRAP, _KUBECONFIG, f"--config={TARGET}", _RUNTIME, *more),
    )


LAYOUTS = (
    _kubeadm("kubeadm, deb", "/etc/default/kubelet", 'KUBELET_EXTRA_ARGS="--node-ip=10.0.0.7"\n', "--node-ip=10.0.0.7"),
    _kubeadm("kubeadm, rpm", "/etc/sysconfig/kubelet", "KUBELET_EXTRA_ARGS=\n"),
    _kubeadm(
        "kubeadm, the variable overridden by an environment file",
        "/etc/default/kubelet",
        "KUBELET_CONFIG_ARGS='--config /etc/kubernetes/own.yaml'\n",
        config="/etc/kubernetes/own.yaml",
    ),
    Layout(
        "kubespray: all flags in one variable of kubelet.env",
        (
            """\
[Unit]
Description=Kubernetes Kubelet Server
After=containerd.service

[Service]
EnvironmentFile=-/etc/kubernetes/kubelet.env
ExecStart=/usr/local/bin/kubelet \\
\t\t$KUBE_LOGTOSTDERR \\
\t\t$KUBE_LOG_LEVEL \\
\t\t$KUBELET_API_SERVER \\
\t\t$KUBELET_ARGS \\
\t\t$KUBELET_NETWORK_PLUGIN
Restart=always
RestartSec=10s
""",
        ),
        (
            """\
KUBE_LOG_LEVEL="--v=2"
KUBELET_ARGS="--bootstrap-kubeconfig=/etc/kubernetes/bootstrap-kubelet.conf \\
--config=/etc/kubernetes/kubelet-config.yaml \\
--kubeconfig=/etc/kubernetes/kubelet.conf \\
 "
""",
        ),
        "/etc/kubernetes/kubelet-config.yaml",
        "",
        """/usr/local/bin/kubelet \\
\t\t$KUBE_LOGTOSTDERR \\
\t\t$KUBE_LOG_LEVEL \\
\t\t$KUBELET_API_SERVER \\
\t\t$KUBELET_ARGS \\
\t\t$KUBELET_NETWORK_PLUGIN """
        + f"--config={TARGET}",
        (
            "--v=2",
            _BOOTSTRAP,
            "--config=/etc/kubernetes/kubelet-config.yaml",
            _KUBECONFIG,
            f"--config={TARGET}",
        ),
    ),
    Layout(
        "plain: the hard way",
        (
            """\
[Service]
ExecStart=/usr/local/bin/kubelet \\
  --config=/var/lib/kubelet/kubelet-config.yaml \\
  # where the certificates come from
  --kubeconfig=/var/lib/kubelet/kubeconfig \\
  --node-labels="zone=a b" \\
  --v=2
Restart=on-failure
RestartSec=5
""",
        ),
        (),
        "/var/lib/kubelet/kubelet-config.yaml",
        "",
        f"""/usr/local/bin/kubelet \\
  --config={TARGET} \\
  --kubeconfig=/var/lib/kubelet/kubeconfig \\
  --node-labels="zone=a b" \\
  --v=2""",
        (f"--config={TARGET}", "--kubeconfig=/var/lib/kubelet/kubeconfig", "--node-labels=zone=a b", "--v=2"),
    ),
    Layout(
        "EKS AMI, Amazon Linux 2: the path is a word of its own",
        (
            """\
[Service]
Slice=runtime.slice
ExecStartPre=/sbin/iptables -P FORWARD ACCEPT -w 5
ExecStart=/usr/bin/kubelet \\
    --config /etc/kubernetes/kubelet/kubelet-config.json \\
    --kubeconfig /var/lib/kubelet/kubeconfig \\
    --container-runtime-endpoint unix:///run/containerd/containerd.sock \\
    $KUBELET_ARGS $KUBELET_EXTRA_ARGS
""",
            "[Service]\nEnvironment='KUBELET_ARGS=--node-ip=10.0.0.7 --v=2'\n",
            "[Service]\nEnvironment='KUBELET_EXTRA_ARGS=--node-labels=pool=a'\n",
        ),
        (),
        "/etc/kubernetes/kubelet/kubelet-config.json",
        "",
        f"""/usr/bin/kubelet \\
    --config={TARGET} \\
    --kubeconfig /var/lib/kubelet/kubeconfig \\
    --container-runtime-endpoint unix:///run/containerd/containerd.sock \\
    $KUBELET_ARGS $KUBELET_EXTRA_ARGS""",
        (
            f"--config={TARGET}",
            "--kubeconfig",
            "/var/lib/kubelet/kubeconfig",
            "--container-runtime-endpoint",
            "unix:///run/containerd/containerd.sock",
            "--node-ip=10.0.0.7",
            "--v=2",
            "--node-labels=pool=a",
        ),
    ),
    Layout(
        "EKS AMI, Amazon Linux 2023: everything is written again at boot",
        (
            "[Service]\nEnvironmentFile=/etc/eks/kubelet/environment\n"
            "ExecStart=/usr/bin/kubelet $NODEADM_KUBELET_ARGS\n",
        ),
        (
            'NODEADM_KUBELET_ARGS="--config=/etc/kubernetes/kubelet/config.json '
            '--config-dir=/etc/kubernetes/kubelet/config.json.d --node-ip=10.0.0.7"\n',
        ),
        "/etc/kubernetes/kubelet/config.json",
        "",
        f"/usr/bin/kubelet $NODEADM_KUBELET_ARGS --config={TARGET}",
        (
            "--config=/etc/kubernetes/kubelet/config.json",
            "--config-dir=/etc/kubernetes/kubelet/config.json.d",
            "--node-ip=10.0.0.7",
            f"--config={TARGET}",
        ),
    ),
    Layout(
        "GKE: a default file with all options",
        (
            "[Service]\nRestart=always\nRestartSec=10\nEnvironmentFile=/etc/default/kubelet\n"
            "ExecStart=/home/kubernetes/bin/kubelet $KUBELET_OPTS\n",
        ),
        ('KUBELET_OPTS="--v=2 --config /home/kubernetes/kubelet-config.yaml --cert-dir=/var/lib/kubelet/pki/"\n',),
        "/home/kubernetes/kubelet-config.yaml",
        "",
        f"/home/kubernetes/bin/kubelet $KUBELET_OPTS --config={TARGET}",
        (
            "--v=2",
            "--config",
            "/home/kubernetes/kubelet-config.yaml",
            "--cert-dir=/var/lib/kubelet/pki/",
            f"--config={TARGET}",
        ),
    ),
    Layout(
        "Debian: one variable of /etc/default, with --config alone in it",
        ("[Service]\nEnvironmentFile=-/etc/default/kubelet\nExecStart=/usr/bin/kubelet $DAEMON_ARGS\n",),
        ("# flags\nDAEMON_ARGS=--config=/etc/kubernetes/kubelet.yaml\n",),
        "/etc/kubernetes/kubelet.yaml",
        "DAEMON_ARGS",
        "",
        (f"--config={TARGET}",),
    ),
    Layout(
        "Flatcar, Typhoon: the path in a variable within a word",
        (
            "[Service]\nEnvironment=CONFIG=/etc/kubernetes/kubelet.yaml\n"
            "ExecStart=-@:/usr/local/bin/kubelet kubelet --config=/etc/kubernetes/kubelet.yaml --v=2\n",
            "[Service]\nExecStart=\nExecStart=/usr/local/bin/kubelet --config=${CONFIG} --v=2\n",
        ),
        (),
        "/etc/kubernetes/kubelet.yaml",
        "",
        f"/usr/local/bin/kubelet --config={TARGET} --v=2",
        (f"--config={TARGET}", "--v=2"),
    ),
    Layout(
        "prefixes, a name of its own, dollars and per cents that mean themselves",
        (
            "[Service]\n"
            r"""ExecStart=-@:/opt/kube/kubelet 'the kubelet' --node-labels=$ZONE "--config=/etc/k 8s/\x6b.yaml" """
            "--v=100%%"
            "\n",
        ),
        (),
        "/etc/k 8s/k.yaml",
        "",
        f"-@:/opt/kube/kubelet 'the kubelet' --node-labels=$ZONE --config={TARGET} --v=100%%",
        ("--node-labels=$ZONE", f"--config={TARGET}", "--v=100%"),
    ),
    Layout(
        "the path is a variable of its own behind the flag",
        (
            "[Service]\nEnvironment=KUBELET_CONFIG=/etc/kubernetes/kubelet.yaml\n"
            "ExecStart=/usr/bin/kubelet --v=2 --config $KUBELET_CONFIG $$\n",
        ),
        (),
        "/etc/kubernetes/kubelet.yaml",
        "",
        f"/usr/bin/kubelet --v=2 --config={TARGET} $$",
        ("--v=2", f"--config={TARGET}", "$"),
    ),
    Layout(
        "a flag in the unit, another behind it in a variable: the last one wins",
        (
            "[Service]\nEnvironment='EXTRA=--v=2 --config=/etc/b.yaml'\n"
            "ExecStart=/usr/bin/kubelet --config=/etc/a.yaml $EXTRA\n",
        ),
        (),
        "/etc/b.yaml",
        "",
        f"/usr/bin/kubelet --config=/etc/a.yaml $EXTRA --config={TARGET}",
        ("--config=/etc/a.yaml", "--v=2", "--config=/etc/b.yaml", f"--config={TARGET}"),
    ),
    Layout(
        "flags only, no config at all",
        ("[Service]\nExecStart=/usr/bin/kubelet --kubeconfig=/etc/kubernetes/kubelet.conf\n",),
        (),
        "",
        "",
        f"/usr/bin/kubelet --kubeconfig=/etc/kubernetes/kubelet.conf --config={TARGET}",
        (_KUBECONFIG, f"--config={TARGET}"),
    ),
    Layout(
        "a path that is relative to the working directory",
        ("[Service]\nWorkingDirectory=-/etc/kubernetes\nExecStart=/usr/bin/kubelet --config kubelet.yaml\n",),
        (),
        "/etc/kubernetes/kubelet.yaml",
        "",
        f"/usr/bin/kubelet --config={TARGET}",
        (f"--config={TARGET}",),
    ),
)
