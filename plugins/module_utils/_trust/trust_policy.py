# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which signatures a node trusts: the section ``trust`` of its own config."""

from __future__ import annotations

import re
from typing import Any, Callable, Literal, NamedTuple

from .._nodeconfig.strict_mapping import StrictFields, integer, one_of
from .public_keys import SK_ED25519, SSH_ED25519, InvalidPublicKey, PublicKey, parse_public_key
from .statement import is_cluster

TrustMode = Literal["off", "warn", "require"]
VerifierKind = Literal["builtin", "ssh-keygen"]

# What the built-in verifier knows. ssh-keygen knows more, such as the ECDSA and RSA keys of older PKCS#11 tokens.
BUILTIN_KEY_TYPES = (SSH_ED25519, SK_ED25519)
_MAX_KEYS = 64
_POOL = re.compile(r"[a-z0-9]([-a-z0-9]{0,50}[a-z0-9])?\Z")
_FINGERPRINT = re.compile(r"SHA256:[A-Za-z0-9+/]{43}\Z")


class TrustPolicy(NamedTuple):
    """What a node requires of a bundle.

    pools: to which the node belongs; a bundle of any other is refused, unless mode is off. keys: of signers.
    authorities: sign short-lived certificates of signers, with the principal "pool-<name>" or
    "pool-<name>@<cluster>". threshold: how many signers must have signed. revoked: fingerprints of keys, certified keys
    and authorities that are not trusted (any longer). clusters: names and uids of the node's cluster; a statement must
    name one of them. Without any, a statement for every cluster is accepted.
    """

    mode: TrustMode = "off"
    pools: tuple[str, ...] = ()
    keys: tuple[PublicKey, ...] = ()
    authorities: tuple[PublicKey, ...] = ()
    threshold: int = 1
    revoked: tuple[str, ...] = ()
    verifier: VerifierKind = "builtin"
    clusters: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the section as it is written in an AgentConfiguration. It holds no secret."""
        return {
            "mode": self.mode,
            "pools": list(self.pools),
            "keys": [key.line for key in self.keys],
            "authorities": [key.line for key in self.authorities],
            "threshold": self.threshold,
            "revoked": list(self.revoked),
            "verifier": self.verifier,
            "clusters": list(self.clusters),
        }


_DEFAULTS = TrustPolicy()


def read_trust_policy(fields: StrictFields) -> TrustPolicy:
    """Read the section and report its errors to ``fields``: nothing is trusted by mistake."""
    mode = fields.get("mode", _mode, _DEFAULTS.mode)
    verifier = fields.get("verifier", one_of("builtin", "ssh-keygen"), _DEFAULTS.verifier)
    policy = TrustPolicy(
        mode=mode,  # type: ignore[arg-type]  # _mode has checked it
        pools=fields.get("pools", _pools, ()),
        keys=fields.get("keys", _keys(verifier), ()),
        authorities=fields.get("authorities", _keys(verifier), ()),
        threshold=fields.get("threshold", integer(1, 16), _DEFAULTS.threshold),
        revoked=fields.get("revoked", _fingerprints, ()),
        verifier=verifier,  # type: ignore[arg-type]  # one_of has checked it
        clusters=fields.get("clusters", _clusters, ()),
    )
    fields.reject_unknown()
    if policy.mode != "off" and not policy.pools:
        fields.error("pools", None, f"must name the pools of this node, because mode is {policy.mode}")
    if policy.mode != "off" and not policy.keys and not policy.authorities:
        fields.error("keys", None, f"or authorities must have a public key, because mode is {policy.mode}")
    names = {key.blob: key.comment or key.fingerprint for key in policy.keys if key.fingerprint not in policy.revoked}
    signers = len(set(names.values()))
    if policy.mode != "off" and policy.keys and not policy.authorities and signers < policy.threshold:
        fields.error(
            "threshold",
            policy.threshold,
            f"is more than {signers}, the number of signers with a key that is not revoked (keys with the same comment "
            "are of one signer)",
        )
    return policy


def _mode(value: Any) -> str:
    return one_of("off", "warn", "require")("off" if value is False else value)  # YAML reads a bare off as false


def _texts(value: Any, longest: int = _MAX_KEYS) -> list[str]:
    if not isinstance(value, list) or len(value) > longest or not all(isinstance(item, str) for item in value):
        raise ValueError(f"must be a list of at most {longest} strings")
    return value


def _pools(value: Any) -> tuple[str, ...]:
    pools = _texts(value)
    if not all(_POOL.match(pool) for pool in pools):
        raise ValueError("must be a list of pools, each a DNS label of at most 52 characters")
    return tuple(pools)


def _clusters(value: Any) -> tuple[str, ...]:
    clusters = _texts(value)
    if not all(map(is_cluster, clusters)):
        raise ValueError("must be a list of clusters, each a DNS name of at most 63 characters, or a uid")
    return tuple(clusters)


def _keys(verifier: str) -> Callable[[Any], tuple[PublicKey, ...]]:
    def convert(value: Any) -> tuple[PublicKey, ...]:
        keys = []
        for position, line in enumerate(_texts(value)):
            try:
                key = parse_public_key(line)
            except InvalidPublicKey as error:
                raise ValueError(f"item {position} {error}") from error
            if _is_certificate(key):
                raise ValueError(f"item {position} is a certificate: give the key of its authority as an authority")
            if verifier == "builtin" and key.type not in BUILTIN_KEY_TYPES:
                raise ValueError(
                    f"item {position} is a key of type {key.type[:60]}: the built-in verifier knows "
                    f"{' and '.join(BUILTIN_KEY_TYPES)}; set verifier to ssh-keygen for others"
                )
            keys.append(key)
        return tuple(keys)

    return convert


def _fingerprints(value: Any) -> tuple[str, ...]:
    """Return fingerprints; a public key stands for its own."""
    fingerprints = []
    for position, text in enumerate(_texts(value, 1024)):
        if _FINGERPRINT.match(text):
            fingerprints.append(text)
            continue
        try:
            key = parse_public_key(text)
        except InvalidPublicKey as error:
            raise ValueError(f"item {position} must be a fingerprint such as SHA256:..., or a public key") from error
        if _is_certificate(key):
            raise ValueError(f"item {position} is a certificate: give the fingerprint that ssh-keygen -lf shows of it")
        fingerprints.append(key.fingerprint)
    return tuple(fingerprints)


def _is_certificate(key: PublicKey) -> bool:
    return "-cert-" in key.type
