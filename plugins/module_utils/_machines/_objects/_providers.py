# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The shipped providers: their kinds and roles, and what they can do. Pure. Private to configok.node."""

from __future__ import annotations

from typing import Final

from ._types import PROVIDER_API_VERSION, Capabilities, Provider

__all__ = ["SHIPPED_PROVIDERS"]

_FROM_PACKAGES = Capabilities(runtime_kind=True)
_REPLACES_ONLY = Capabilities(kubelet=False, runtime=False, runtime_kind=False, replace=True)

SHIPPED_PROVIDERS: Final = (
    Provider(PROVIDER_API_VERSION, "DebianHost", "configok.node.debian_host", _FROM_PACKAGES),
    Provider(PROVIDER_API_VERSION, "RPMHost", "configok.node.rpm_host", _FROM_PACKAGES),
    Provider(PROVIDER_API_VERSION, "BinaryHost", "configok.node.binary_host"),
    Provider(PROVIDER_API_VERSION, "External", "configok.node.external", _REPLACES_ONLY),
)
