# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""validate-document: validate a bundle's document as this node would run it, and compare it with the file in use."""

from __future__ import annotations

from ._agent._agent_configuration import ComponentConfiguration
from ._agent._state.node_state import NodeInputs
from ._agent._store._store import Store
from ._agent._validation._node_files import digest_of_files, read_node_files
from ._agent._validation._validate_on_node import is_same_on_node, validate_on_node
from ._agent._validation._validator import HOST_RULE_PREFIX
from ._files import STANDARD_INPUT, input_errors, read_file
from ._foreign import load_json
from ._host.host_facts import read_host
from ._node_manifest import with_init_manifest
from ._output import show_json

__all__ = ["validate_document"]


def validate_document(component: ComponentConfiguration, store: Store, *, version: str, only_host: bool) -> int:
    """Print the findings, whether the component makes the same of both, and a hash of the node's files, as JSON.

    Return 0. Raises UnusableInput.

    Standard input is JSON with the document, with the file that the component reads now (present, or null), and with
    what this node adds to both, as the agent has read it. version: of the component, "" if it is unknown. only_host:
    the document was validated before.
    """
    with input_errors(STANDARD_INPUT):
        request = load_json(read_file(STANDARD_INPUT))
        document, present, inputs = request["document"], request["present"], NodeInputs.from_dict(request)
        inputs, manifest = with_init_manifest(component, store, inputs)
        node_files = read_node_files(document, inputs.instance, manifest) if component.manifest else []
        findings = validate_on_node(
            document.encode(),
            STANDARD_INPUT,
            component,
            inputs=inputs,
            version=version,
            host_only=only_host,
            read_host=read_host,
            manifest=manifest,
            node_files=node_files,
        )
        is_refused = any(finding.is_refusal and not finding.rule.startswith(HOST_RULE_PREFIX) for finding in findings)
        is_same = present is not None and not is_refused and is_same_on_node(document, present, inputs, version)
    answer = {"isSame": is_same, "nodeFiles": digest_of_files(node_files)}
    show_json({"findings": [finding.as_dict() for finding in findings], **answer})
    return 0
