# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kubeadm's files, v1beta1 to v1beta4.

From cmd/kubeadm/app/apis/kubeadm/v1beta*/conversion.go and types.go.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .._schema._kinds import Kind
from ._field_moves import Hint, Loss, Losses, arguments_to_list, arguments_to_map, move

__all__ = ["KUBEADM_HINTS", "carry_timeouts", "convert_kubeadm"]

_ARGUMENTS = {
    "ClusterConfiguration": (
        "etcd.local.extraArgs",
        "apiServer.extraArgs",
        "controllerManager.extraArgs",
        "scheduler.extraArgs",
    ),
    "InitConfiguration": ("nodeRegistration.kubeletExtraArgs",),
    "JoinConfiguration": ("nodeRegistration.kubeletExtraArgs",),
}
"""Maps up to v1beta3, lists from v1beta4 on."""

_MOVED = {"JoinConfiguration": (("discovery.timeout", "timeouts.discovery"),)}
"""Where a field was up to v1beta3, and is from v1beta4 on."""

_FOUR_MINUTES = ("4m", "4m0s", "240s")
_EXTRA_ENVS = Hint("the version has no environment variables of components")

_NODE_HINTS = {
    "nodeRegistration.imagePullPolicy": Hint("the version always pulls what is missing", ("IfNotPresent",)),
    "nodeRegistration.imagePullSerial": Hint("the version always pulls one image at a time", (True,)),
    "timeouts.controlPlaneComponentHealthCheck": Hint(
        "write it into ClusterConfiguration, as apiServer.timeoutForControlPlane", _FOUR_MINUTES
    ),
}

KUBEADM_HINTS: Mapping[str, Mapping[str, Hint]] = {
    "ClusterConfiguration": {
        "apiServer.timeoutForControlPlane": Hint(
            "write it into InitConfiguration and JoinConfiguration, as timeouts.controlPlaneComponentHealthCheck",
            _FOUR_MINUTES,
        ),
        "dns.type": Hint("only CoreDNS is left", ("CoreDNS",)),
        "useHyperKubeImage": Hint("the hyperkube image is no longer built: the components have images of their own"),
        "encryptionAlgorithm": Hint("the version always uses RSA-2048", ("RSA-2048",)),
        **{
            f"{component}.extraEnvs": _EXTRA_ENVS
            for component in ("apiServer", "controllerManager", "scheduler", "etcd.local")
        },
    },
    "InitConfiguration": _NODE_HINTS,
    "JoinConfiguration": _NODE_HINTS,
}


def convert_kubeadm(data: dict[str, Any], source: Kind, target: Kind, losses: Losses) -> None:
    """Bring moved fields and arguments into the form of the target version, in place."""
    old, new = (kind.version == "v1beta4" for kind in (source, target))
    if old == new:
        return
    for path in _ARGUMENTS.get(source.kind, ()):
        if new:
            arguments_to_list(data, path)
        else:
            arguments_to_map(data, path, losses)
    for before, after in _MOVED.get(source.kind, ()):
        if new:
            move(data, before, after)
        else:
            move(data, after, before)


_IN_CLUSTER = ("apiServer", "timeoutForControlPlane")
_IN_OTHERS = ("timeouts", "controlPlaneComponentHealthCheck")


def carry_timeouts(parts: Sequence[tuple[dict[str, Any], list[Loss]]]) -> None:
    """Take a timeout that one document lost to those of the same file that have it now, in place.

    Each part is a converted document and its losses.
    """
    for data, losses in parts:
        lost_path, new_path = (
            (_IN_CLUSTER, _IN_OTHERS) if data["kind"] == "ClusterConfiguration" else (_IN_OTHERS, _IN_CLUSTER)
        )
        kinds = ("InitConfiguration", "JoinConfiguration") if lost_path == _IN_CLUSTER else ("ClusterConfiguration",)
        documents = [document for document, _losses in parts if document["kind"] in kinds]
        for loss in [loss for loss in losses if loss.path == lost_path]:
            for document in documents:
                document.setdefault(new_path[0], {}).setdefault(new_path[1], loss.value)
            if documents:
                losses.remove(loss)
