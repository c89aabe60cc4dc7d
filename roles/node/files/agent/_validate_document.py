# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""validate-document: validate a bundle's document as this node would run it, and compare it with the file in use."""

from __future__ import annotations

from ._agent._agent_configuration import ComponentConfiguration
from ._agent._manifest_note import read_manifest_note
from ._agent._state.node_state import NodeInputs
from ._agent._store._store import Store
from ._agent._validation._validate_on_node import is_same_on_node, validate_on_node
from ._agent._validation._validator import HOST_RULE_PREFIX
from ._files import STANDARD_INPUT, input_errors, read_file
from ._foreign import load_json
from ._host.host_facts import read_host
from ._output import show_json
from ._static_pods.manifest import Manifest, read_manifest

__all__ = ["validate_document"]


def validate_document(component: ComponentConfiguration, store: Store, *, version: str, only_host: bool) -> int:
    """Print the findings, and whether the component makes the same of both, as JSON; return 0. Raises UnusableInput.

    Standard input is JSON with the document, with the file that the component reads now (present, or null), and with
    what this node adds to both, as the agent has read it. version: of the component, "" if it is unknown. only_host:
    the document was validated before.
    """
    with input_errors(STANDARD_INPUT):
        request = load_json(read_file(STANDARD_INPUT))
        document, present, inputs = request["document"], request["present"], NodeInputs.from_dict(request)
        manifest = _init_manifest(component, store)
        if manifest is not None:  # a running process has the options in use among its arguments
            inputs = inputs._replace(arguments=(component.name, *manifest.arguments))
        findings = validate_on_node(
            document.encode(),
            STANDARD_INPUT,
            component,
            inputs=inputs,
            version=version,
            host_only=only_host,
            read_host=read_host,
            manifest=manifest,
        )
        is_refused = any(finding.is_refusal and not finding.rule.startswith(HOST_RULE_PREFIX) for finding in findings)
        is_same = present is not None and not is_refused and is_same_on_node(document, present, inputs, version)
    show_json({"findings": [finding.as_dict() for finding in findings], "isSame": is_same})
    return 0


def _init_manifest(component: ComponentConfiguration, store: Store) -> Manifest | None:
    """Return the init manifest of a static Pod, None for a unit and while it is not known."""
    init = read_manifest_note(store, component.name).init if component.manifest else ""
    return read_manifest(init.encode(), component.manifest) if init else None
