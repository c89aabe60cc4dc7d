# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare the container runtime that a Machine declares with that of its Node. Pure."""

from __future__ import annotations

from ..._rollout._nodes.reported_versions import is_version
from .._objects.types import Runtime


def is_runtime(declared: Runtime | None, reported: Runtime | None, applied: Runtime | None = None) -> bool:
    """Return whether a reported container runtime is the declared one; None as declared stands for any."""
    if declared is None:
        return True
    if reported is None or reported.name != declared.name:
        return False
    installed = applied.version if applied is not None and applied.name == declared.name else ""
    return is_version(declared.version, reported.version, installed)
