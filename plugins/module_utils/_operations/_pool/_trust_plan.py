# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Verify the bundle of a plan as the nodes of the pool will, with their own policies."""

from __future__ import annotations

from collections.abc import Callable

from ..._nodeconfig.bundle import Bundle
from ..._rollout._decisions.skipped import skip_reason
from ..._rollout._decisions.trust_review import TrustReview, review_trust
from ..._rollout._nodes.node_goals import has_reached
from ..._rollout._nodes.node_view import NodeView
from ..._rollout._record.record import Record
from ..._rollout._record.revisions import bundle_statement
from ..._rollout.plan import Target
from ..._trust.signature_list import placeholder_signature, signer_fingerprint
from ..._trust.signatures import Signer
from ..._trust.statement import InvalidStatement, encode_signatures, parse_signatures
from ..._trust.trust_policy import TrustPolicy
from ..._trust.verification import verify_bundle
from .._pool_nodes import PoolNodes
from .._signature_checker import signature_checker, trust_policy
from .._signing import Endorsement, SshKeygen
from ._target_changes import TargetChanges


def review_plan(
    changes: TargetChanges,
    target: Target,
    record: Record,
    *,
    now: float,
    endorsement: Endorsement | None = None,
    ssh_keygen: SshKeygen | None = None,
) -> TrustReview:
    """Return what the nodes that are not on the target will say of its signatures.

    now: seconds since the epoch. endorsement: what a bundle was given that was published now, or is in check mode.
    """
    bundle = changes.bundle
    if bundle is None:
        return TrustReview()
    key = endorsement.pending if endorsement is not None else None
    placeholder = "" if key is None else placeholder_signature(key)
    if placeholder:
        bundle = _with_signature(bundle, placeholder)
    pending = None if key is None else Signer(signer_fingerprint(key), key.comment)
    forget_bad = record.lets_nodes_forget(target)
    views = [
        view
        for view in changes.pool_nodes.views
        if not _has_reached(view, target) and skip_reason(view, target, forget_bad=forget_bad) is None
    ]
    return review_trust(
        bundle,
        views,
        _policies(changes.pool_nodes),
        record,
        now=now,
        statement=bundle_statement(bundle),
        pending=pending,
        check_signature=signature_checker(ssh_keygen, placeholder),
    )


def is_trusted_by(bundle: Bundle, pool_nodes: PoolNodes, *, now: float, ssh_keygen: SshKeygen | None = None) -> bool:
    """Return whether most nodes of a pool that verify trust a published bundle, whatever floors they report."""
    policy_of, verdicts = _policies(pool_nodes), list[bool]()
    known: dict[TrustPolicy, bool] = {}
    for policy in map(policy_of, pool_nodes.views):
        if policy is None or policy.mode == "off":
            continue
        if policy not in known:
            check = signature_checker(ssh_keygen)
            known[policy] = verify_bundle(bundle, policy, floors={}, now=now, check_signature=check).trusted
        verdicts.append(known[policy])
    return 2 * sum(verdicts) > len(verdicts)


def _has_reached(view: NodeView, target: Target) -> bool:
    goal = target.goal(view.name)
    return target.is_published and goal is not None and has_reached(view, goal)


def _policies(pool: PoolNodes) -> Callable[[NodeView], TrustPolicy | None]:
    """Return what returns the trust policy of a node, None for one that is not published, or cannot be read."""
    known: dict[str, TrustPolicy | None] = {}

    def policy_of(view: NodeView) -> TrustPolicy | None:
        local = pool.local_config_of(view)
        if local is None or view.answer.status is None:
            return None
        if view.answer.status.local_config not in known:
            known[view.answer.status.local_config] = trust_policy(local)
        return known[view.answer.status.local_config]

    return policy_of


def _with_signature(bundle: Bundle, armored: str) -> Bundle:
    try:
        present = parse_signatures(bundle.signatures)
    except InvalidStatement:
        present = ()
    return bundle._replace(signatures=encode_signatures([*present, armored]))
