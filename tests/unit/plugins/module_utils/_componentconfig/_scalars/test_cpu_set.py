# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists of CPUs."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._scalars._numbers import parse_cpu_list


@pytest.mark.parametrize(
    ("text", "cpus"),
    [
        ("0-3,8\n", {0, 1, 2, 3, 8}),
        ("2", {2}),
        ("0, 2-3", {0, 2, 3}),
        ("3-1", set()),
        ("", set()),
        (None, set()),
        ("x,1-,²,-1,1-2-3", set()),
        ("0-2,1-4,7,2-3", {0, 1, 2, 3, 4, 7}),
        ("0-99999," * 20_000, set(range(100_000))),
        ("9" * 5000 + ",1", {1}),
    ],
)
def test_lists(text: Any, cpus: set[int]) -> None:
    assert parse_cpu_list(text) == cpus
