# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks signatures with ssh-keygen, which knows all types of keys. Pure but for its runner.

Which key or authority must have signed, what a certificate allows and what is revoked is decided before, as for the
built-in verifier. The file of allowed signers then has one line, for that key alone, of parts that were checked, so
comments, key ids and names of others never reach it.
"""

from __future__ import annotations

import base64
import re
from typing import Protocol

from .._text import sanitize
from ._key_signatures import check_authenticator
from ._ssh_wire import InvalidSshData
from .signatures import Candidate, SignatureChecker, Signer, UntrustedSignature, check_builtin, find_candidate
from .ssh_keygen_check import ALLOWED_SIGNERS, SIGNATURE, SshKeygenCheck, SshKeygenResult
from .statement import SIGNATURE_NAMESPACE
from .trust_policy import TrustPolicy

# The principal is a pattern to ssh-keygen, so it must not have * or a comma.
_AUDIENCE = re.compile(r"[a-z0-9][a-z0-9-]{0,51}(@[a-z0-9.-]{1,63})?\Z")
_ADVICE = "install OpenSSH 8.1 or newer, or set verifier to builtin"


class SshKeygenRunner(Protocol):
    """Runs ssh-keygen for one check: writes the files to a directory that no other user can write, and removes it."""

    def __call__(self, check: SshKeygenCheck, /) -> SshKeygenResult:
        """Return the result. Raises OSError if it cannot run, TimeoutError (an OSError) if it does not end."""


class SshKeygenVerifier:
    """A SignatureChecker that runs ssh-keygen."""

    def __init__(self, run: SshKeygenRunner) -> None:
        self._run = run

    def __call__(self, armored: str, message: bytes, policy: TrustPolicy, audience: str, now: float) -> Signer:
        """Return the signer. Raises UntrustedSignature."""
        if not _AUDIENCE.match(audience):
            raise UntrustedSignature(f"{sanitize(audience, 60)!r} is not the name of a pool, nor of one in a cluster")
        candidate = find_candidate(armored, policy, audience, now)
        certificate = candidate.certificate
        try:
            check_authenticator(candidate.key, candidate.signature.signature, verify_required=candidate.verify_required)
            if certificate is not None:
                check_authenticator(certificate.authority, certificate.signature)
        except InvalidSshData as error:
            raise UntrustedSignature(f"{candidate.signer.label}: {error}") from error
        principal = f"pool-{audience}" if certificate is None else certificate.principal_for(audience)
        check = _check_of(candidate, armored, message, principal)
        try:
            result = self._run(check)
        except OSError as error:
            raise UntrustedSignature(f"ssh-keygen could not verify the signature: {error}: {_ADVICE}") from error
        if result.code:
            cause = sanitize(" ".join(result.output.split()), 200) or f"exit code {result.code}"
            raise UntrustedSignature(f"{candidate.signer.label}: ssh-keygen refuses the signature: {cause}")
        return candidate.signer


def choose_checker(policy: TrustPolicy, run: SshKeygenRunner) -> SignatureChecker:
    """Return the verifier that the policy names. run: for ssh-keygen."""
    return SshKeygenVerifier(run) if policy.verifier == "ssh-keygen" else check_builtin


def _check_of(candidate: Candidate, armored: str, message: bytes, principal: str) -> SshKeygenCheck:
    options = f'namespaces="{SIGNATURE_NAMESPACE}"'
    if candidate.certificate is not None:
        options = f"cert-authority,{options}"
    key = candidate.trusted
    line = f"{principal} {options} {key.type} {base64.b64encode(key.blob).decode()}\n"
    text = armored.strip() + "\n"
    return SshKeygenCheck({ALLOWED_SIGNERS: line, SIGNATURE: text}, message.decode("ascii"), principal)
