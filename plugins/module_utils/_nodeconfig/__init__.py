# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The config source, assignment and bundle of a node, and its answer (ConfigOK). Private to configok.node.

Import from the file that defines a name: this package is also read by ``configok-agent prestart``, which has 150 ms.
"""

from __future__ import annotations
