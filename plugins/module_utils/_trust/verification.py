# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Decides whether a trust policy accepts a bundle. Pure: time and floors are inputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from .._nodeconfig.bundle import Bundle
from .._text import sanitize
from .signatures import SignatureChecker, Signer, UntrustedSignature, check_builtin
from .statement import InvalidStatement, Statement, format_time, parse_signatures
from .trust_policy import TrustPolicy

_HASH_SCHEMES = ("1",)
_MAX_PROBLEM = 400  # characters
_SIGN = "sign it with config_signature, or publish a change, signed"


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
    """Return the verdict, and raise nothing, whatever the bundle's annotations hold.

    floors: by audience, the highest accepted. now: seconds since the epoch. check_signature: None for the built-in one.
    """
    if policy.mode == "off":
        return TrustVerdict(False, True, "verification is turned off on this node", None, ())
    if bundle.pool not in policy.pools:
        reason = (
            f"the bundle is of pool {sanitize(bundle.pool, 60)!r}, and the node accepts only {_names(policy.pools)}: "
            "assign a bundle of the node's own pool, or add the pool to the node's trust policy"
        )
        return TrustVerdict(False, False, reason, None, ())
    in_warn_mode = policy.mode == "warn"
    if not bundle.statement:
        return TrustVerdict(False, in_warn_mode, f"the bundle has no statement: {_SIGN}", None, ())
    try:
        statement = Statement.parse(bundle.statement)
    except InvalidStatement as error:
        return TrustVerdict(False, in_warn_mode, f"{error}: publish a change, signed", None, ())
    reason = _refuse_statement(statement, bundle, policy, floors.get(statement.audience, 0), now)
    if reason:
        return TrustVerdict(False, in_warn_mode, reason, statement, ())
    try:
        signatures = parse_signatures(bundle.signatures)
    except InvalidStatement as error:
        return TrustVerdict(False, in_warn_mode, f"{error}: publish a change, signed", statement, ())
    signers, problems = _count_signers(signatures, statement, policy, now, check_signature or check_builtin)
    reason = _refuse_signers(len(signers), policy.threshold, problems)
    return TrustVerdict(not reason, in_warn_mode or not reason, reason, statement, signers, problems)


def _refuse_statement(statement: Statement, bundle: Bundle, policy: TrustPolicy, floor: int, now: float) -> str:
    """Return why a statement does not vouch for the bundle here and now, or ""."""
    if policy.clusters and not statement.cluster:
        return (
            f"the statement names no cluster, and the node accepts only those for {' or '.join(policy.clusters)}: set "
            "signing.cluster in the pool file, and publish a change, signed"
        )
    if policy.clusters and statement.cluster not in policy.clusters:
        return (
            f"the statement is for cluster {statement.cluster}, and the node is in {' or '.join(policy.clusters)}: "
            "publish the bundle for this cluster, signed"
        )
    if statement.pool != bundle.pool:
        return f"the statement is for pool {statement.pool}, not for {bundle.pool}: publish the bundle for its own pool"
    if statement.hash_scheme not in _HASH_SCHEMES:
        return (
            f"the statement is of hash scheme {statement.hash_scheme}, and this version knows "
            f"{_names(_HASH_SCHEMES)}: upgrade the agent, or sign with an older version"
        )
    if statement.content_hash != bundle.content_hash:
        return (
            f"the statement is of other content (hash {statement.content_hash[:20]}, the bundle has "
            f"{bundle.content_hash[:20]}): sign what was published"
        )
    if statement.sequence < floor:
        return (
            f"the bundle is withdrawn: its sequence is {statement.sequence}, and the node accepts {floor} or higher of "
            f"pool {statement.pool}: publish a change, which gets a new sequence"
        )
    if statement.not_after and format_time(now) > statement.not_after:
        return f"the statement was valid until {statement.not_after}: publish a change"
    return ""


def _count_signers(
    signatures: tuple[str, ...], statement: Statement, policy: TrustPolicy, now: float, check: SignatureChecker
) -> tuple[tuple[Signer, ...], tuple[str, ...]]:
    """Return the distinct signers, and why other signatures do not count.

    A person counts once who holds several keys, certificates for several keys or of two authorities, or a trusted key
    and a certificate. Persons are named by comments of trusted keys and by principals user-<name>, not by key ids,
    which their holders may choose: certificates without such a principal are one signer, their authority, if no other
    certificate of it counts.
    """
    message = statement.encode().encode()
    valid: list[tuple[int, Signer]] = []
    problems: list[str] = []
    for position, armored in enumerate(signatures, 1):
        try:
            signer = check(armored, message, policy, statement.audience, now)
        except UntrustedSignature as error:
            problems.append(f"signature {position}: {sanitize(error, _MAX_PROBLEM)}")
            continue
        valid.append((position, signer))
    counted: dict[int, Signer] = {}
    seen: set[tuple[str, str]] = set()
    for position, signer in sorted(valid, key=lambda item: _is_unnamed(item[1])):
        identities = {("key", signer.fingerprint), *(("user", user) for user in signer.users or (signer.name,) if user)}
        other = ""
        if _is_unnamed(signer):
            identities.add(("authority", signer.authority))
            other = ", or another holder of a certificate without a principal user-<name>,"
        if identities & seen:
            name = signer.name or signer.fingerprint
            problems.append(f"signature {position}: {name}{other} has signed more than once")
        else:
            counted[position] = signer
        seen |= {*identities, ("authority", signer.authority)}
    return tuple(counted[position] for position in sorted(counted)), tuple(problems)


def _is_unnamed(signer: Signer) -> bool:
    """Return whether an authority has certified a signer without saying who that is."""
    return bool(signer.authority) and not signer.users


def _refuse_signers(count: int, threshold: int, problems: tuple[str, ...]) -> str:
    """Return why the signatures do not suffice, or ""."""
    if count >= threshold:
        return ""
    if not count and not problems:
        return f"the bundle is not signed: {_SIGN}"
    if not count and len(problems) == 1:
        return problems[0].split(": ", 1)[1]
    needed = "1 valid signature is" if threshold == 1 else f"valid signatures of {threshold} signers are"
    reasons = f" ({'; '.join(problems)})" if problems else ""
    return f"{needed} needed, and the bundle has {count}: add a signature{reasons}"


def _names(names: tuple[str, ...]) -> str:
    return " and ".join(names)
