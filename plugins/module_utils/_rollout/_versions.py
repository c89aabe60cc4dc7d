# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check the versions that a node reports: of its agent and of its kubelet. Private to configok.node."""

from __future__ import annotations

import re

from .._componentconfig._exceptions import ConfigError
from .._componentconfig._schema._releases import known_minors, parse_minor
from .._nodeconfig._well_known import VERSION

__all__ = ["COLLECTION_VERSION", "agent_fits", "is_kubernetes_version"]

COLLECTION_VERSION = VERSION
_LAST_MINOR = 99  # of Kubernetes 1
_VERSION = re.compile(r"v?([0-9]{1,9})\.([0-9]{1,9})\.")


def agent_fits(agent_version: str, collection_version: str = COLLECTION_VERSION) -> bool:
    """Return whether an agent has the same or a neighbouring minor version; an unparsable version fits."""
    agent, collection = _VERSION.match(agent_version), _VERSION.match(collection_version)
    if agent is None or collection is None:
        return True
    return agent.group(1) == collection.group(1) and abs(int(agent.group(2)) - int(collection.group(2))) <= 1


def is_kubernetes_version(version: str) -> bool:
    """Return whether a config can be validated for a kubelet's version, such as v1.34.5.

    A version older than all known ones does not count: it would refuse what the other nodes can have.
    """
    try:
        return known_minors()[0] <= parse_minor(version) <= _LAST_MINOR
    except ConfigError:
        return False
