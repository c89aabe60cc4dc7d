# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Machines: the declarative spec of Nodes, and what it takes to make it true. Private to configok.node.

_objects (Machine, MachineSet, Cluster, Provider and the providers' kinds, as files, Nodes or Cluster API have them),
_changes (from a Machine and its Node to a planned change) and _status are pure. The rollout engine carries the changes
out; a provider, which is an Ansible role, changes the hosts.
"""

from __future__ import annotations

from collections.abc import Sequence


class MachinesError(Exception):
    """Machines that cannot be reconciled; the text is one sentence with the cause and the remedy."""


class InvalidMachines(MachinesError):
    """Invalid Machine files; errors has one sentence for each error, with file, line and field path."""

    def __init__(self, errors: Sequence[str]) -> None:
        self.errors = tuple(errors)
        super().__init__("; ".join(self.errors))
