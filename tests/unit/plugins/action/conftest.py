# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster in this process, for every test here."""

from __future__ import annotations

from support.session.cluster_fixtures import cluster, nodes

__all__ = ["cluster", "nodes"]
