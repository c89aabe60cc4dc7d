# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Say what a check leaves out by design. This is its scope, and says nothing against what was checked."""

from __future__ import annotations


def scope_of(*, knows_flags: bool, checks_host: bool) -> list[str]:
    """Return what a check leaves out, as noun phrases.

    knows_flags: whether the flags of the component are given. checks_host: whether the host is checked.
    """
    left_out = ["the content of files, servers and addresses that a config names"]
    if not knows_flags:
        left_out.append("flags of the command line")
    if not checks_host:
        left_out.append("the host")
    return left_out
