# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Generated from schema/ by tools/generate_componentconfig.py: do not edit.
"""How the kubelet merges its drop-ins as JSON.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

__all__ = ["TEXT"]

TEXT = r"""
{"environment":{"name":"KUBELET_CONFIG_DROPIN_DIR_ALPHA","last":29},"rules":[[28,"objects",
["defaults are filled into each drop-in and override what was there, and a zero, false or empty value",
"in a drop-in does not"]],[29,"internal",
["null in a drop-in does not take back what the main file says, and a zero in one is not the default"]],[32,
"versioned",["drop-ins are merged into the main file once its defaults are filled in"]]],"fields":{"evictionHard":
"its defaults are filled in before the drop-ins, whose keys add to them: name all its signals in a layer"}}
"""
