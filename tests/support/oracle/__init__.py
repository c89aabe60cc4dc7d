# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The real kubelet as oracle: what it does with a config, compared with our validation.

Pure functions make the cases, one file for each way to make them; `cases.all_cases` returns all of them.
"""

from __future__ import annotations

__all__: list[str] = []
