# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""List the fields that hold file paths, and resolve relative ones. The hooks import this, so it must be light."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping
from typing import Any

RESOLVED_FIELDS: Mapping[str, tuple[str, ...]] = {
    # pkg/kubelet/apis/config/helpers.go
    "KubeletConfiguration": (
        "staticPodPath",
        "authentication.x509.clientCAFile",
        "tlsCertFile",
        "tlsPrivateKeyFile",
        "resolvConf",
        "volumePluginDir",
        "podLogsDir",
    ),
    # apiserver/pkg/admission/config.go
    "AdmissionConfiguration": ("plugins.*.path",),
    # client-go/tools/clientcmd/loader.go
    "Config": (
        "clusters.*.cluster.certificate-authority",
        "users.*.user.client-certificate",
        "users.*.user.client-key",
        "users.*.user.tokenFile",
        "users.*.user.exec.command",
    ),
}
"""Field paths (`*` is any index or key) whose relative values a component resolves against its config file."""

_COMMANDS = frozenset(("users.*.user.exec.command",))
"""Of those, names of programs: without a slash they are looked up in PATH."""

_SIGNERS = ("KubeletServing", "KubeletClient", "KubeAPIServerClient", "LegacyUnknown")

_UNRESOLVED_FIELDS: Mapping[str, tuple[str, ...]] = {
    "KubeProxyConfiguration": ("clientConnection.kubeconfig",),
    "KubeSchedulerConfiguration": (
        "clientConnection.kubeconfig",
        "extenders.*.tlsConfig.certFile",
        "extenders.*.tlsConfig.keyFile",
        "extenders.*.tlsConfig.caFile",
    ),
    "KubeControllerManagerConfiguration": (
        "Generic.ClientConnection.kubeconfig",
        "KubeCloudShared.CloudProvider.CloudConfigFile",
        "CSRSigningController.ClusterSigningCertFile",
        "CSRSigningController.ClusterSigningKeyFile",
        *(
            f"CSRSigningController.{signer}SignerConfiguration.{part}File"
            for signer in _SIGNERS
            for part in ("Cert", "Key")
        ),
        *(
            f"PersistentVolumeBinderController.VolumeConfiguration.{field}"
            for field in (
                "FlexVolumePluginDir",
                "PersistentVolumeRecyclerConfiguration.PodTemplateFilePathHostPath",
                "PersistentVolumeRecyclerConfiguration.PodTemplateFilePathNFS",
            )
        ),
        "SAController.ServiceAccountKeyFile",
        "SAController.RootCAFile",
    ),
    "AuthorizationConfiguration": ("authorizers.*.webhook.connectionInfo.kubeConfigFile",),
    "EgressSelectorConfiguration": (
        "egressSelections.*.connection.transport.tcp.tlsConfig.caBundle",
        "egressSelections.*.connection.transport.tcp.tlsConfig.clientKey",
        "egressSelections.*.connection.transport.tcp.tlsConfig.clientCert",
        "egressSelections.*.connection.transport.uds.udsName",
    ),
    "ComponentOptions": ("files.*.path",),
    "WebhookAdmission": ("kubeConfigFile",),
    "WebhookAdmissionConfiguration": ("kubeConfigFile", "staticManifestsDir"),
    "MutatingAdmissionPolicyConfiguration": ("staticManifestsDir",),
    "ValidatingAdmissionPolicyConfiguration": ("staticManifestsDir",),
    "ClusterConfiguration": (
        "certificatesDir",
        "etcd.local.dataDir",
        "etcd.external.caFile",
        "etcd.external.certFile",
        "etcd.external.keyFile",
        *(f"{component}.extraVolumes.*.hostPath" for component in ("apiServer", "controllerManager", "scheduler")),
    ),
    "InitConfiguration": ("patches.directory",),
    "JoinConfiguration": ("patches.directory", "caCertPath"),
    "ResetConfiguration": ("certificatesDir",),
    "UpgradeConfiguration": ("apply.patches.directory", "node.patches.directory"),
}
"""Field paths whose relative values are refused, or resolved against the component's working directory."""

PATH_FIELDS: Mapping[str, tuple[str, ...]] = {**RESOLVED_FIELDS, **_UNRESOLVED_FIELDS}
"""All fields that hold file paths."""


def resolve_paths(data: Any, kind: str, directory: str) -> Any:
    """Return a decoded config with relative paths resolved against the directory of its file, as the component does it.

    Only fields that the component resolves are changed; empty values stay. `data` itself stays as it is.
    """
    return _resolve_fields(data, RESOLVED_FIELDS.get(kind, ()), directory)


def absolute_paths(data: Any, kind: str, directory: str) -> Any:
    """Return a decoded config with all relative paths as absolute, for a process that runs in a directory."""
    return _resolve_fields(data, PATH_FIELDS.get(kind, ()), directory)


def _resolve_fields(data: Any, fields: Iterable[str], directory: str) -> Any:
    for field in fields:
        data = _resolve(data, field, field.split("."), directory)
    return data


def is_relative(field: str, value: Any) -> bool:
    """Return whether the value of one of these fields is a relative path."""
    if not isinstance(value, str) or not value or value.startswith("/"):
        return False
    return "/" in value or field not in _COMMANDS


def _resolve(value: Any, field: str, parts: list[str], directory: str) -> Any:
    if not parts:
        return posixpath.normpath(posixpath.join(directory, value)) if is_relative(field, value) else value
    name, rest = parts[0], parts[1:]
    if name == "*" and isinstance(value, list):
        return [_resolve(item, field, rest, directory) for item in value]
    if name == "*" and isinstance(value, dict):
        return {key: _resolve(item, field, rest, directory) for key, item in value.items()}
    if isinstance(value, dict) and value.get(name) is not None:
        return {**value, name: _resolve(value[name], field, rest, directory)}
    return value
