# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Decides whether a trust policy accepts a bundle; time and floors are inputs. Pure. Private to configok.node."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol

from .._nodeconfig._bundle import Bundle
from ._statement import Statement
from ._trust_policy import TrustPolicy

__all__ = ["SignatureChecker", "Signer", "TrustVerdict", "UntrustedSignature", "verify_bundle"]


class UntrustedSignature(ValueError):
    """A signature that does not count; the message says why in one sentence."""


class Signer(NamedTuple):
    """The signer of a bundle. fingerprint: of the signing key.

    name: the certificate's key id, or the comment of the trusted key.
    authority: the fingerprint of the key that signed the certificate, "" for a plain key. valid_until: the end of the
    certificate, RFC 3339, "" for none.
    """

    fingerprint: str
    name: str
    authority: str = ""
    valid_until: str = ""


class SignatureChecker(Protocol):
    """Checks one armored SSHSIG signature over a message, by the keys or authorities of a policy."""

    def __call__(self, armored: str, message: bytes, policy: TrustPolicy, principal: str, now: float) -> Signer:
        """Return who signed. now: seconds since the epoch. Raises UntrustedSignature."""


class TrustVerdict(NamedTuple):
    """The verdict on a bundle.

    trusted: the policy is met in full. accepted: the node may adopt the bundle: it is trusted, or mode is off, or mode
    is warn and the bundle is of a pool of this node. reason: why it is not trusted, "" if it is. statement: the
    statement, if it could be read. signers: the distinct valid ones. problems: why other signatures do not count.
    """

    trusted: bool
    accepted: bool
    reason: str
    statement: Statement | None
    signers: tuple[Signer, ...]
    problems: tuple[str, ...] = ()


def verify_bundle(
    bundle: Bundle,
    policy: TrustPolicy,
    *,
    floors: Mapping[str, int],
    now: float,
    check_signature: SignatureChecker | None = None,
) -> TrustVerdict:
    """Return the verdict. floors: by pool, the highest accepted. now: seconds since the epoch.

    check_signature: None for the built-in one.
    """
    raise NotImplementedError
