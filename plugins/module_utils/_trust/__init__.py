# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Trust in bundles: statements, their signatures, and which of them a node trusts. Private to configok.node.

The agent and the control side use the same code, so a plan refuses what the nodes would refuse. Everything is pure but
ssh_keygen, which runs that program where a user prefers it.
"""
