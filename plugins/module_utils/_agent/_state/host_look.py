# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Describes what the agent has seen of the host before it restarts a component. Pure."""

from __future__ import annotations

from typing import NamedTuple


class HostLook(NamedTuple):
    """The result of one check of the host and of the components that are about to be restarted.

    problem: what would make the restart of a component fail that does not fail yet, "" if nothing would; while there is
    one, nothing is restarted. failing: what is wrong with a component under the config in use, "" if nothing is.
    """

    problem: str = ""
    failing: str = ""
