# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Convert kubeadm files between v1beta1 and v1beta4, as cmd/kubeadm/app/apis/kubeadm/v1beta*/conversion.go does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .._schema.kinds import Kind
from ._field_moves import Loss, LossHint, arguments_to_list, arguments_to_map, move

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
"""The path of a field up to v1beta3, and from v1beta4 on."""

_FOUR_MINUTES = ("4m", "4m0s", "240s")
_EXTRA_ENVS = LossHint("the version has no environment variables of components")

_NODE_HINTS = {
    "nodeRegistration.imagePullPolicy": LossHint("the version always pulls what is missing", ("IfNotPresent",)),
    "nodeRegistration.imagePullSerial": LossHint("the version always pulls one image at a time", (True,)),
    "timeouts.controlPlaneComponentHealthCheck": LossHint(
        "write it into ClusterConfiguration, as apiServer.timeoutForControlPlane", _FOUR_MINUTES
    ),
}

KUBEADM_HINTS: Mapping[str, Mapping[str, LossHint]] = {
    "ClusterConfiguration": {
        "apiServer.timeoutForControlPlane": LossHint(
            "write it into InitConfiguration and JoinConfiguration, as timeouts.controlPlaneComponentHealthCheck",
            _FOUR_MINUTES,
        ),
        "dns.type": LossHint("only CoreDNS is left", ("CoreDNS",)),
        "useHyperKubeImage": LossHint(
            "the hyperkube image is no longer built: the components have images of their own"
        ),
        "encryptionAlgorithm": LossHint("the version always uses RSA-2048", ("RSA-2048",)),
        **{
            f"{component}.extraEnvs": _EXTRA_ENVS
            for component in ("apiServer", "controllerManager", "scheduler", "etcd.local")
        },
    },
    "InitConfiguration": _NODE_HINTS,
    "JoinConfiguration": _NODE_HINTS,
}


def convert_kubeadm(data: dict[str, Any], source: Kind, target: Kind, losses: list[Loss]) -> None:
    """Bring moved fields and arguments into the form of the target version, in place."""
    from_list, to_list = (kind.version == "v1beta4" for kind in (source, target))
    if from_list == to_list:
        return
    for path in _ARGUMENTS.get(source.kind, ()):
        if to_list:
            arguments_to_list(data, path)
        else:
            arguments_to_map(data, path, losses)
    for before, after in _MOVED.get(source.kind, ()):
        if to_list:
            move(data, before, after)
        else:
            move(data, after, before)


_IN_CLUSTER = ("apiServer", "timeoutForControlPlane")
_IN_OTHERS = ("timeouts", "controlPlaneComponentHealthCheck")


def move_timeouts(documents: Sequence[tuple[dict[str, Any], list[Loss]]]) -> None:
    """Move a timeout that one converted document lost into those of the same file that have it now, in place."""
    for data, losses in documents:
        lost_path, new_path = (
            (_IN_CLUSTER, _IN_OTHERS) if data["kind"] == "ClusterConfiguration" else (_IN_OTHERS, _IN_CLUSTER)
        )
        kinds = ("InitConfiguration", "JoinConfiguration") if lost_path == _IN_CLUSTER else ("ClusterConfiguration",)
        targets = [document for document, _losses in documents if document["kind"] in kinds]
        for loss in [loss for loss in losses if loss.path == lost_path]:
            for target in targets:
                target.setdefault(new_path[0], {}).setdefault(new_path[1], loss.value)
            if targets:
                losses.remove(loss)
