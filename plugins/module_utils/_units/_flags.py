# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Flags among the arguments of a component. Private to configok.node.

Kubernetes components take ``--name=value`` and ``--name value``, and the last of several wins.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["Flag", "last_flag"]


class Flag(NamedTuple):
    """A flag: its value, and the indexes of its first and its last argument."""

    value: str
    first: int
    last: int


def last_flag(arguments: Sequence[str], name: str) -> Flag | None:
    """Return the flag ``--name`` that wins; None where there is none."""
    found = None
    for index, text in enumerate(arguments):
        if text == "--":
            break
        if text.startswith(f"--{name}="):
            found = Flag(text.partition("=")[2], index, index)
        elif text == f"--{name}" and index + 1 < len(arguments):
            found = Flag(arguments[index + 1], index, index + 1)
    return found
