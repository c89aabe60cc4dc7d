# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the static Pods in the kubelet's folder of manifests, and which of them can have options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from .._componentconfig.component_options import DIRECTORY
from ._paths import is_below
from .manifest import OPTIONS_VOLUME, InvalidManifest, Manifest, has_probe, read_manifest
from .mounts import is_mounted, own_mount


class ManifestFolder(NamedTuple):
    """What is in the folder.

    components: the manifests that can have options, by component. others: the names of Pods that are left alone.
    refused: a sentence for each file that keeps the folder from being used.
    """

    components: Mapping[str, Manifest]
    others: tuple[str, ...]
    refused: tuple[str, ...]


def survey_folder(files: Mapping[str, bytes]) -> ManifestFolder:
    """Return what the files of the folder are. files: their contents by name; those with a dot first do not count.

    Nothing in the folder can have options while a file is refused: it may be what the kubelet reads instead of another.
    """
    components: dict[str, Manifest] = {}
    files_of_pods: dict[str, str] = {}
    others, refused = list[str](), list[str]()
    for file, source in sorted(files.items()):
        if file.startswith("."):
            continue
        try:
            manifest = read_manifest(source, file)
        except InvalidManifest as error:
            refused.append(str(error))
            continue
        first = files_of_pods.setdefault(manifest.name, file)
        if first != file:
            refused.append(f"{file}: {first} has the same Pod, {manifest.name}, and the kubelet changes between them")
        elif not manifest.component:
            others.append(manifest.name)
        elif manifest.component in components:
            refused.append(f"{file}: {components[manifest.component].file} runs {manifest.component}, too")
        else:
            components[manifest.component] = manifest
            refused += unusable_reasons(manifest)
    return ManifestFolder(components, tuple(others), tuple(refused))


def unusable_reasons(manifest: Manifest) -> list[str]:
    """Return a sentence for what keeps a component from having options, [] if nothing does."""
    file, component = manifest.file, manifest.component
    if not has_probe(manifest):
        return [f"{file}: {component} has no probe, so that the kubelet does not end one that hangs"]
    if manifest.applied_options:
        return []
    mounts = [mount for mount in manifest.mounts if is_below(mount.path, DIRECTORY) or _is_of_options(mount.host_path)]
    if any(not is_mounted(own_mount(component), [mount]) for mount in mounts):
        return [f"{file}: a volume is at {DIRECTORY}, where the files of options are"]
    names = [volume["name"] for volume in manifest.pod["spec"].get("volumes") or ()]
    if any(name.startswith(OPTIONS_VOLUME) for name in names):
        return [f"{file}: a volume is named {OPTIONS_VOLUME}, as that of the files of options"]
    return []


def _is_of_options(path: str) -> bool:
    return bool(path) and is_below(path, DIRECTORY)
