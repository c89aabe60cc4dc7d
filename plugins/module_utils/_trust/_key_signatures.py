# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Verifies what one SSH key has signed: Ed25519, and its FIDO2 form."""

from __future__ import annotations

import hashlib

from .._text import sanitize
from . import _ed25519
from ._ssh_wire import InvalidSshData, WireReader
from .public_keys import SK_ED25519, SSH_ED25519, PublicKey, read_ed25519

# A FIDO2 key signs flags and a counter of 4 bytes too.
_AUTHENTICATOR_BYTES = 5
_USER_PRESENT = 0x01  # someone touched it
_USER_VERIFIED = 0x04  # by PIN or biometrics


def verify_key_signature(key: PublicKey, data: bytes, signature: bytes, *, verify_required: bool = False) -> None:
    """Raise InvalidSshData unless the key has made the signature (in wire format) over the data.

    A FIDO2 key must have been touched. verify_required: and its user verified, by PIN for example.
    """
    if key.type not in (SSH_ED25519, SK_ED25519):
        raise InvalidSshData(
            f"the built-in verifier does not know keys of type {sanitize(key.type, 60)}: set verifier to ssh-keygen"
        )
    check_authenticator(key, signature, verify_required=verify_required)
    reader = WireReader(signature, "the signature")
    if reader.text() != key.type:
        raise InvalidSshData("the signature is not of the type of its key")
    value = reader.string()
    public_key, application = read_ed25519(key)
    if key.type == SK_ED25519:
        data = _digest(application) + reader.take(_AUTHENTICATOR_BYTES) + _digest(data)
    reader.end()
    if not _ed25519.verify(public_key, data, value):
        raise InvalidSshData("the signature does not match what it should have signed")


def check_authenticator(key: PublicKey, signature: bytes, *, verify_required: bool = False) -> None:
    """Raise InvalidSshData if the signature says that a FIDO2 key was not touched, or did not verify its user.

    ssh-keygen accepts that. Whether the signature is genuine is not decided here.
    """
    if not key.type.startswith("sk-"):
        if verify_required:
            raise InvalidSshData("the certificate requires user verification, which only a FIDO2 key can do")
        return
    reader = WireReader(signature, "the signature")
    reader.string()  # the type
    reader.string()  # what the key made
    flags = reader.number(1)
    if not flags & _USER_PRESENT:
        raise InvalidSshData("the security key was not touched when it signed")
    if verify_required and not flags & _USER_VERIFIED:
        raise InvalidSshData("the security key did not verify its user (PIN) when it signed")


def _digest(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()
