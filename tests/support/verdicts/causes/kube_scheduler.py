# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Why the engine does not share recorded verdicts on the scheduler's config."""

from __future__ import annotations

from ._cause import Cause

__all__ = ["CAUSES"]

CAUSES: tuple[Cause, ...] = ()
