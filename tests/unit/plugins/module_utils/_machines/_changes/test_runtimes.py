# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a reported container runtime is the declared one."""

from __future__ import annotations

from ansible_collections.configok.node.plugins.module_utils._machines._changes.runtimes import is_runtime
from ansible_collections.configok.node.plugins.module_utils._machines._objects.types import Runtime


def test_another_runtime_never_fits() -> None:
    declared = Runtime("containerd", "1.7")
    assert is_runtime(None, None)
    assert is_runtime(declared, Runtime("containerd", "1.7.24"))
    assert not is_runtime(declared, Runtime("cri-o", "1.7.24"))
    assert not is_runtime(declared, None)
    assert not is_runtime(
        Runtime("containerd", "1.7.24-6"), Runtime("containerd", "1.7.24"), Runtime("cri-o", "1.7.24-6")
    )
