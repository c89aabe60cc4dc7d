# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a comparison of ComponentOptions needs of their flags, which most comparisons do without."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .._scalars.field_path import Path


@dataclass(frozen=True)
class OptionForms:
    """How ComponentOptions are compared.

    effective: brings a decoded document to one form, with a function that fills the defaults of another document in.
    class_of_change: returns the class of disruption of a change at a path, at a minor, between two documents.
    """

    effective: Callable[[Mapping[str, Any], Callable[[Any], Mapping[str, Any]]], dict[str, Any]]
    class_of_change: Callable[[Path, int, Sequence[Mapping[str, Any]]], str]


OPTION_FORMS: list[OptionForms] = []
"""The only one, once component_options.py is imported: no import statement of a comparison names it, so that the flags
are shipped only with what uses them. Without it, values count as they are written, and each change asks for a restart.
"""
