# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Add signatures to a statement file or to a published bundle, and verify them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .._kube.api_client import Client
from .._kube.api_errors import Conflict, Forbidden, NotFound
from .._kube.api_paths import config_map
from .._nodeconfig.assignment import ConfigSource
from .._nodeconfig.bundle import Bundle
from .._nodeconfig.bundle_trial import Trial
from .._nodeconfig.strict_mapping import StrictFields
from .._nodeconfig.well_known import ANNOTATION_SIGNATURES, ANNOTATION_STATEMENT
from .._rollout import InvalidPool, RolloutError
from .._rollout._decisions.statements import StatementOptions, check_floor
from .._rollout._pool.maintenance_windows import parse_time
from .._rollout._pool.pool_file import FORM
from .._rollout._record.record_store import read_record
from .._rollout._record.revisions import bundle_statement, parse_bundle
from .._text import sanitize
from .._trust.signature_list import describe_signatures, is_made_by
from .._trust.statement import InvalidStatement, Statement, encode_signatures, parse_signatures
from .._trust.trust_policy import read_trust_policy
from .._trust.verification import TrustVerdict, verify_bundle
from ._signature_checker import signature_checker
from ._signing import (
    SshKeygen,
    read_signature_files,
    read_signing_key,
    read_statement_file,
    split_signatures,
    write_statement_file,
)


@dataclass(frozen=True)
class SignatureOptions:
    """What is added. key: the file of a key that signs, "" for none. files: with signatures. check: change nothing."""

    key: str = ""
    passphrase: str = field(default="", repr=False)
    files: tuple[str, ...] = ()
    check: bool = False


class StoredSignatures(NamedTuple):
    """A statement with its signatures. place: the file with them, or the name of the bundle.

    bundle: None for a file. is_new: whether the bundle has no statement yet. is_named: whether the user has it in a
    file.
    """

    statement: Statement
    signatures: tuple[str, ...]
    place: str
    bundle: Bundle | None = None
    version: str = ""
    is_new: bool = False
    is_named: bool = False


class SignatureChange(NamedTuple):
    """A statement with its signatures, after a change. before: the signatures before it."""

    statement: Statement
    signatures: tuple[str, ...]
    before: tuple[str, ...]
    changed: bool
    place: str
    bundle: Bundle | None

    def diff(self) -> dict[str, str]:
        """Return the signers before and after."""
        return {
            "before_header": self.place,
            "after_header": self.place,
            "before": _signer_lines(self.before),
            "after": _signer_lines(self.signatures),
        }


def _signer_lines(signatures: Sequence[str]) -> str:
    facts = describe_signatures(signatures)
    return "".join(f"{fact['type']} {fact['fingerprint']} {fact['key_id']}".rstrip() + "\n" for fact in facts)


def read_file_signatures(statement_file: str, signature_file: str) -> StoredSignatures:
    """Return the statement in a file, with the signatures in its own file. Raises RolloutError."""
    statement, place = read_statement_file(statement_file), signature_file or f"{statement_file}.sig"
    try:
        with open(place, encoding="utf-8") as stream:
            signatures = tuple(split_signatures(stream.read()))
    except FileNotFoundError:
        signatures = ()
    except (OSError, ValueError) as error:
        raise RolloutError(f"{place} cannot be read: {getattr(error, 'strerror', None) or error}") from error
    return StoredSignatures(statement, signatures, place)


def read_bundle_signatures(client: Client, namespace: str, name: str, statement_file: str) -> StoredSignatures:
    """Return the statement of a published bundle, with its signatures.

    statement_file: a bundle without a statement gets this one. Raises RolloutError, KubeError.
    """
    try:
        item = client.get(config_map(namespace, name))
    except NotFound as error:
        raise RolloutError(f"there is no bundle {name} in namespace {namespace}") from error
    bundle = parse_bundle(item)
    statement = bundle_statement(bundle)
    offered = read_statement_file(statement_file) if statement_file else None
    if offered is not None and (offered.pool, offered.content_hash) != (bundle.pool, bundle.content_hash):
        raise RolloutError(
            f"{statement_file} is a statement about {offered.pool}-{offered.content_hash[:10]}, and not about {name}"
        )
    if statement is not None and offered not in (None, statement):
        raise RolloutError(f"{name} has a statement different from {statement_file}: leave statement_file out")
    used = statement or offered
    if used is None:
        raise RolloutError(
            f"{name} was published without a statement: write one with configok.node.config_bundle (publish=false), "
            "and name it as statement_file"
        )
    try:
        signatures = parse_signatures(bundle.signatures)
    except InvalidStatement as error:
        raise RolloutError(f"{name}: {error}") from error
    version = str(item["metadata"].get("resourceVersion", ""))
    return StoredSignatures(used, signatures, name, bundle, version, statement is None, offered is not None)


def write_file_signatures(
    stored: StoredSignatures, options: SignatureOptions, ssh_keygen: SshKeygen
) -> SignatureChange:
    """Add signatures to the file that has them. Raises RolloutError."""
    change = _changed(stored, options, ssh_keygen)
    if change.changed and not options.check:
        write_statement_file(stored.place, "".join(change.signatures))
    return change


def write_bundle_signatures(
    client: Client, stored: StoredSignatures, options: SignatureOptions, ssh_keygen: SshKeygen
) -> SignatureChange:
    """Add signatures to a published bundle; its content does not change. Raises RolloutError, KubeError."""
    if options.key and not stored.is_named:
        _refuse_unwanted_floor(client, stored)
    change = _changed(stored, options, ssh_keygen)
    if stored.is_new and not change.signatures and not options.check:
        raise RolloutError(f"{stored.place} gets no statement without a signature: give signing_key or signature_files")
    if not change.changed or stored.bundle is None:
        return change
    annotations = {ANNOTATION_STATEMENT: change.statement.encode()}
    if change.signatures:
        annotations[ANNOTATION_SIGNATURES] = encode_signatures(change.signatures)
    source = stored.bundle.source
    body = {"metadata": {"resourceVersion": stored.version, "annotations": annotations}}
    try:
        client.patch(config_map(source.namespace, source.name), body, kind="merge", dry_run=options.check)
    except Conflict as error:
        raise RolloutError(f"{stored.place} was changed at the same time: run it again") from error
    except Forbidden as error:
        raise RolloutError(
            f"the signatures of {stored.place} may not be changed with these credentials: it needs patch on ConfigMaps "
            f"of namespace {source.namespace}, or publish other content, signed ({error})"
        ) from error
    return change


def _refuse_unwanted_floor(client: Client, stored: StoredSignatures) -> None:
    """Raise RolloutError for a published statement with a floor that the record of its pool does not explain."""
    statement, uid = stored.statement, stored.bundle.source.uid if stored.bundle is not None else ""
    record = read_record(client, statement.pool)
    if not record.has_statement(uid, statement.sequence, statement.floor):
        advice = "give it as statement_file"
        check_floor(record, statement, StatementOptions(), place=stored.place, advice=advice)


def _changed(stored: StoredSignatures, options: SignatureOptions, ssh_keygen: SshKeygen) -> SignatureChange:
    text = stored.statement.encode()
    signatures = list(stored.signatures)
    for signature, path in read_signature_files(options.files):
        problem = ssh_keygen.check(text, signature)
        if problem:
            raise RolloutError(f"a signature in {path} is not one of this statement: {problem}")
        if signature not in signatures:
            signatures.append(signature)
    signs = bool(options.key) and not _has_signed(signatures, options.key)
    if signs and not options.check:
        signatures.append(ssh_keygen.sign(text, options.key, options.passphrase))
    try:
        encode_signatures(signatures)
    except InvalidStatement as error:
        raise RolloutError(str(error)) from error
    changed = signs or len(signatures) > len(stored.signatures)
    return SignatureChange(stored.statement, tuple(signatures), stored.signatures, changed, stored.place, stored.bundle)


def _has_signed(signatures: Sequence[str], key_file: str) -> bool:
    """Return whether a key has signed; another certificate of the same key signs again."""
    key = read_signing_key(key_file)
    return any(is_made_by(signature, key) for signature in signatures)


def verify_signatures(
    change: SignatureChange, params: Mapping[str, Any], ssh_keygen: SshKeygen, *, now: str
) -> TrustVerdict | None:
    """Return the verdict of a node with this policy, None without keys and authorities.

    params: the module's. Raises InvalidPool for an invalid policy, RolloutError if the node would refuse the bundle.
    """
    statement = change.statement
    if params["pool"] and params["pool"] != statement.pool:
        raise RolloutError(f"{change.place}: the statement is for pool {statement.pool}, not {params['pool']}")
    if not params["keys"] and not params["authorities"]:
        return None
    errors: list[str] = []
    names = ("keys", "authorities", "threshold", "revoked", "verifier")
    section = {name: params[name] for name in names if params[name] is not None}
    section.update(mode="require", pools=[statement.pool])
    policy = read_trust_policy(StrictFields(section, "", errors, FORM))
    if errors:
        raise InvalidPool(errors)
    bundle = change.bundle or Bundle(ConfigSource("", "", ""), {}, Trial(), statement.content_hash, statement.pool)
    bundle = bundle._replace(statement=statement.encode(), signatures=encode_signatures(change.signatures))
    verdict = verify_bundle(
        bundle, policy, floors={}, now=parse_time(now).timestamp(), check_signature=signature_checker(ssh_keygen)
    )
    if not verdict.trusted:
        raise RolloutError(f"{change.place}: a node with this trust policy refuses it: {sanitize(verdict.reason)}")
    return verdict
