# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Testbeds by hand and for playbooks: tests/support/bin/machines up|down|list."""

from __future__ import annotations

import sys

from ._command_line import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
