# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""addresses: print the fields that say where the kubelet listens, by its file, its drop-ins and its flags."""

from __future__ import annotations

from ._agent._state.node_state import NodeInputs
from ._agent._validation._validate_on_node import probed_values
from ._componentconfig._codec.document import decode
from ._files import input_errors, read_file
from ._foreign import load_json
from ._output import show_json

__all__ = ["print_addresses"]


def print_addresses(path: str, *, version: str) -> int:
    """Print the fields as JSON. Raises UnusableInput.

    version: of the kubelet, "" if it is unknown. Standard input is JSON with the kubelet's command line and its
    drop-ins, as the agent has read them.
    """
    with input_errors(path):
        document = decode(read_file(path), file=path)
        show_json(probed_values(document, NodeInputs.from_dict(load_json(read_file("-"))), version))
    return 0
