# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests the move of flags to a file on the real kubelet: sets of flags, and a node that starts kubelets with them."""

from __future__ import annotations

__all__: list[str] = []
