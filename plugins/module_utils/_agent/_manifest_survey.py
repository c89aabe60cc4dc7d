# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Looks at the manifests of static-Pod components before the agent takes them over.

Only the command ``check`` imports this file: it needs the engine, which the daemon does without.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import NamedTuple

from .._static_pods.manifest import Manifest
from .._static_pods.manifest_folder import survey_folder
from ._agent_configuration import AgentConfiguration, ComponentConfiguration
from ._manifest_files import ManifestFiles
from ._manifest_note import read_manifest_note
from ._store._store import Store


class ManifestSurvey(NamedTuple):
    """What was found. problems: a sentence for each. others: the static Pods that the agent leaves alone."""

    problems: tuple[str, ...]
    others: tuple[str, ...]


def survey_manifests(configuration: AgentConfiguration, store: Store) -> ManifestSurvey:
    """Return what keeps the components with manifests from having options. Changes nothing. Raises OSError."""
    components = [component for component in configuration.components.values() if component.manifest]
    problems, others = list[str](), list[str]()
    for folder in sorted({os.path.dirname(component.manifest) for component in components}):
        of_folder = [component for component in components if os.path.dirname(component.manifest) == folder]
        survey = survey_folder(ManifestFiles(folder).read_all())
        problems += [f"{folder}/{sentence}" for sentence in survey.refused]
        for component in of_folder:
            problems += _problems(component, survey.components, store)
        names = {component.name for component in of_folder}
        left = [manifest.name for name, manifest in survey.components.items() if name not in names]
        others += [*left, *survey.others]
    return ManifestSurvey(tuple(problems), tuple(sorted(others)))


def _problems(component: ComponentConfiguration, manifests: Mapping[str, Manifest], store: Store) -> list[str]:
    name, path = component.name, component.manifest
    manifest = manifests.get(name)
    if manifest is None:
        if os.path.exists(path):
            return [f"{path}: it does not run {name}"]
        return [f"{path} is not there: let kubeadm make the control plane first, or set static_pod of {name}"]
    if manifest.file != os.path.basename(path):
        return [f"{path}: {manifest.file} of the same folder runs {name}: set static_pod to it"]
    if manifest.applied_options and not read_manifest_note(store, name).init:
        return [
            f"{path}: options are applied to it by an agent whose notes are not in {store.files.root}: "
            "put a manifest without them in its place"
        ]
    return []
