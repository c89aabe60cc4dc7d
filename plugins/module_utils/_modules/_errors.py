# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong with the documents of a bundle, as types.

Apart from the code that finds it, so that a module which only reports errors need not load the engine.
Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["ConfigRefused", "UnusableDocument"]


class UnusableDocument(Exception):
    """A document that cannot be read, or is given twice; the text is one sentence."""


class ConfigRefused(Exception):
    """A config that must not be published; findings, as plain data, and lines say why, warnings included."""

    def __init__(self, message: str, findings: Sequence[dict[str, Any]], lines: Sequence[str]) -> None:
        self.findings = list(findings)
        self.lines = list(lines)
        super().__init__(message)
