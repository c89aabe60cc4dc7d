# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check signatures as a node with a trust policy would."""

from __future__ import annotations

from .._nodeconfig.local_config import LocalConfig
from .._nodeconfig.strict_mapping import StrictFields
from .._rollout._pool.pool_file import FORM
from .._trust.signatures import (
    SignatureChecker,
    Signer,
    UntrustedSignature,
    check_builtin,
    find_candidate,
)
from .._trust.ssh_keygen import SshKeygenVerifier
from .._trust.trust_policy import TrustPolicy, read_trust_policy
from ._signing import SshKeygen


def trust_policy(local: LocalConfig) -> TrustPolicy | None:
    """Return the trust policy in the local config of a node, None for one that this version cannot read."""
    errors: list[str] = []
    policy = read_trust_policy(StrictFields(dict(local.trust), "trust", errors, FORM))
    return None if errors else policy


def signature_checker(ssh_keygen: SshKeygen | None, placeholder: str = "") -> SignatureChecker:
    """Return what checks a signature as a node with the policy would.

    ssh_keygen: for policies that use it. placeholder: stands for a signature that will be made when it is published.
    """

    def check(armored: str, message: bytes, policy: TrustPolicy, audience: str, now: float) -> Signer:
        if placeholder and armored == placeholder:
            return find_candidate(armored, policy, audience, now).signer
        if policy.verifier != "ssh-keygen":
            return check_builtin(armored, message, policy, audience, now)
        if ssh_keygen is None:
            raise UntrustedSignature("there is no ssh-keygen to verify it with")
        return SshKeygenVerifier(ssh_keygen.verify)(armored, message, policy, audience, now)

    return check
