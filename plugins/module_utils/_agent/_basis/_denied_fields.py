# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The fields that no bundle may set unless a node's AgentConfiguration says otherwise. Private to configok.node.

Who may write ConfigMaps and Nodes is not meant to be root on every node, nor able to cut all of them off at once. A
field path denies everything below it. These fields belong into the node's init config or instance config.
"""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["DENIED_FIELDS"]

_KUBELET = (
    # Root: a static pod may be privileged, and no admission control sees it.
    "staticPodPath",
    "staticPodURL",
    "staticPodURLHeader",
    # Root: who may call the kubelet's API may run commands in every container; a wrong value locks the API server out.
    "authentication",
    "authorization",
    "readOnlyPort",
    "enableDebuggingHandlers",
    "enableSystemLogHandler",
    "enableSystemLogQuery",
    # Identity: the node's own key, and how it is renewed. Wrong values end the trust between node and API server.
    "tlsCertFile",
    "tlsPrivateKeyFile",
    "serverTLSBootstrap",
    "rotateCertificates",
    # Root: a program that the kubelet runs, or a socket that it trusts to run containers and fetch images.
    "volumePluginDir",
    "containerRuntimeEndpoint",
    "imageServiceEndpoint",
    # Root by way of the kernel: pods may then set sysctls that are not kept apart from the node.
    "allowedUnsafeSysctls",
    # Cuts the node off: it leaves the cluster, ends after one look, or is another machine to the cloud provider.
    "registerNode",
    "runOnce",
    "providerID",
    "enableServer",
    # One node's own: never shared, so in a bundle they can only be a mistake.
    "podCIDR",
    "registerWithTaints",
    # Root writes there, so it is for whoever owns the machine to say where.
    "podLogsDir",
)

_KUBE_PROXY = (
    # Identity: who kube-proxy is to the API server, and as whom it speaks.
    "clientConnection.kubeconfig",
    # One node's own.
    "hostnameOverride",
)

# component -> field paths
DENIED_FIELDS: Mapping[str, tuple[str, ...]] = {"kubelet": _KUBELET, "kube-proxy": _KUBE_PROXY}
