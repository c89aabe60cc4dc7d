# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The init manifest of a component for the validation of its options."""

from __future__ import annotations

from ._agent._agent_configuration import ComponentConfiguration
from ._agent._manifest_note import read_manifest_note
from ._agent._state.node_state import NodeInputs
from ._agent._store._store import Store
from ._static_pods.manifest import Manifest, read_manifest

__all__ = ["with_init_manifest"]


def with_init_manifest(
    component: ComponentConfiguration, store: Store, inputs: NodeInputs
) -> tuple[NodeInputs, Manifest | None]:
    """Return what a node adds to a document, with the arguments of the init manifest, and that manifest.

    A running process has the options in use among its arguments. The manifest is None for a unit, and while it is not
    known. Raises OSError, InvalidManifest.
    """
    init = read_manifest_note(store, component.name).init if component.manifest else ""
    if not init:
        return inputs, None
    manifest = read_manifest(init.encode(), component.manifest)
    return inputs._replace(arguments=(component.name, *manifest.arguments)), manifest
