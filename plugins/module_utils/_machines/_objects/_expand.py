# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Expand a MachineSet into what its Machines would say. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

MAX_HOSTS: Final = 10_000
HOST_FIELDS: Final = frozenset(("name", "labels"))
"""The fields of a host in a MachineSet that are the Machine's; all others are its provider's."""


def expand_host(template: Mapping[str, Any], host: Mapping[str, Any]) -> dict[str, Any]:
    """Return metadata and spec of the Machine of one host: those of the template, with the host's name and labels.

    The providerConfig is still that of the template.
    """
    metadata = template.get("metadata") or {}
    own = host.get("labels")
    labels = {**(metadata.get("labels") or {}), **(own if isinstance(own, dict) else {})}
    metadata = {**metadata, "name": host.get("name", ""), "labels": labels}
    return {"metadata": metadata, "spec": template.get("spec") or {}}
