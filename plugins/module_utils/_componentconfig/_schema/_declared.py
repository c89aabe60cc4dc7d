# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinds that a package above the engine declares, such as Machine: people write them, and no component reads them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class DeclaredKinds:
    """What the engine needs to check and explain kinds that are not its own.

    index, kinds, rules: their generated data as JSON. checks: their rules by kind and id.
    """

    index: str
    kinds: str
    rules: str
    checks: Mapping[str, Mapping[str, Any]]


DECLARED: dict[str, DeclaredKinds] = {}
"""The declared kinds by the name of their data module. A package adds its own when it is imported: no import statement
of the engine names them, so that they are shipped only with what uses them."""
