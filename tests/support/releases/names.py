# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Releases of Kubernetes by what the collection knows of them, so that a test needs no change for a new release."""

from __future__ import annotations

from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.releases import (
    minor_name,
    newest_minor,
)

NEWEST_RELEASE = minor_name(newest_minor())
"""The newest release whose data are whole, such as "1.37"."""
NEXT_MINOR = newest_minor() + 1
NEXT_RELEASE = minor_name(NEXT_MINOR)
"""The first release without whole data."""
LATER_RELEASE = minor_name(newest_minor() + 2)
