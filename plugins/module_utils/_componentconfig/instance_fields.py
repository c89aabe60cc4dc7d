# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""List the fields that belong to one node.

This file imports nothing, since every start of a component imports it.
"""

from __future__ import annotations

from collections.abc import Mapping

INSTANCE_FIELDS: Mapping[str, tuple[str, ...]] = {
    "KubeletConfiguration": ("providerID", "registerWithTaints"),
    "KubeProxyConfiguration": ("hostnameOverride",),
}
"""Fields whose value only one node can have: they belong in the instance config, never in a bundle."""
