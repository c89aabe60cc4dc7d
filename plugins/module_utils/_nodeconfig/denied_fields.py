# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""List the fields that no bundle may set unless a node's own config allows it, by kind.

This file imports nothing, since every start of a component imports it.

An identity that may write ConfigMaps and Nodes must not become root on every node, nor cut off all nodes at once. A
field path denies everything below it. These fields belong in a node's init config or instance config.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

EVERYTHING = ("*",)
"""The list of a kind that a bundle may not hold at all."""

_KUBELET = (
    # Root: a static pod may be privileged, and no admission control sees it.
    "staticPodPath",
    "staticPodURL",
    "staticPodURLHeader",
    # Root: a caller of the kubelet's API may run commands in every container; a wrong value locks the API server out.
    "authentication",
    "authorization",
    "address",
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
    # Root by way of the kernel: pods may then set, or get, sysctls that are not safe.
    "allowedUnsafeSysctls",
    "defaultPodSysctls",
    # Cuts the node off: it does not register, exits after one run, or is another machine to the cloud provider.
    "registerNode",
    "runOnce",
    "providerID",
    "enableServer",
    # A limit that outlives the config: the cgroup keeps it after a rollback, and the agent may be inside.
    "systemReservedCgroup",
    "kubeReservedCgroup",
    "systemCgroups",
    "cgroupRoot",
    # Single source files can be made to write secrets to the journal.
    "logging.vmodule",
    # Sends traces of what the node does for each pod to any address.
    "tracing.endpoint",
    # One node's own: in a bundle they can only be a mistake.
    "podCIDR",
    "registerWithTaints",
    # Root writes there, so the owner of the machine decides on the directory.
    "podLogsDir",
)

_KUBE_PROXY = (
    # Identity: the credentials that kube-proxy has for the API server.
    "clientConnection.kubeconfig",
    "logging.vmodule",
    # One node's own.
    "hostnameOverride",
)

_KUBE_SCHEDULER = (
    # Identity: the credentials that the scheduler has for the API server.
    "clientConnection",
    # A remote program that sees every pod and decides on which node it runs.
    "extenders",
)

_EVERYTHING_OF = (
    # A program that runs as root and provides the credentials for every image.
    "CredentialProviderConfig",
    # The API server's files: permissions in the whole cluster, and the encryption of its secrets.
    "AdmissionConfiguration",
    "AuthenticationConfiguration",
    "AuthorizationConfiguration",
    "EgressSelectorConfiguration",
    "EncryptionConfig",
    "EncryptionConfiguration",
    "MutatingAdmissionPolicyConfiguration",
    "PodSecurityConfiguration",
    "Policy",
    "ResourceQuotaConfiguration",
    "TracingConfiguration",
    "ValidatingAdmissionPolicyConfiguration",
    "WebhookAdmission",
    "WebhookAdmissionConfiguration",
)

DENIED_FIELDS: Mapping[str, tuple[str, ...]] = {
    "KubeletConfiguration": _KUBELET,
    "KubeProxyConfiguration": _KUBE_PROXY,
    "KubeSchedulerConfiguration": _KUBE_SCHEDULER,
    "ComponentOptions": EVERYTHING,  # see option_denials.py, which decides by flag
    **dict.fromkeys(_EVERYTHING_OF, EVERYTHING),
}
"""Field paths by kind. A kind that is not here is denied as a whole."""


class DenyPolicy(NamedTuple):
    """What a node's own config says about denied fields. The default is what DENIED_FIELDS says."""

    additional: tuple[str, ...] = ()  # denied in addition
    allowed: tuple[str, ...] = ()  # allowed again, with everything below them; "*" allows a whole kind

    def patterns(self, kind: str) -> tuple[str, ...]:
        """Return the field paths that are denied in a document of this kind."""
        return (*DENIED_FIELDS.get(kind, EVERYTHING), *self.additional)

    def denies_kind(self, kind: str) -> bool:
        """Return whether a bundle may not hold a document of this kind at all."""
        return "*" in self.patterns(kind) and not self.allowed
