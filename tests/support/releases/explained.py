# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Why what a real binary says of itself may differ from the shipped data; any other difference is a fault of the data.

Keys are names, "*" for all that the reason holds for.
"""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["FIELDS", "FLAGS", "GATES"]

GATES: Mapping[str, str] = {
    "AllAlpha": "it switches all alpha gates, and the data have no row of it from 1.21 on",
    "AllBeta": "it switches all beta gates, and the data have no row of it from 1.21 on",
}
FLAGS: Mapping[str, str] = {
    "max-housekeeping-interval": "kubelets of some distributions have it, and upstream's do not",
    "windows-service": "a kubelet of Windows has it, and one of Linux does not",
    "windows-priorityclass": "a kubelet of Windows has it, and one of Linux does not",
}
FIELDS: Mapping[str, str] = {}
