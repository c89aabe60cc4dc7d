# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""SSH keys, certificates and SSHSIG signatures, made without ssh-keygen: also those that it would never make."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from ansible_collections.configok.node.plugins.module_utils._trust.public_keys import PublicKey

__all__ = ["NAMESPACE", "SshKey", "armored", "certified", "sshsig", "string"]

NAMESPACE = "bundle@configok.dev"
USER, HOST = 1, 2
TOUCHED, VERIFIED = 1, 4
EVER = 2**64 - 1


def string(value: str | bytes) -> bytes:
    """Return a string in SSH's wire format."""
    data = value.encode() if isinstance(value, str) else value
    return len(data).to_bytes(4, "big") + data


@dataclass(frozen=True)
class SshKey:
    """A pair of Ed25519 keys from a name. application: "ssh:" makes it a FIDO2 key, which also signs flags."""

    name: str
    application: str = ""
    flags: int = TOUCHED
    private: Ed25519PrivateKey = field(init=False, repr=False)

    def __post_init__(self) -> None:
        seed = hashlib.sha256(self.name.encode()).digest()
        object.__setattr__(self, "private", Ed25519PrivateKey.from_private_bytes(seed))

    @property
    def type(self) -> str:
        """Return the first word of the .pub file."""
        return "sk-ssh-ed25519@openssh.com" if self.application else "ssh-ed25519"

    @property
    def fields(self) -> bytes:
        """Return the public key in wire format, without its type."""
        application = string(self.application) if self.application else b""
        return string(self.private.public_key().public_bytes_raw()) + application

    @property
    def public(self) -> PublicKey:
        """Return the public key; its comment is the name."""
        return PublicKey(self.type, string(self.type) + self.fields, self.name)

    def sign(self, data: bytes) -> bytes:
        """Return the signature in wire format."""
        if not self.application:
            return string(self.type) + string(self.private.sign(data))
        state = bytes([self.flags]) + (7).to_bytes(4, "big")
        hashes = hashlib.sha256(self.application.encode()).digest(), hashlib.sha256(data).digest()
        return string(self.type) + string(self.private.sign(hashes[0] + state + hashes[1])) + state

    def openssh(self) -> bytes:
        """Return the private key as the file that ssh-keygen reads (ordinary keys only)."""
        return self.private.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption())


def certified(
    key: SshKey,
    authority: SshKey,
    *,
    principals: Sequence[str] = ("pool-workers",),
    key_id: str = "alice",
    valid: tuple[int, int] = (0, EVER),
    options: Mapping[str, bytes] | None = None,
    kind: int = USER,
    after: bytes = b"",
) -> PublicKey:
    """Return a certificate. options: the critical ones. after: bytes that do not belong there."""
    cert_type = key.type.replace("@openssh.com", "") + "-cert-v01@openssh.com"
    body = (
        string(cert_type)
        + string(b"n" * 32)
        + key.fields
        + (1).to_bytes(8, "big")
        + kind.to_bytes(4, "big")
        + string(key_id)
        + string(b"".join(map(string, principals)))
        + valid[0].to_bytes(8, "big")
        + valid[1].to_bytes(8, "big")
        + string(b"".join(string(name) + string(value) for name, value in (options or {}).items()))
        + string(b"")
        + string(b"")
        + string(authority.public.blob)
    )
    return PublicKey(cert_type, body + string(authority.sign(body)) + after, key.name)


def sshsig(
    key: SshKey,
    message: str | bytes,
    *,
    certificate: PublicKey | None = None,
    namespace: str = NAMESPACE,
    hash_algorithm: str = "sha512",
    reserved: bytes = b"",
    version: int = 1,
    inside: bytes = b"",
    after: bytes = b"",
) -> str:
    """Return an armored signature. certificate: instead of the plain key.

    reserved: what the field holds; it is not signed. inside, after: bytes that do not belong there.
    """
    data = message.encode() if isinstance(message, str) else message
    digest = hashlib.new(hash_algorithm, data).digest()
    signature = key.sign(b"SSHSIG" + string(namespace) + string(b"") + string(hash_algorithm) + string(digest)) + inside
    middle = string(namespace) + string(reserved) + string(hash_algorithm)
    public = (certificate or key.public).blob
    return armored(b"SSHSIG" + version.to_bytes(4, "big") + string(public) + middle + string(signature) + after)


def armored(blob: bytes) -> str:
    """Return a blob between the lines of an SSH signature."""
    text = base64.b64encode(blob).decode()
    lines = [text[start : start + 70] for start in range(0, len(text), 70)]
    return "\n".join(["-----BEGIN SSH SIGNATURE-----", *lines, "-----END SSH SIGNATURE-----", ""])
