# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Verifies what one SSH key has signed: Ed25519, and its FIDO2 form. Private to configok.node."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

from . import _ed25519
from ._public_keys import SK_ED25519, SSH_ED25519, PublicKey, read_ed25519
from ._ssh_wire import InvalidSshData, WireReader

__all__ = ["verify_key_signature"]

# Flags of an authenticator (FIDO2's "authenticator data").
_USER_PRESENT = 0x01  # someone touched it
_USER_VERIFIED = 0x04  # by PIN or biometrics


class _KeySignature(NamedTuple):
    value: bytes
    flags: int = 0
    counter: bytes = b""


def verify_key_signature(key: PublicKey, data: bytes, signature: bytes, *, verify_required: bool = False) -> None:
    """Raise InvalidSshData unless the key has made the signature (in wire format) over the data.

    A FIDO2 key must have been touched. verify_required: and its user verified, by PIN for example.
    """
    if key.type not in (SSH_ED25519, SK_ED25519):
        raise InvalidSshData(f"the built-in verifier does not know keys of type {key.type[:60]}")
    parsed = _parse_signature(key.type, signature)
    public_key, application = read_ed25519(key)
    if key.type == SK_ED25519:
        if not parsed.flags & _USER_PRESENT:
            raise InvalidSshData("the security key was not touched when it signed")
        if verify_required and not parsed.flags & _USER_VERIFIED:
            raise InvalidSshData("the security key did not verify its user (PIN) when it signed")
        data = _digest(application) + bytes([parsed.flags]) + parsed.counter + _digest(data)
    elif verify_required:
        raise InvalidSshData("the certificate requires user verification, which only a FIDO2 key can do")
    if not _ed25519.verify(public_key, data, parsed.value):
        raise InvalidSshData("the signature does not match what it should have signed")


def _parse_signature(key_type: str, signature: bytes) -> _KeySignature:
    reader = WireReader(signature, "the signature")
    if reader.text() != key_type:
        raise InvalidSshData("the signature is not of the type of its key")
    value = reader.string()
    parsed = _KeySignature(value)
    if key_type == SK_ED25519:
        parsed = _KeySignature(value, reader.number(1), reader.take(4))
    reader.end()
    return parsed


def _digest(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()
