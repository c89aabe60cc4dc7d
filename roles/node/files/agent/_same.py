# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""same: say whether a component can go from one file to another without a restart."""

from __future__ import annotations

from ._componentconfig._codec.document import decode
from ._componentconfig.compare import is_same_config
from ._files import input_errors, read_file

__all__ = ["same_files"]

_SAME, _DIFFERENT = 0, 1


def same_files(first: str, second: str, *, version: str) -> int:
    """Print the answer; return 0 if both files mean the same, 1 if they may differ. Raises UnusableInput.

    version: of the component, "" if it is unknown.
    """
    with input_errors(first):
        before, after = (decode(read_file(name), file=name).data for name in (first, second))
        is_same = is_same_config(before, after, version)
    print("the same" if is_same else "different")
    return _SAME if is_same else _DIFFERENT
