# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The node agent. Private to configok.node: no compatibility is promised.

Import from the file that defines a name: ``prestart`` has 150 ms from an archive without bytecode, so what it imports
stays free of urllib3, ssl, yaml and the config engine. Values are NamedTuples: the module dataclasses would cost every
start 20 ms, and the daemon a megabyte.
"""

from __future__ import annotations

from .._nodeconfig.well_known import VERSION

__all__ = ["AGENT_VERSION"]

AGENT_VERSION = VERSION
