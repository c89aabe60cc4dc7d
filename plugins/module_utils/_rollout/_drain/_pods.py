# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Select the pods that a drain evicts, as kubectl drain does. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..._text import first_names, sanitize
from ._settings import DrainSettings

_MIRROR = "kubernetes.io/config.mirror"
_FINISHED = ("Succeeded", "Failed")
_NAMES_SHOWN = 3


@dataclass(frozen=True)
class PodRef:
    """A pod that has to leave a node. is_ending: it is being deleted already."""

    namespace: str
    name: str
    uid: str
    is_ending: bool = False

    def __str__(self) -> str:
        return sanitize(f"{self.namespace}/{self.name}")


@dataclass(frozen=True)
class PodSelection:
    """The pods of a node. to_evict: those that have to leave; refusals: why the node must not be drained."""

    to_evict: tuple[PodRef, ...] = ()
    refusals: tuple[str, ...] = ()


def select_pods(pods: Iterable[Mapping[str, Any]], settings: DrainSettings) -> PodSelection:
    """Return which pods of a node have to leave, and which of them must not be evicted with these settings.

    Pods of DaemonSets and mirror pods stay: their DaemonSet or manifest would bring them back. Pods that are finished,
    or are being deleted already, have nothing left to protect.
    """
    to_evict, unmanaged, with_data = [], [], []
    for pod in pods:
        metadata = pod.get("metadata") or {}
        finished = (pod.get("status") or {}).get("phase") in _FINISHED
        controller = _controller(metadata)
        if _MIRROR in (metadata.get("annotations") or {}) or (controller == "DaemonSet" and not finished):
            continue
        ref = PodRef(
            str(metadata.get("namespace", "")),
            str(metadata.get("name", "")),
            str(metadata.get("uid", "")),
            bool(metadata.get("deletionTimestamp")),
        )
        to_evict.append(ref)
        if finished or ref.is_ending:
            continue
        if not controller and not settings.force:
            unmanaged.append(str(ref))
        if not settings.delete_empty_dir_data and _has_local_data(pod):
            with_data.append(str(ref))
    refusals = []
    if unmanaged:
        refusals.append(
            f"{first_names(sorted(unmanaged), _NAMES_SHOWN)}: no controller would create such a pod again; "
            "policy.drain.force evicts it"
        )
    if with_data:
        refusals.append(
            f"{first_names(sorted(with_data), _NAMES_SHOWN)}: an emptyDir would lose its data; "
            "policy.drain.deleteEmptyDirData evicts such pods"
        )
    return PodSelection(tuple(to_evict), tuple(refusals))


def reduce_pod(pod: Mapping[str, Any]) -> dict[str, Any]:
    """Return a Pod object with only the parts that select_pods reads."""
    metadata = pod.get("metadata") or {}
    keys = ("namespace", "name", "uid", "deletionTimestamp", "ownerReferences")
    annotations = {key: value for key, value in (metadata.get("annotations") or {}).items() if key == _MIRROR}
    volumes: list[dict[str, Any]] = [{"emptyDir": {}}] if _has_local_data(pod) else []
    return {
        "metadata": {**{key: metadata[key] for key in keys if key in metadata}, "annotations": annotations},
        "spec": {"volumes": volumes},
        "status": {"phase": (pod.get("status") or {}).get("phase")},
    }


def _controller(metadata: Mapping[str, Any]) -> str:
    """Return the kind of the owner that controls a pod, "" for none."""
    owners = metadata.get("ownerReferences") or ()
    return next((str(owner.get("kind") or "?") for owner in owners if owner.get("controller") is True), "")


def _has_local_data(pod: Mapping[str, Any]) -> bool:
    # `emptyDir: {}` is an empty mapping.
    return any(volume.get("emptyDir") is not None for volume in (pod.get("spec") or {}).get("volumes") or ())
