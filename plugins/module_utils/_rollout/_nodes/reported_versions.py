# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare the versions that a Node reports with declared ones. Pure."""

from __future__ import annotations

_BOUNDARIES = ".~+-"  # what may follow a version of which a Node reports more


def is_version(declared: str, reported: str, installed: str = "") -> bool:
    """Return whether a reported version is the declared one, or says more of it: 1.7.24~ds1 is 1.7.24, and 1.7.

    A package's version can have more parts than the program reports: containerd of the package 1.7.24~ds1-6 says
    1.7.24~ds1. Then the version that a run has installed decides, "" for none.
    """
    declared, reported, installed = without_v(declared), without_v(reported), without_v(installed)
    if not declared or _begins(reported, declared):
        return True
    return bool(reported) and _begins(declared, reported) and _begins(installed, declared)


def without_v(version: str) -> str:
    """Return a version without the v of Kubernetes' tags: 1.34.9 for v1.34.9."""
    return version[1:] if version[:1] == "v" else version


def _begins(version: str, beginning: str) -> bool:
    """Return whether a version is another one, or one of those that it stands for."""
    if not version.startswith(beginning):
        return False
    return len(version) == len(beginning) or version[len(beginning)] in _BOUNDARIES
