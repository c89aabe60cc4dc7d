# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Moves a pool: policy, planner, gate, window, record, lock, runner. Private to configok.node.

Import from the file that defines a name. The decisions are pure: _pool_file, _planner with _canary, _gate, _window,
_transitions (the changes of the record), _pool_status, _rendering. The rest does the work in a thin shell:
_node_access, _node_watcher, _revisions, _record_store, _pool_lock, _session, _wave, _runner.
"""

from __future__ import annotations
