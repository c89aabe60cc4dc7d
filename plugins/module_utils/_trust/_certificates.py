# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads OpenSSH certificates, and decides what they allow."""

from __future__ import annotations

from typing import NamedTuple

from .._text import sanitize
from ._ssh_wire import InvalidSshData, WireReader, encode_string
from .public_keys import PublicKey

CERTIFICATE_SUFFIX = "-cert-v01@openssh.com"
# The type of each certificate, the type of the key in it, and the number of strings that the key has.
_TYPES = {
    "ssh-ed25519-cert-v01@openssh.com": ("ssh-ed25519", 1),
    "sk-ssh-ed25519-cert-v01@openssh.com": ("sk-ssh-ed25519@openssh.com", 2),
    "ecdsa-sha2-nistp256-cert-v01@openssh.com": ("ecdsa-sha2-nistp256", 2),
    "ecdsa-sha2-nistp384-cert-v01@openssh.com": ("ecdsa-sha2-nistp384", 2),
    "ecdsa-sha2-nistp521-cert-v01@openssh.com": ("ecdsa-sha2-nistp521", 2),
    "sk-ecdsa-sha2-nistp256-cert-v01@openssh.com": ("sk-ecdsa-sha2-nistp256@openssh.com", 3),
    "ssh-rsa-cert-v01@openssh.com": ("ssh-rsa", 2),
}
_USER = 1
_USER_PREFIX = "user-"
_MAX_PRINCIPALS = 256
_VERIFY_REQUIRED = "verify-required"


class Certificate(NamedTuple):
    """A certificate that is not verified yet.

    key: the certified key. key_id: a text that its holder may choose. valid_after, valid_before: seconds since the
    epoch. signed_data, signature: of the authority.
    """

    key: PublicKey
    user: bool
    key_id: str
    principals: tuple[str, ...]
    valid_after: int
    valid_before: int
    critical_options: tuple[tuple[str, bytes], ...]
    authority: PublicKey
    signed_data: bytes
    signature: bytes

    @property
    def users(self) -> tuple[str, ...]:
        """Return the persons that the authority names: alice for the principal user-alice."""
        return tuple(name[len(_USER_PREFIX) :] for name in self.principals if name.startswith(_USER_PREFIX))

    @property
    def verify_required(self) -> bool:
        """Return whether signatures with it need a user that the security key has verified."""
        return (_VERIFY_REQUIRED, b"") in self.critical_options

    def principal_for(self, audience: str) -> str:
        """Return the principal that covers an audience: of its pool in its cluster, or in all of them; "" if none does.

        audience: the pool, with @ and the cluster if the statement names one.
        """
        names = (f"pool-{audience}", f"pool-{audience.partition('@')[0]}")
        return next((name for name in names if name in self.principals), "")

    def check(self, audience: str, now: float) -> None:
        """Raise InvalidSshData unless it is a user's, covers the audience, is valid now, and is not restricted."""
        if not self.user:
            raise InvalidSshData("the certificate is of a host, not of a user")
        if not self.principal_for(audience):
            raise InvalidSshData(f"the certificate does not have the principal pool-{audience}")
        if now < self.valid_after:
            raise InvalidSshData("the certificate is not valid yet: check the clocks, or wait")
        if now >= self.valid_before:
            raise InvalidSshData("the certificate has expired: sign again with a new certificate")
        if any(option != (_VERIFY_REQUIRED, b"") for option in self.critical_options):
            raise InvalidSshData(
                f"the certificate has a critical option other than {_VERIFY_REQUIRED}, and cannot sign bundles"
            )


def parse_certificate(certificate: PublicKey) -> Certificate:
    """Read a certificate from the wire format. Raises InvalidSshData."""
    if certificate.type not in _TYPES:
        raise InvalidSshData(f"certificates of type {sanitize(certificate.type, 60)} are not known")
    key_type, key_fields = _TYPES[certificate.type]
    reader = WireReader(certificate.blob, "the certificate")
    if reader.text() != certificate.type:
        raise InvalidSshData("the certificate's type differs from what it says")
    reader.string()  # the nonce
    key = b"".join(map(encode_string, (key_type.encode(), *(reader.string() for _field in range(key_fields)))))
    reader.number(8)  # the serial number
    kind = reader.number(4)
    key_id = reader.text()
    principals = _parse_principals(reader.string())
    valid_after, valid_before = reader.number(8), reader.number(8)
    critical_options = _parse_options(reader.string())
    _parse_options(reader.string())  # extensions are permissions for a login
    reader.string()  # reserved
    authority = reader.string()
    signed = certificate.blob[: reader.position]
    signature = reader.string()
    reader.end()
    authority_type = WireReader(authority, "the authority of the certificate").text()
    return Certificate(
        PublicKey(key_type, key),
        kind == _USER,
        key_id,
        principals,
        valid_after,
        valid_before,
        critical_options,
        PublicKey(authority_type, authority),
        signed,
        signature,
    )


def _parse_principals(data: bytes) -> tuple[str, ...]:
    reader = WireReader(data, "the list of principals")
    principals = []
    while not reader.at_end():
        principals.append(reader.text())
        if len(principals) > _MAX_PRINCIPALS:
            raise InvalidSshData(f"the certificate has more than {_MAX_PRINCIPALS} principals")
    return tuple(principals)


def _parse_options(data: bytes) -> tuple[tuple[str, bytes], ...]:
    reader = WireReader(data, "the options of the certificate")
    options = []
    while not reader.at_end():
        options.append((reader.text(), reader.string()))
    return tuple(options)
