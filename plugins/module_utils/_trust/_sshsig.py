# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads and writes SSHSIG signatures, as ssh-keygen -Y sign writes them."""

from __future__ import annotations

import base64
import binascii
import hashlib
from typing import NamedTuple

from ._ssh_wire import InvalidSshData, WireReader, encode_string
from .public_keys import PublicKey

MAX_SIGNATURE = 8 * 1024  # characters
_BEGIN, _END = "-----BEGIN SSH SIGNATURE-----", "-----END SSH SIGNATURE-----"
_MAGIC = b"SSHSIG"
_VERSION = 1
_HASHES = {"sha256": hashlib.sha256, "sha512": hashlib.sha512}


class SshSignature(NamedTuple):
    """A signature that is not verified yet. public_key: the signing key or its certificate, which it brings along.

    signature: in wire format.
    """

    public_key: PublicKey
    namespace: str
    hash_algorithm: str
    signature: bytes

    def signed_data(self, message: bytes) -> bytes:
        """Return what the key has signed if this signature is of the message."""
        digest = _HASHES[self.hash_algorithm](message).digest()
        parts = (self.namespace.encode(), b"", self.hash_algorithm.encode(), digest)
        return _MAGIC + b"".join(map(encode_string, parts))

    def armor(self) -> str:
        """Return the text, as ssh-keygen -Y sign writes it."""
        parts = (
            self.public_key.blob,
            self.namespace.encode(),
            b"",
            self.hash_algorithm.encode(),
            self.signature,
        )
        data = _MAGIC + _VERSION.to_bytes(4, "big") + b"".join(map(encode_string, parts))
        text = base64.b64encode(data).decode()
        lines = [text[start : start + 70] for start in range(0, len(text), 70)]
        return "\n".join([_BEGIN, *lines, _END, ""])


def parse_sshsig(armored: str) -> SshSignature:
    """Read an armored signature. Raises InvalidSshData."""
    reader = WireReader(_dearmor(armored), "the signature")
    if reader.take(len(_MAGIC)) != _MAGIC:
        raise InvalidSshData("the signature is not an SSH signature: it does not begin with SSHSIG")
    version = reader.number(4)
    if version != _VERSION:
        raise InvalidSshData(f"the signature has version {version}, only version {_VERSION} is known")
    blob, namespace, reserved, hash_algorithm, signature = (
        reader.string(),
        reader.text(),
        reader.string(),
        reader.text(),
        reader.string(),
    )
    reader.end()
    if reserved:
        raise InvalidSshData("the signature has data in a field that is reserved")
    if hash_algorithm not in _HASHES:
        raise InvalidSshData("the signature is not over a SHA-256 or SHA-512 hash")
    return SshSignature(
        PublicKey(WireReader(blob, "the signing key").text(), blob), namespace, hash_algorithm, signature
    )


def _dearmor(armored: str) -> bytes:
    text = armored.strip()
    if len(armored) > MAX_SIGNATURE or not text.startswith(_BEGIN + "\n") or not text.endswith("\n" + _END):
        raise InvalidSshData(
            f"the signature is not a text from {_BEGIN} to {_END} of at most {MAX_SIGNATURE} characters, "
            "as ssh-keygen -Y sign writes it"
        )
    try:
        return base64.b64decode("".join(text[len(_BEGIN) : -len(_END)].split()), validate=True)
    except (binascii.Error, ValueError) as error:
        raise InvalidSshData("the signature is not base64 between its first and last line") from error
