# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads which bundles this node trusts, as its own config has it now, and describes that for reports.

The package _trust is imported only on a node that verifies bundles: the daemon's memory is short.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from .._nodeconfig.config_status import TrustStatus
from ._agent_configuration import AgentConfiguration, InvalidConfiguration, load_configuration, trust_fields
from ._state.node_state import Records
from ._state.records import ConfigRecord, raised_floors
from ._store._durable_files import file_stamp
from ._store._store import Store

if TYPE_CHECKING:
    from .._trust.trust_policy import TrustPolicy


def parse_trust_policy(configuration: AgentConfiguration) -> TrustPolicy:
    """Return the trust policy of a configuration. Raises InvalidConfiguration with all errors of the section."""
    from .._trust.trust_policy import read_trust_policy

    fields = trust_fields(configuration)
    policy = read_trust_policy(fields)
    if fields.errors:
        raise InvalidConfiguration(fields.errors)
    return policy


def current_trust_policy(configuration: AgentConfiguration) -> TrustPolicy | None:
    """Return the trust policy as the file of the configuration has it now, None if it is off.

    Raises InvalidConfiguration, also when the file cannot be read: nothing is trusted by mistake.
    """
    present = load_configuration(configuration.file) if configuration.file else configuration
    section = present.trust
    # A section without a mode is parsed: a misspelt name must not turn the verification off.
    if section is None or (isinstance(section, Mapping) and section.get("mode") in (False, "off")):
        return None
    policy = parse_trust_policy(present)
    return None if policy.mode == "off" else policy


class TrustSettings:
    """The node's trust policy for reports: read again only when the file has changed."""

    def __init__(self, configuration: AgentConfiguration) -> None:
        self._configuration = configuration
        self._stamp: object = ()
        self._policy: TrustPolicy | None = None
        self._error: InvalidConfiguration | None = None

    def current(self) -> TrustPolicy | None:
        """Return the trust policy, None if it is off. Raises InvalidConfiguration."""
        stamp = file_stamp(self._configuration.file)
        if stamp != self._stamp:
            self._policy, self._error, self._stamp = None, None, stamp
            try:
                self._policy = current_trust_policy(self._configuration)
            except InvalidConfiguration as error:
                self._error = error
        if self._error is not None:
            raise self._error
        return self._policy

    def is_on(self) -> bool:
        """Return whether bundles are verified; a policy that cannot be used counts as one."""
        try:
            return self.current() is not None
        except InvalidConfiguration:
            return True


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
