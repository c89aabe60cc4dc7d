# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The fields that hold paths of files, by kind.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["PATH_FIELDS"]

PATH_FIELDS: Mapping[str, tuple[str, ...]] = {
    "KubeletConfiguration": (
        "staticPodPath",
        "authentication.x509.clientCAFile",
        "tlsCertFile",
        "tlsPrivateKeyFile",
        "resolvConf",
        "volumePluginDir",
        "podLogsDir",
    ),
    "KubeProxyConfiguration": ("clientConnection.kubeconfig",),
    "KubeSchedulerConfiguration": (
        "clientConnection.kubeconfig",
        "extenders.*.tlsConfig.certFile",
        "extenders.*.tlsConfig.keyFile",
        "extenders.*.tlsConfig.caFile",
    ),
}
"""Field paths (`*` is any index) whose relative values a component resolves against its config file or its working
directory."""
