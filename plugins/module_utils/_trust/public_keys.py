# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""SSH public keys, as they are in authorized_keys and .pub files."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from typing import NamedTuple

from . import _ed25519
from ._ssh_wire import InvalidSshData, WireReader

SSH_ED25519 = "ssh-ed25519"
SK_ED25519 = "sk-ssh-ed25519@openssh.com"
_MAX_CHARACTERS = 16 * 1024
_TYPE = re.compile(r"[a-z][a-z0-9@.-]{0,99}\Z")


class InvalidPublicKey(ValueError):
    """A text that is not an SSH public key; the message says why in one sentence."""


class PublicKey(NamedTuple):
    """A public key. type: the first word of a .pub file. blob: the key in SSH's wire format. comment: its owner."""

    type: str
    blob: bytes
    comment: str = ""

    @property
    def fingerprint(self) -> str:
        """Return "SHA256:..." as ssh-keygen -l prints it."""
        digest = base64.b64encode(hashlib.sha256(self.blob).digest()).decode()
        return f"SHA256:{digest.rstrip('=')}"

    @property
    def line(self) -> str:
        """Return the text of a .pub file, without a line end."""
        return f"{self.type} {base64.b64encode(self.blob).decode()} {self.comment}".rstrip()


def parse_public_key(line: str) -> PublicKey:
    """Read "ssh-ed25519 AAAA... comment". Raises InvalidPublicKey."""
    words = line.split(None, 2) if len(line) <= _MAX_CHARACTERS else []
    if len(words) < 2:
        raise InvalidPublicKey("must be a public key such as ssh-ed25519 AAAA... comment")
    comment = words[2].strip() if len(words) > 2 else ""
    if not comment.isprintable():
        raise InvalidPublicKey("must be one public key, on one line and without control characters")
    if not _TYPE.match(words[0]):
        raise InvalidPublicKey("must be a public key: its first word must be a type such as ssh-ed25519, not an option")
    try:
        blob = base64.b64decode(words[1], validate=True)
    except (binascii.Error, ValueError) as error:
        raise InvalidPublicKey("must be a public key: its second word is not base64") from error
    name = words[0].encode()
    if blob[: 4 + len(name)] != len(name).to_bytes(4, "big") + name:
        raise InvalidPublicKey(f"must be a public key: it holds no key of type {words[0]!r}")
    key = PublicKey(words[0], blob, comment)
    if key.type in (SSH_ED25519, SK_ED25519):
        try:
            read_ed25519(key)
        except InvalidSshData as error:
            raise InvalidPublicKey(f"must be a public key: {error}") from error
    return key


def read_ed25519(key: PublicKey) -> tuple[bytes, bytes]:
    """Return the 32 bytes of an Ed25519 key, and its FIDO2 application, b"" for none. Raises InvalidSshData."""
    reader = WireReader(key.blob, "the key")
    reader.text()
    public_key = reader.string()
    application = reader.string() if key.type == SK_ED25519 else b""
    reader.end()
    if len(public_key) != _ed25519.KEY_BYTES:
        raise InvalidSshData(f"an Ed25519 key has {_ed25519.KEY_BYTES} bytes, this one has {len(public_key)}")
    return public_key, application
