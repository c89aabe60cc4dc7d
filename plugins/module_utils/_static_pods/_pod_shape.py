# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find what keeps a decoded Pod from being one that the kubelet runs, as far as options are concerned."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

_TEXTS_OF_CONTAINER = ("command", "args")


def shape_problem(pod: Mapping[str, Any]) -> str:
    """Return the first thing that is wrong with a Pod, in a few words without its file; "" if nothing is."""
    return next(_problems(pod), "")


def _problems(pod: Mapping[str, Any]) -> Iterator[str]:
    metadata, spec = pod.get("metadata"), pod.get("spec")
    if not isinstance(metadata, dict) or not isinstance(metadata.get("name"), str) or not metadata["name"]:
        yield "the Pod has no name"
        return
    if metadata.get("uid"):
        yield "metadata.uid keeps the Pod the same when its manifest changes: remove it"
    annotations = metadata.get("annotations") or {}
    if not isinstance(annotations, dict) or not all(isinstance(value, str) for value in annotations.values()):
        yield "metadata.annotations must be a map of texts"
    containers = spec.get("containers") if isinstance(spec, dict) else None
    if not isinstance(spec, dict) or not _are_named(containers) or not containers:
        yield "spec.containers must be a list of containers with names"
        return
    volumes = spec.get("volumes") or []
    if not _are_named(volumes):
        yield "spec.volumes must be a list of volumes with names"
        return
    yield from _repeated("spec.volumes", [volume["name"] for volume in volumes])
    for volume in volumes:
        path = volume.get("hostPath")
        if path is not None and not _is_absolute(path.get("path") if isinstance(path, dict) else None):
            yield f"the volume {volume['name']} needs an absolute hostPath.path"
    for container in containers:
        yield from _container_problems(container)


def _container_problems(container: Mapping[str, Any]) -> Iterator[str]:
    name = container["name"]
    for field in _TEXTS_OF_CONTAINER:
        words = container.get(field) or []
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            yield f"{field} of the container {name} must be a list of texts"
    mounts = container.get("volumeMounts") or []
    if not _are_named(mounts) or not all(_is_absolute(mount.get("mountPath")) for mount in mounts):
        yield f"volumeMounts of the container {name} must be a list of mounts with names and absolute paths"
        return
    yield from _repeated(f"volumeMounts of the container {name}", [mount["mountPath"] for mount in mounts])


def _repeated(where: str, names: list[str]) -> Iterator[str]:
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"{where}: {name} is there twice"


def _are_named(items: Any) -> bool:
    return isinstance(items, list) and all(
        isinstance(item, dict) and isinstance(item.get("name"), str) and item["name"] for item in items
    )


def _is_absolute(path: Any) -> bool:
    return isinstance(path, str) and path.startswith("/")
