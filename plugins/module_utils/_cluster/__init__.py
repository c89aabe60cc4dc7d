# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects that the collection needs in a cluster. Private to configok.node: no compatibility is promised."""

from __future__ import annotations


class ClusterRefused(Exception):
    """The cluster must not be changed now; the message says why and what to do, in one sentence."""
