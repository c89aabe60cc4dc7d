# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the kubelet and we do not agree, each with its reason. The test fails for any other, and for one that is gone."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["EXPLAINED"]

EXPLAINED: Mapping[str, str] = {}
"""Names of cases, and why."""
