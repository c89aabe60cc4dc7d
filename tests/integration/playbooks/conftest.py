# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster in this process, for what needs no real API server."""

from __future__ import annotations

from support.cluster_fixtures import cluster

__all__ = ["cluster"]
