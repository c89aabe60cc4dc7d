# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Classify how a manifest differs from what was written: an upgrade, options that are lost, or drift."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

from .._componentconfig.component_options import DIRECTORY, Options, holds_options, without_options
from .manifest import OPTIONS_ANNOTATION, OPTIONS_VOLUME, InvalidManifest, Manifest, read_manifest
from .mounts import HostPath, added_mounts, is_mounted
from .rendered_manifest import RenderedManifest, place_files, set_arguments, write_manifest


class ManifestChange(str, Enum):
    """How a manifest differs from what was written."""

    NONE = "none"
    """It is as it was written."""
    NEW_INIT = "new init manifest"
    """Its writer has changed it, with the options in use: nothing has to be restarted."""
    OPTIONS_LOST = "options lost"
    """Its writer has changed it, and the options in use are not in it."""
    DRIFT = "drift"
    """Another program or an operator has changed it: nothing is written over that."""

    def __str__(self) -> str:
        return self.value


class ManifestDifference(NamedTuple):
    """A change and what follows from it. init: the init manifest from now on, None for drift. reason: of a drift."""

    change: ManifestChange
    init: Manifest | None = None
    reason: str = ""


def classify_change(
    source: bytes,
    written: RenderedManifest,
    *,
    init: Manifest,
    options: Options,
    host_paths: Sequence[HostPath] = (),
) -> ManifestDifference:
    """Return how a manifest differs from what was written. source: the file as it is.

    written: as the agent or provisioning left it. init, options, host_paths: what that was rendered from. A manifest
    with options is from its own writer, such as an upgrade by kubeadm, only if its image is another one.
    """
    if source == written.manifest.source:
        return ManifestDifference(ManifestChange.NONE, init)
    try:
        present = read_manifest(source, init.file)
    except InvalidManifest as error:
        return _drift(str(error))
    if (present.name, present.component) != (init.name, init.component):
        return _drift(f"{init.file}: it is the Pod {present.name} now")
    if present.applied_options not in ("", written.options_hash):
        return _drift(f"{init.file}: it has the options {present.applied_options}, which are not in use")
    if not written.options_hash:
        return ManifestDifference(ManifestChange.NEW_INIT, present)
    if source == init.source:
        return ManifestDifference(ManifestChange.OPTIONS_LOST, init)
    if present.image == init.image:
        return _drift(f"{init.file}: it was changed, with the image as it was, neither by this agent nor by an upgrade")
    placed = place_files(options, written.directory)
    if _holds(present, placed, init=init, host_paths=host_paths):
        return ManifestDifference(ManifestChange.NEW_INIT, _without(present, placed, init=init))
    if present.applied_options:
        return _drift(f"{init.file}: it was changed in more than its image, neither by this agent nor by an upgrade")
    if any(f"{DIRECTORY}/" in argument for argument in present.arguments):
        return _drift(f"{init.file}: it names files of options that are not in use")
    return ManifestDifference(ManifestChange.OPTIONS_LOST, present)


def _drift(reason: str) -> ManifestDifference:
    return ManifestDifference(ManifestChange.DRIFT, None, reason)


def _holds(present: Manifest, placed: Options, *, init: Manifest, host_paths: Sequence[HostPath]) -> bool:
    """Return whether a manifest has the flags of options, and the mounts that they need."""
    needed = added_mounts(init, placed, host_paths)
    return all(is_mounted(mount, present.mounts) for mount in needed) and holds_options(placed, present.arguments)


def _without(present: Manifest, placed: Options, *, init: Manifest) -> Manifest:
    """Return a manifest that holds options without them, with the flags that the init manifest before it had."""
    pod = copy.deepcopy(dict(present.pod))
    container = pod["spec"]["containers"][present.container_index]
    is_regenerated = not present.applied_options
    arguments = without_options(placed, present.arguments, init.arguments, is_regenerated=is_regenerated)
    set_arguments(present, container, arguments)
    for owner, field in ((pod["spec"], "volumes"), (container, "volumeMounts")):
        if owner.get(field):
            owner[field] = [item for item in owner[field] if not item["name"].startswith(OPTIONS_VOLUME)]
            if not owner[field]:
                del owner[field]
    annotations = pod["metadata"].get("annotations")
    if annotations:
        annotations.pop(OPTIONS_ANNOTATION, None)
        if not annotations:
            del pod["metadata"]["annotations"]
    return write_manifest(present.file, pod)
