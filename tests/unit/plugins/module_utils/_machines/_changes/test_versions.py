# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a reported version is the declared one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._machines._changes._versions import is_runtime, is_version
from ansible_collections.configok.node.plugins.module_utils._machines._objects._types import Runtime


@pytest.mark.parametrize(
    ("declared", "reported", "applied", "expected"),
    [
        ("1.34.9", "1.34.9", "", True),
        ("", "1.34.9", "", True),
        ("1.34", "1.34.9", "", True),
        ("1.34.9", "1.34.90", "", False),
        ("1.3", "1.34.9", "", False),
        ("1.34.9", "1.34.9-gke.100", "", True),
        ("1.34.9", "1.34.8", "1.34.9", False),
        ("1.34.9", "", "", False),
        # The Debian revision: only what a run has installed tells.
        ("1.7.24~ds1-6", "1.7.24~ds1", "", False),
        ("1.7.24~ds1-6", "1.7.24~ds1", "1.7.24~ds1-6", True),
        ("1.7.24~ds1-6", "1.7.24~ds1", "1.7.24~ds1-6+b4", True),
        ("1.7.24~ds1-6", "1.7.24~ds1", "1.7.24~ds1-5", False),
        ("1.7.24~ds1-6", "1.7.23~ds1", "1.7.24~ds1-6", False),
    ],
)
def test_a_version_fits_as_far_as_it_is_known(declared: str, reported: str, applied: str, expected: bool) -> None:
    assert is_version(declared, reported, applied) is expected


def test_another_runtime_never_fits() -> None:
    declared = Runtime("containerd", "1.7")
    assert is_runtime(None, None)
    assert is_runtime(declared, Runtime("containerd", "1.7.24"))
    assert not is_runtime(declared, Runtime("cri-o", "1.7.24"))
    assert not is_runtime(declared, None)
    assert not is_runtime(
        Runtime("containerd", "1.7.24-6"), Runtime("containerd", "1.7.24"), Runtime("cri-o", "1.7.24-6")
    )


_VERSION = st.lists(st.integers(0, 40).map(str), min_size=1, max_size=4).map(".".join)


@given(_VERSION, _VERSION)
def test_a_version_without_history_fits_only_its_own_beginning(declared: str, reported: str) -> None:
    parts, others = declared.split("."), reported.split(".")
    assert is_version(declared, reported) == (others[: len(parts)] == parts)
