# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare the versions that a Machine declares with those that its Node reports. Pure. Private to configok.node."""

from __future__ import annotations

from .._objects._types import Runtime

__all__ = ["is_runtime", "is_version", "runtime_text"]

_BOUNDARIES = ".~+-"


def is_version(declared: str, reported: str, applied: str = "") -> bool:
    """Return whether a reported version is the declared one.

    1.7 stands for each 1.7.x. A package's version can have more parts than the program reports: containerd of the
    package 1.7.24~ds1-6 says 1.7.24~ds1. The reported version then does not decide, but applied does: the version that
    an earlier run has installed, "" for none.
    """
    if not declared or _begins(reported, declared):
        return True
    return bool(reported) and _begins(declared, reported) and _begins(applied, declared)


def is_runtime(declared: Runtime | None, reported: Runtime | None, applied: Runtime | None = None) -> bool:
    """Return whether a reported container runtime is the declared one; None as declared stands for any."""
    if declared is None:
        return True
    if reported is None or reported.name != declared.name:
        return False
    installed = applied.version if applied is not None and applied.name == declared.name else ""
    return is_version(declared.version, reported.version, installed)


def runtime_text(runtime: Runtime | None) -> str:
    """Return a container runtime as human-readable text, "" for none."""
    return "" if runtime is None else f"{runtime.name} {runtime.version}".strip()


def _begins(version: str, beginning: str) -> bool:
    """Return whether a version is another one, or one of those that it stands for."""
    if not version.startswith(beginning):
        return False
    return len(version) == len(beginning) or version[len(beginning)] in _BOUNDARIES
