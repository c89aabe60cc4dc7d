# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Validate, compare and publish the bundle of a pool."""

from __future__ import annotations

from ._publish import publish, write_statement
from ._release import (
    Publication,
    Release,
    prepare,
    read_documents,
    read_layered_document,
    render_release,
    version_warnings,
)

__all__ = [
    "Publication",
    "Release",
    "prepare",
    "publish",
    "read_documents",
    "read_layered_document",
    "render_release",
    "version_warnings",
    "write_statement",
]
