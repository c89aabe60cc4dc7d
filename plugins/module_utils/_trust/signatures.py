# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Decides who made a signature, and whether a policy trusts that signer.

What a certificate allows and what is revoked is decided here for both verifiers; they differ in the cryptography.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from .._text import sanitize
from ._certificates import CERTIFICATE_SUFFIX, Certificate, parse_certificate
from ._key_signatures import verify_key_signature
from ._ssh_wire import InvalidSshData
from ._sshsig import SshSignature, parse_sshsig
from .public_keys import PublicKey
from .statement import SIGNATURE_NAMESPACE, format_time
from .trust_policy import TrustPolicy

_MAX_NAME = 100


class UntrustedSignature(ValueError):
    """A signature that does not count; the message says why in one sentence."""


class Signer(NamedTuple):
    """A signer. fingerprint: of the signing key. name: to be shown.

    authority: the fingerprint of the key that signed the certificate, "" for a plain key. valid_until: the end of the
    certificate, RFC 3339, "" for none. users: the persons that the authority names.
    """

    fingerprint: str
    name: str
    authority: str = ""
    valid_until: str = ""
    users: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """Return name and fingerprint, as messages show them."""
        return f"{self.name} ({self.fingerprint})" if self.name else self.fingerprint


class SignatureChecker(Protocol):
    """Checks one armored SSHSIG signature over a message, by the keys or authorities of a policy."""

    def __call__(self, armored: str, message: bytes, policy: TrustPolicy, audience: str, now: float, /) -> Signer:
        """Return the signer. audience: of the statement. now: seconds since the epoch. Raises UntrustedSignature."""


class Candidate(NamedTuple):
    """A signature by a trusted key or with a certificate of a trusted authority, if its cryptography is right.

    key: the key that must have made it. trusted: the key or authority of the policy.
    """

    signature: SshSignature
    key: PublicKey
    trusted: PublicKey
    certificate: Certificate | None
    signer: Signer

    @property
    def verify_required(self) -> bool:
        """Return whether the certificate needs a user that the security key has verified."""
        return self.certificate is not None and self.certificate.verify_required


def find_candidate(armored: str, policy: TrustPolicy, audience: str, now: float) -> Candidate:
    """Return who claims to have signed, if the policy trusts that signer. Raises UntrustedSignature."""
    try:
        signature = parse_sshsig(armored)
        if signature.namespace != SIGNATURE_NAMESPACE:
            raise InvalidSshData(
                f"the signature is for {sanitize(signature.namespace, 60)!r}, not for {SIGNATURE_NAMESPACE}: sign with "
                f"ssh-keygen -Y sign -n {SIGNATURE_NAMESPACE}"
            )
        if signature.public_key.type.endswith(CERTIFICATE_SUFFIX):
            return _certified(signature, policy, audience, now)
        return _plain(signature, policy)
    except InvalidSshData as error:
        raise UntrustedSignature(str(error)) from error


def check_builtin(armored: str, message: bytes, policy: TrustPolicy, audience: str, now: float) -> Signer:
    """Check a signature without another program (a SignatureChecker). Raises UntrustedSignature."""
    candidate = find_candidate(armored, policy, audience, now)
    try:
        verify_key_signature(
            candidate.key,
            candidate.signature.signed_data(message),
            candidate.signature.signature,
            verify_required=candidate.verify_required,
        )
    except InvalidSshData as error:
        raise UntrustedSignature(f"{candidate.signer.label}: {error}") from error
    certificate = candidate.certificate
    if certificate is not None:
        try:
            verify_key_signature(certificate.authority, certificate.signed_data, certificate.signature)
        except InvalidSshData as error:
            raise UntrustedSignature(f"the certificate of {candidate.signer.label} is not genuine: {error}") from error
    return candidate.signer


def _plain(signature: SshSignature, policy: TrustPolicy) -> Candidate:
    key = signature.public_key
    trusted = next((trusted for trusted in policy.keys if trusted.blob == key.blob), None)
    if trusted is None:
        raise InvalidSshData(
            f"key {key.fingerprint} is not trusted: sign with a trusted key, or add it to the keys of the trust policy"
        )
    _refuse_revoked(key, policy, "key")
    signer = Signer(key.fingerprint, sanitize(trusted.comment, _MAX_NAME))
    return Candidate(signature, key, trusted, None, signer)


def _certified(signature: SshSignature, policy: TrustPolicy, audience: str, now: float) -> Candidate:
    certificate = parse_certificate(signature.public_key)
    authority = certificate.authority
    trusted = next((trusted for trusted in policy.authorities if trusted.blob == authority.blob), None)
    if trusted is None:
        raise InvalidSshData(
            f"authority {authority.fingerprint} of the certificate is not trusted: use a certificate of a trusted "
            "authority, or add it to the authorities of the trust policy"
        )
    _refuse_revoked(authority, policy, "authority")
    _refuse_revoked(certificate.key, policy, "the certified key")
    signer = Signer(
        certificate.key.fingerprint,
        sanitize(", ".join(certificate.users) or certificate.key_id, _MAX_NAME),
        authority.fingerprint,
        format_time(certificate.valid_before),
        certificate.users,
    )
    try:
        certificate.check(audience, now)
    except InvalidSshData as error:
        raise InvalidSshData(f"{signer.label}: {error}") from error
    return Candidate(signature, certificate.key, trusted, certificate, signer)


def _refuse_revoked(key: PublicKey, policy: TrustPolicy, what: str) -> None:
    if key.fingerprint in policy.revoked:
        raise InvalidSshData(f"{what} {key.fingerprint} is revoked: sign with another key")
