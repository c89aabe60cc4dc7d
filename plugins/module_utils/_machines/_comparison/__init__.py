# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the machines of two clusters, or of a cluster and files, differ in. Pure. Private to configok.node."""

from __future__ import annotations

from ._compare_clusters import compare_clusters
from ._members import Member, member_of_machine, member_of_node
from ._rendering import diff_of, render_comparison, to_dict

__all__ = [
    "Member",
    "compare_clusters",
    "diff_of",
    "member_of_machine",
    "member_of_node",
    "render_comparison",
    "to_dict",
]
