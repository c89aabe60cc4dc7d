# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Release data that an action plugin gives its module, which then ships no reader of the file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from .._componentconfig._schema.overlays import ReleaseOverlay, only_with
from . import UnusableInput


@contextmanager
def using_release_facts(facts: Any) -> Iterator[None]:
    """Validate with the facts of release data, and with no others, until the block ends.

    facts: from the action plugin; None without release data. Raises UnusableInput for anything else.
    """
    if facts is not None and not isinstance(facts, Mapping):
        raise UnusableInput("release_data: only the action plugin reads the file")
    with only_with([] if facts is None else [ReleaseOverlay.of_facts(facts)]):
        yield
