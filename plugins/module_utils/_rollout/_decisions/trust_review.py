# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Review a bundle's statement and signatures as the nodes of a pool will. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any, Optional

from ..._nodeconfig.bundle import Bundle
from ..._text import count_of, first_names, sanitize
from ..._trust.signatures import SignatureChecker, Signer
from ..._trust.statement import Statement
from ..._trust.trust_policy import TrustPolicy
from ..._trust.verification import TrustVerdict, verify_bundle
from .._nodes.left_out import leave_out
from .._nodes.node_view import NodeView
from .._record.record import Record
from .statements import floor_of, statement_line

_NAMES_SHOWN = 4
_MAX_REASONS = 5

PolicyOf = Callable[[NodeView], Optional[TrustPolicy]]  # None: the node's policy is not known


@dataclass(frozen=True)
class TrustReview:
    """What the nodes of a pool will say of a bundle's signatures.

    statement: None without one. signers: of the signatures that a node accepts. pending: the key that signs when the
    bundle is published. refusals: why the rollout must not start. left_out: the few nodes that would refuse the
    bundle, with their reason. floor_before: that the nodes keep without it.
    """

    statement: Statement | None = None
    signers: tuple[Signer, ...] = ()
    pending: Signer | None = None
    refusals: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)
    floor_before: int = 0
    is_used: bool = False  # whether a node verifies, or the bundle is signed

    def to_dict(self) -> dict[str, Any]:
        """Return the review as plain data for users."""
        statement = self.statement
        return {
            "sequence": statement.sequence if statement else 0,
            "floor": statement.floor if statement else 0,
            "not_after": statement.not_after if statement else "",
            "signers": [signer._asdict() for signer in self.signers],
            "pending": self.pending.fingerprint if self.pending else "",
        }

    def lines(self) -> list[str]:
        """Return the statement and who signed it, as human-readable lines; none while signatures are not used."""
        if not self.is_used:
            return []
        statement = self.statement
        if statement is None:
            return ["The bundle is not signed: it has no statement."]
        head = statement_line(statement, self.floor_before)
        signers = [_describe(signer) for signer in self.signers]
        if signers:
            head += f" Signed by {first_names(signers, _NAMES_SHOWN)}."
        if self.pending is not None:
            head += f" {_describe(self.pending)} signs it when it is published."
        elif not signers:
            head += " It has no signature that a node of the pool is known to trust."
        return [head]


def _describe(signer: Signer) -> str:
    until = f", certified until {signer.valid_until}" if signer.valid_until else ""
    return f"{sanitize(signer.name) or 'a key'} ({signer.fingerprint}{until})"


def review_trust(
    bundle: Bundle | None,
    views: Sequence[NodeView],
    policy_of: PolicyOf,
    record: Record,
    *,
    now: float,
    statement: Statement | None,
    pending: Signer | None = None,
    check_signature: SignatureChecker | None = None,
) -> TrustReview:
    """Return what nodes will say of a bundle. bundle: None for the init config, which no node verifies.

    views: the nodes to move. now: seconds since the epoch. statement: of the bundle, None without a valid one.
    """
    if bundle is None:
        return TrustReview()
    verdicts: dict[Any, TrustVerdict] = {}
    refusing: dict[str, str] = {}
    warned: dict[str, str] = {}
    unknown: list[str] = []
    signers: dict[str, Signer] = {}
    without_cluster: list[str] = []
    verifies = False
    for view in views:
        policy = policy_of(view)
        trust = view.answer.status.trust if view.answer.status is not None else None
        if policy is None:
            unknown += [view.name] if trust is not None else []
            continue
        floors = dict(trust.floors) if trust is not None else {}
        key = (policy, floors.get(statement.audience) if statement is not None else None)
        if key not in verdicts:
            verdicts[key] = verify_bundle(bundle, policy, floors=floors, now=now, check_signature=check_signature)
        verdict = verdicts[key]
        verifies = verifies or policy.mode != "off"
        without_cluster += [view.name] if policy.mode != "off" and not policy.clusters else []
        signers.update({signer.fingerprint: signer for signer in verdict.signers})
        if not verdict.accepted:
            refusing[view.name] = verdict.reason
        elif not verdict.trusted and policy.mode != "off":
            warned[view.name] = verdict.reason
    left_out = leave_out(
        {name: f"it would refuse the bundle: {sanitize(reason)}" for name, reason in refusing.items()}, len(views)
    )
    return TrustReview(
        statement=statement,
        signers=tuple(
            signer for signer in signers.values() if pending is None or signer.fingerprint != pending.fingerprint
        ),
        pending=pending,
        refusals=() if left_out else tuple(_refusals(refusing, bundle)),
        warnings=(
            *_grouped(warned, "would adopt it with a warning"),
            *_unknown_warning(unknown),
            *(_undo_warnings(statement, views, record) if verifies and statement is not None else ()),
            *_cluster_warning(without_cluster),
        ),
        left_out=left_out,
        floor_before=floor_of(record, without=bundle.source.uid),
        is_used=verifies or bool(unknown) or statement is not None,
    )


def _refusals(refusing: Mapping[str, str], bundle: Bundle) -> list[str]:
    sentences = _grouped(refusing, "would refuse the bundle")
    if sentences:
        advice = _advice(bundle)
        sentences[-1] += f"; no node is moved: {advice}"
    return sentences


def _advice(bundle: Bundle) -> str:
    if not bundle.statement:
        return "set signing in the pool file; if the bundle is published, sign it with configok.node.config_signature"
    return (
        "have a signer that they trust sign it (configok.node.config_signature), or publish it as another bundle, "
        "with a change such as a field that is set to its default"
    )


def _grouped(reasons: Mapping[str, str], verb: str) -> list[str]:
    by_reason: dict[str, list[str]] = {}
    for name, reason in reasons.items():
        by_reason.setdefault(reason, []).append(name)
    ordered = sorted(by_reason.items(), key=lambda item: (-len(item[1]), item[0]))
    sentences = [
        f"{count_of(len(names), 'node')} ({first_names(sorted(names), _NAMES_SHOWN)}) {verb}: {sanitize(reason)}"
        for reason, names in ordered[:_MAX_REASONS]
    ]
    more = sum(len(names) for _reason, names in ordered[_MAX_REASONS:])
    return [*sentences, f"{count_of(more, 'more node')} {verb}, for other reasons"] if more else sentences


def _unknown_warning(names: Sequence[str]) -> list[str]:
    if not names:
        return []
    return [
        f"what {count_of(len(names), 'node')} ({first_names(sorted(names), _NAMES_SHOWN)}) trust is not published, or "
        "cannot be read, so whether they accept the bundle is not known (configok.node.provision publishes it)"
    ]


def _cluster_warning(names: Sequence[str]) -> list[str]:
    if not names:
        return []
    return [
        f"{count_of(len(names), 'node')} ({first_names(sorted(names), _NAMES_SHOWN)}) would adopt what was signed for "
        "any cluster: set node_trust_clusters, and signing.cluster in the pool file"
    ]


def _undo_warnings(statement: Statement, views: Iterable[NodeView], record: Record) -> list[str]:
    """Return a sentence for each revision in use that the statement withdraws."""
    by_uid = {revision.uid: revision for revision in record.revisions if revision.sequence}
    users: dict[str, list[str]] = {}
    for view in views:
        active = view.active
        if active is not None and active.uid in by_uid and by_uid[active.uid].sequence < statement.floor:
            users.setdefault(active.uid, []).append(view.name)
    return [
        f"floor {statement.floor} withdraws revision {by_uid[uid].number} ({by_uid[uid].name}), which "
        f"{count_of(len(names), 'node')} ({first_names(sorted(names), _NAMES_SHOWN)}) use now: no undo can return "
        "to it"
        for uid, names in sorted(users.items(), key=lambda item: by_uid[item[0]].number)
    ]


def end_warnings(review: TrustReview, *, now: float, estimate: float) -> list[str]:
    """Return a sentence for each end of validity before the estimated end of the rollout. estimate: seconds."""
    end = datetime.fromtimestamp(now + estimate, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    statement = review.statement
    sentences = []
    if statement is not None and statement.not_after and statement.not_after < end:
        sentences.append(
            f"notAfter {statement.not_after} comes before {end}, when this rollout ends by its estimate: nodes that "
            "are assigned the bundle after that refuse it"
        )
    for signer in review.signers:
        if signer.valid_until and signer.valid_until < end:
            sentences.append(
                f"the certificate of {sanitize(signer.name)} ends at {signer.valid_until}, before {end}, when this "
                "rollout ends by its estimate: nodes that are assigned the bundle after that do not count it"
            )
    return sentences
