# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What modules and action plugins do, without Ansible. Private to configok.node: no compatibility is promised.

Each operation is a file or a package.
"""

from __future__ import annotations


class UnusableInput(Exception):
    """Raised for an option, a file or a unit that cannot be used; the text is one sentence without its full stop."""
