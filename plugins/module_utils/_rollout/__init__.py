# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What moves a pool: policy, planner, gate, window, record, lock, engine. Private to configok.node.

Import from the file that defines a name. Deciding is pure: _policy and _fields, _planner with _canary, _gate, _window,
_steps (the record's changes), _history, _status, _plan_text. Doing is a thin shell: _observe, _assign, _publish,
_record_store, _lock, _wave_loop, _engine.
"""

from __future__ import annotations
