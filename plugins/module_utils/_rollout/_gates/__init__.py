# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Gates in addition to a node's own answer: the Node, Prometheus, alerts, URLs. Private to configok.node.

The decisions are pure: answers and _decisions. _gate_settings, _node_gates and the types of server gates evaluate the
patterns and expressions of users, in child processes. gate_client asks servers, and _gate_monitor does so in the
background.
"""
