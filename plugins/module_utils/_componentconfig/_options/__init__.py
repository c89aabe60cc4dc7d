# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read and check ComponentOptions: the flags and files of a component that runs as a static Pod."""

from __future__ import annotations

COMPONENT_OPTIONS = "ComponentOptions"
"""The kind of a static-Pod component's document in a bundle."""

OPTIONS_HEAD = {"apiVersion": "options.configok.dev/v1alpha1", "kind": COMPONENT_OPTIONS}
"""What such a document begins with."""

ETCD = "etcd"
"""The component whose flags follow from its own releases, and of which a majority must run."""

FLAG_COMPONENTS = (ETCD, "kube-apiserver", "kube-controller-manager", "kube-scheduler")
"""The static-Pod components, in the order in which a change of several restarts them."""

KUBEADM_SECTIONS = {
    "kube-apiserver": ("apiServer",),
    "kube-controller-manager": ("controllerManager",),
    "kube-scheduler": ("scheduler",),
    ETCD: ("etcd", "local"),
}
"""The path of the section of kubeadm's ClusterConfiguration that has a component's extraArgs."""

RELOADED_FILES = ("authentication-config", "authorization-config", "encryption-provider-config")
"""Flags whose files the API server reads again while it runs, and shows by a metric that it has."""
