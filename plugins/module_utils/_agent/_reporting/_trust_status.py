# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Describes which bundles this node trusts, and who vouches for the one that it uses."""

from __future__ import annotations

from ..._nodeconfig.config_status import TrustStatus
from .._agent_configuration import InvalidConfiguration
from .._state.node_state import Records
from .._state.records import ConfigRecord, raised_floors
from .._store._store import Store
from .._trust_settings import TrustSettings

_NO_CLUSTER = "audience not set: the node accepts what was signed for any cluster; set node_trust_clusters"
_ADOPTED_UNVERIFIED = "adopted while trust was off"


def trust_status(settings: TrustSettings, store: Store, records: Records, active: ConfigRecord) -> TrustStatus | None:
    """Return what the node reports, None while trust is off. active: the record in use, or about to be.

    Raises OSError.
    """
    try:
        policy = settings.current()
    except InvalidConfiguration as error:
        return TrustStatus(problem=f"the trust policy cannot be used: {error}")
    if policy is None:
        return None
    floors = raised_floors(store.read_trust_floors(), records.current, records.last_known_good, active)
    general = "" if policy.clusters else _NO_CLUSTER
    if active.trust is None:
        return TrustStatus(policy.mode, floors, problem=general if active.source is None else _ADOPTED_UNVERIFIED)
    return TrustStatus(policy.mode, floors, active.trust.signers, active.trust.problem or general)
