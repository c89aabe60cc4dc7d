# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Describes signatures for users; whether they are right is not decided here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ._certificates import CERTIFICATE_SUFFIX, Certificate, parse_certificate
from ._ssh_wire import InvalidSshData, encode_string
from ._sshsig import SshSignature, parse_sshsig
from .public_keys import PublicKey
from .statement import SIGNATURE_NAMESPACE, InvalidStatement, format_time, parse_signatures


def list_signatures(annotation: str) -> list[dict[str, Any]]:
    """Return the signatures in an annotation as plain data; none if it is damaged."""
    try:
        return describe_signatures(parse_signatures(annotation))
    except InvalidStatement:
        return []


def describe_signatures(signatures: Sequence[str]) -> list[dict[str, Any]]:
    """Return armored signatures as plain data."""
    return [_describe(signature) for signature in signatures]


def _describe(armored: str) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "fingerprint": "",
        "type": "",
        "key_id": "",
        "principals": [],
        "valid_after": "",
        "valid_before": "",
        "authority": "",
        "problem": "",
    }
    try:
        key = parse_sshsig(armored).public_key
        certificate = _certificate(key)
    except InvalidSshData as error:
        return {**facts, "problem": str(error)}
    if certificate is None:
        return {**facts, "fingerprint": key.fingerprint, "type": key.type}
    return {
        **facts,
        "fingerprint": certificate.key.fingerprint,
        "type": key.type,
        "key_id": certificate.key_id,
        "principals": list(certificate.principals),
        "valid_after": format_time(certificate.valid_after) if certificate.valid_after else "",
        "valid_before": format_time(certificate.valid_before),
        "authority": certificate.authority.fingerprint,
    }


def _certificate(key: PublicKey) -> Certificate | None:
    return parse_certificate(key) if key.type.endswith(CERTIFICATE_SUFFIX) else None


def is_made_by(armored: str, key: PublicKey) -> bool:
    """Return whether a signature names exactly this key or certificate."""
    try:
        return parse_sshsig(armored).public_key.blob == key.blob
    except InvalidSshData:
        return False


def is_signed_by(armored: str, fingerprint: str) -> bool:
    """Return whether a signature names the key with this fingerprint, with or without a certificate."""
    try:
        return signer_fingerprint(parse_sshsig(armored).public_key) == fingerprint
    except InvalidSshData:
        return False


def signer_fingerprint(key: PublicKey) -> str:
    """Return the fingerprint of a key, of a certificate that of the certified key."""
    try:
        certificate = _certificate(key)
    except InvalidSshData:
        certificate = None
    return key.fingerprint if certificate is None else certificate.key.fingerprint


def placeholder_signature(key: PublicKey) -> str:
    """Return an armored signature that names its key and holds nothing."""
    nothing = encode_string(b"none") + encode_string(b"none")
    return SshSignature(key, SIGNATURE_NAMESPACE, "sha512", nothing).armor()
