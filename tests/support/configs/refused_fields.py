# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Configs that one release of the kubelet accepts and another refuses."""

from __future__ import annotations

from typing import Any

from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema._feature_gates import (
    FeatureGates,
    gate_names,
    gate_state,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.releases import (
    newest_minor,
    parse_minor,
)

__all__ = ["refused_fields"]


def refused_fields(version: str, *, accepted_by: str) -> dict[str, Any]:
    """Return fields of a kubelet config that `version` refuses, {} if the data have none for the two minors.

    They set a feature gate that `version` does not know to its default, which it has in any case.
    """
    accepting, refusing = parse_minor(accepted_by), parse_minor(version)
    if max(accepting, refusing) > newest_minor():
        return {}
    gates = {
        name: state
        for name in gate_names()
        if (state := gate_state(name, accepting))
        and FeatureGates(accepting, {}).is_known(name)
        and not FeatureGates(refusing, {}).is_known(name)
    }
    if not gates:
        return {}
    gate = min(gates, key=lambda name: (not gates[name].locked, name))
    return {"featureGates": {gate: gates[gate].default}}
