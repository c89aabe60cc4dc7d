# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a bundle changes on nodes."""

from __future__ import annotations

from ._document_changes import SourceDocument, current_documents, diff_documents, text_diff
from ._release_changes import (
    NodeGroup,
    Overrides,
    denied_findings,
    field_changes,
    group_changes,
    render_changes,
)

__all__ = [
    "NodeGroup",
    "Overrides",
    "SourceDocument",
    "current_documents",
    "denied_findings",
    "diff_documents",
    "field_changes",
    "group_changes",
    "render_changes",
    "text_diff",
]
