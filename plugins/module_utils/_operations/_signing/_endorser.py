# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Give a bundle its statement and signatures, as a user's options say.

Everything that would be refused later is refused before the bundle is created.
"""

from __future__ import annotations

import os
import re
import shlex
import tempfile
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..._nodeconfig.bundle import HASH_SCHEME, Bundle, content_hash, with_statement
from ..._nodeconfig.well_known import LABEL_POOL
from ..._rollout import RolloutError
from ..._rollout._decisions.statements import StatementOptions, check_floor, check_step, next_statement
from ..._rollout._record.record import Record
from ..._text import first_names
from ..._trust.public_keys import PublicKey
from ..._trust.signature_list import is_signed_by, signer_fingerprint
from ..._trust.statement import SIGNATURE_NAMESPACE, InvalidStatement, Statement, encode_signatures, parse_signatures
from ..._trust.trust_policy import BUILTIN_KEY_TYPES
from ._ssh_signer import SshKeygen, read_signing_key

_MAX_FILE = 256 * 1024
_BLOCK = re.compile(r"-----BEGIN SSH SIGNATURE-----\n.*?-----END SSH SIGNATURE-----\n?", re.DOTALL)
_CERTIFIED = "-cert-v01@openssh.com"


@dataclass(frozen=True)
class SigningOptions:
    """How a user wants a bundle signed. key: a private key, a public key or a certificate, "" for none.

    statement_file, signature_files: a statement that was written before, and its signatures. statement: of a new one.
    """

    key: str = ""
    passphrase: str = field(default="", repr=False)
    statement_file: str = ""
    signature_files: tuple[str, ...] = ()
    statement: StatementOptions = StatementOptions()

    @property
    def wants_statement(self) -> bool:
        """Return whether a bundle gets a statement."""
        return bool(self.key or self.statement_file or self.signature_files)


class Endorsement(NamedTuple):
    """What a bundle gets. pending: the key that signs when it is published, and has not yet, in check mode."""

    statement: Statement
    signatures: tuple[str, ...]
    pending: PublicKey | None = None


class Endorser:
    """Gives bundles their statements and signatures, as the options say. check: sign nothing. now: RFC 3339.

    endorsement: of the bundle that was endorsed last, None before.
    """

    def __init__(self, options: SigningOptions, ssh_keygen: SshKeygen, *, now: str, check: bool = False) -> None:
        self.options = options
        self._ssh_keygen = ssh_keygen
        self._now = now
        self._check = check
        self.endorsement: Endorsement | None = None

    def __call__(self, bundle: dict[str, Any], record: Record) -> dict[str, Any]:
        """Return the ConfigMap with a statement and signatures, if the user wants that. Raises RolloutError."""
        options = self.options
        if not options.wants_statement:
            return bundle
        statement = self.statement(bundle, record)
        text = statement.encode()
        blocks = self._read_signatures(text)
        key = read_signing_key(options.key) if options.key else None
        pending = key if self._check else None
        if key is not None and not self._check:
            blocks.append(self._ssh_keygen.sign(text, options.key, options.passphrase))
        if not blocks and pending is None:
            raise RolloutError(
                f"{options.statement_file} has no signature: sign it with {signing_command(options.statement_file)}, "
                "and name the result in signature_files"
            )
        self.endorsement = Endorsement(statement, tuple(blocks), pending)
        return with_statement(bundle, text, encode_signatures(blocks) if blocks else "")

    def has_made(self, bundle: Bundle, statement: Statement) -> bool:
        """Return whether a published statement is the user's: that of the file, or one that the key has signed."""
        options = self.options
        if options.statement_file and os.path.exists(options.statement_file):
            return read_statement_file(options.statement_file) == statement
        try:
            signer = signer_fingerprint(read_signing_key(options.key)) if options.key else ""
            signatures = parse_signatures(bundle.signatures)
        except (RolloutError, InvalidStatement):  # a run that moves a published bundle needs no key
            return False
        if statement.cluster != options.statement.cluster:  # the same key signs for other clusters
            return False
        return any(
            is_signed_by(signature, signer) and not self._ssh_keygen.check(statement.encode(), signature)
            for signature in signatures
        )

    def _read_signatures(self, text: str) -> list[str]:
        """Return the signatures in the user's files. Raises RolloutError unless all are of this statement."""
        signatures = read_signature_files(self.options.signature_files)
        for signature, path in signatures:
            problem = self._ssh_keygen.check(text, signature)
            if problem:
                raise RolloutError(f"a signature in {path} is not one of this statement: {problem}")
        return [signature for signature, _path in signatures]

    def statement_to_sign(self, bundle: dict[str, Any], record: Record) -> Statement:
        """Return the statement to write for signers: the file's while it fits, or the next. Raises RolloutError."""
        options = self.options
        following = next_statement(record, content_hash(bundle["data"]), options.statement, now=self._now)
        try:
            present = read_statement_file(options.statement_file)
        except RolloutError:
            return following
        problem = _mismatch(present, record.pool, following.content_hash, options.statement)
        has_passed = present.not_after and present.not_after <= self._now
        # A higher sequence was published since, or a lower floor would bring back what was withdrawn.
        is_old = (present.sequence < following.sequence and options.statement.sequence is None) or (
            present.floor < following.floor
        )
        return following if problem or has_passed or is_old else present

    def statement(self, bundle: dict[str, Any], record: Record) -> Statement:
        """Return the statement of a bundle's ConfigMap: that of the file, or the next one. Raises RolloutError."""
        pool, digest = bundle["metadata"]["labels"][LABEL_POOL], content_hash(bundle["data"])
        options = self.options
        if not options.statement_file:
            if options.signature_files:
                raise RolloutError("signature_files need statement_file: a signature is of one exact statement")
            return next_statement(record, digest, options.statement, now=self._now)
        statement = read_statement_file(options.statement_file)
        problem = _mismatch(statement, pool, digest, options.statement)
        if problem:
            raise RolloutError(
                f"{options.statement_file} {problem}: write the statement of this content with publish=false, and have "
                "it signed"
            )
        check_step(record, statement.sequence)
        check_floor(record, statement, options.statement, place=options.statement_file)
        withdrawn = max((revision.floor for revision in record.revisions), default=0)
        if statement.sequence < withdrawn:
            raise RolloutError(
                f"{options.statement_file} has sequence {statement.sequence}, and a bundle with floor {withdrawn} was "
                "published since: write a new statement with publish=false, and have it signed"
            )
        if statement.not_after and statement.not_after <= self._now:
            raise RolloutError(
                f"{options.statement_file} has notAfter {statement.not_after}, which has passed: no node would adopt it"
            )
        return statement


def _mismatch(statement: Statement, pool: str, digest: str, options: StatementOptions) -> str:
    """Return in what a statement is not that of this content and these options, "" if it is."""
    if statement.pool != pool:
        return f"is a statement for pool {statement.pool}, not {pool}"
    if (statement.content_hash, statement.hash_scheme) != (digest, HASH_SCHEME):
        return f"is a statement about content {statement.content_hash[:10]}, and this content is {digest[:10]}"
    for name, option, actual in (
        ("sequence", options.sequence, statement.sequence),
        ("floor", options.floor, statement.floor),
        ("notAfter", options.not_after or None, statement.not_after),
        ("cluster", options.cluster or None, statement.cluster),
    ):
        if option is not None and option != actual:
            return f"has {name} {actual or 'none'}, and not {option}"
    return ""


def read_statement_file(path: str) -> Statement:
    """Return the statement in a file; only its exact text counts. Raises RolloutError."""
    try:
        return Statement.parse(_read(path))
    except InvalidStatement as error:
        raise RolloutError(f"{path}: {error}") from error


def read_signature_files(paths: tuple[str, ...]) -> list[tuple[str, str]]:
    """Return the armored signatures in files, each with its file. Raises RolloutError for a file without one."""
    signatures = []
    for path in paths:
        blocks = split_signatures(_read(path))
        if not blocks:
            raise RolloutError(f"{path} has no signature: it must be what ssh-keygen -Y sign writes")
        signatures += [(block, path) for block in blocks]
    return signatures


def split_signatures(text: str) -> list[str]:
    """Return the armored signatures in a text, each once."""
    blocks = _BLOCK.findall(text.replace("\r\n", "\n"))
    return list(dict.fromkeys(block.rstrip("\n") + "\n" for block in blocks))


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", newline="") as stream:
            return stream.read(_MAX_FILE)
    except (OSError, ValueError) as error:  # ValueError for a null character in a path, and bytes that are not UTF-8
        raise RolloutError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from error


def write_statement_file(path: str, text: str, *, check: bool = False) -> bool:
    """Write the exact bytes of a statement or of signatures, for everyone to read, unless the file has them.

    The file is never half-written. Returns whether anything changes, in check mode too. Raises RolloutError.
    """
    data = text.encode()
    try:
        with open(path, "rb") as stream:
            if stream.read(_MAX_FILE) == data:
                return False
    except FileNotFoundError:
        pass
    except (OSError, ValueError) as error:
        raise RolloutError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from error
    if check:
        return True
    directory = os.path.dirname(os.path.abspath(path))
    try:
        handle, temporary = tempfile.mkstemp(prefix=".configok-", dir=directory)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
                stream.flush()
                os.fchmod(stream.fileno(), 0o644)
                os.fsync(stream.fileno())
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
    except (OSError, ValueError) as error:
        raise RolloutError(f"{path} cannot be written: {getattr(error, 'strerror', None) or error}") from error
    return True


def signing_command(statement_file: str) -> str:
    """Return the command with which a person signs a statement; it writes the file with .sig at its end."""
    return f"ssh-keygen -Y sign -f KEY -n {SIGNATURE_NAMESPACE} {shlex.quote(statement_file)}"


def unused_options(options: SigningOptions, statement: Statement | None) -> list[str]:
    """Return a sentence if a bundle that was published before is not what the options ask for.

    Raises RolloutError for a statement file that cannot be read.
    """
    if not options.wants_statement:
        return []
    if statement is None:
        return [
            "this content is published already, without a statement, and is not signed now: sign it with "
            "configok.node.config_signature, or change the content"
        ]
    if options.statement_file and read_statement_file(options.statement_file) != statement:
        return [
            f"this content is published already, with a statement different from {options.statement_file}: "
            "neither it nor its signatures are used"
        ]
    problem = _mismatch(statement, statement.pool, statement.content_hash, options.statement)
    return [f"this content is published already, and its statement {problem}: it is not changed"] if problem else []


def key_warnings(key: PublicKey) -> list[str]:
    """Return a sentence about a key that the built-in verifier of nodes does not know."""
    kind = key.type.replace(_CERTIFIED, "@openssh.com" if key.type.startswith("sk-") else "")
    if kind in BUILTIN_KEY_TYPES:
        return []
    return [
        f"the signing key is of type {key.type}, which only nodes with node_trust_verifier ssh-keygen verify; the "
        f"built-in verifier knows {first_names(BUILTIN_KEY_TYPES, 4)}"
    ]
