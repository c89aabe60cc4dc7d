# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hollow nodes on a real API server, for tests, benchmarks and the rehearsal of a rollout.

scenario: the file that describes them. hollow_node: one node's agent, without I/O. node_objects: what is written to the
cluster. simulator: runs them all in one process.
"""

from __future__ import annotations
