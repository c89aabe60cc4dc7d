# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The states of feature gates by minor."""

from __future__ import annotations

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema._feature_gates import FeatureGates


@pytest.mark.parametrize(
    ("gate", "minor", "is_known", "is_on"),
    [
        ("ContextualLogging", 29, True, False),
        ("ContextualLogging", 30, True, True),
        ("ContextualLogging", 36, True, True),
        ("IPv6DualStack", 24, True, True),
        ("IPv6DualStack", 25, False, True),
        ("IPv6DualStack", 27, False, True),
    ],
)
def test_a_gate_is_known_and_on_by_minor(gate: str, minor: int, is_known: bool, is_on: bool) -> None:
    gates = FeatureGates(minor, {})
    assert (gates.is_known(gate), gates.is_on(gate)) == (is_known, is_on)
