# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Verifies the signatures of a bundle before this node validates or keeps it.

Only bundles that are about to be adopted are verified: neither the config in use nor last-known-good depends on a
clock, on keys or on floors.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from .._nodeconfig.bundle import Bundle
from .._nodeconfig.config_status import SignerStatus
from .._text import sanitize
from ._agent_context import AgentContext
from ._log import log
from ._state.records import RecordTrust, raised_floors
from ._store._durable_files import LOCK_WAIT, locked
from ._trust_settings import current_trust_policy

if TYPE_CHECKING:
    from .._trust.signatures import SignatureChecker
    from .._trust.trust_policy import TrustPolicy
    from .._trust.verification import TrustVerdict

_MAX_NAME = 100  # characters of a signer's name in the record


class BundleUntrusted(Exception):
    """The node's trust policy does not accept the bundle; the text is the reason."""


class BundleVerifier:
    """Verifies bundles by the node's trust policy, which it reads each time: a rotation of keys restarts nothing."""

    def __init__(self, context: AgentContext) -> None:
        self._configuration = context.configuration
        self._clock = context.clock
        self._store = context.store
        self._run_command = context.commands.run

    def verify(self, bundle: Bundle) -> TrustVerdict | None:
        """Return the verdict on a bundle, None if trust is off. Raises InvalidConfiguration, OSError, LockTimeout."""
        policy = current_trust_policy(self._configuration)
        if policy is None:
            return None
        from .._trust.verification import verify_bundle  # here: trust is off on most nodes

        now = datetime.fromisoformat(self._clock.now().replace("Z", "+00:00")).timestamp()
        return verify_bundle(bundle, policy, floors=self._floors(), now=now, check_signature=self._checker(policy))

    def _checker(self, policy: TrustPolicy) -> SignatureChecker | None:
        if policy.verifier == "builtin" or self._run_command is None:
            return None
        from .._trust.ssh_keygen import choose_checker
        from ._ssh_keygen_command import SshKeygenCommand

        return choose_checker(policy, SshKeygenCommand(self._run_command))

    def _floors(self) -> dict[str, int]:
        with locked(self._store.lock, wait=LOCK_WAIT):
            records = self._store.read_records()
            return raised_floors(self._store.read_trust_floors(), records.current, records.last_known_good)


def record_trust(bundle: Bundle, verdict: TrustVerdict | None) -> RecordTrust | None:
    """Return what the record of a bundle says of its verification, and log it. Raises BundleUntrusted."""
    if verdict is None:
        return None
    for problem in verdict.problems:
        log.warning("a signature does not count: %s", sanitize(problem), extra={"uid": bundle.source.uid})
    reason = sanitize(verdict.reason)
    if not verdict.accepted:
        raise BundleUntrusted(reason)
    signers = tuple(
        SignerStatus(sanitize(signer.fingerprint, _MAX_NAME), sanitize(signer.name, _MAX_NAME))
        for signer in verdict.signers
    )
    if not verdict.trusted or verdict.statement is None:
        log.warning("an untrusted config is accepted: %s", reason, extra={"uid": bundle.source.uid})
        return RecordTrust(bundle.pool, signers=signers, problem=reason)
    statement = verdict.statement
    log.info(
        "verified a config, signed by %s",
        ", ".join(f"{signer.name} ({signer.fingerprint})" for signer in signers),
        extra={"uid": bundle.source.uid},
    )
    return RecordTrust(statement.audience, statement.sequence, statement.floor, signers)
