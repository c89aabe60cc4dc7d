# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""same: say whether a component can go from one file to another without a restart."""

from __future__ import annotations

from ._componentconfig._codec._document import Document, decode
from ._componentconfig._drop_ins import is_same_with_drop_ins
from ._files import input_errors, read_file
from ._foreign._json import load_json

__all__ = ["same_files"]

_SAME, _DIFFERENT = 0, 1


def same_files(first: str, second: str, *, version: str, with_inputs: bool = False) -> int:
    """Print the answer; return 0 if both files mean the same, 1 if they may differ. Raises UnusableInput.

    version: of the component, "" if it is unknown. with_inputs: standard input is JSON with what this node adds
    to both, as the agent has read it.
    """
    with input_errors(first):
        before, after = (decode(read_file(name), file=name).data for name in (first, second))
        layers = _drop_ins() if with_inputs else None
        drop_ins = None if layers is None else [layer.data for layer in layers]
        is_same = is_same_with_drop_ins(drop_ins, before, after, version)
    print("the same" if is_same else "different")
    return _SAME if is_same else _DIFFERENT


def _drop_ins() -> list[Document] | None:
    from ._agent._state._node_state import NodeInputs
    from ._agent._validation._validate_on_node import drop_in_documents

    return drop_in_documents(NodeInputs.from_dict(load_json(read_file("-"))))
