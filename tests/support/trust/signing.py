# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys, certificates and signed bundles, made by the stock ssh-keygen: nothing of the project signs here.

alice = make_key(directory, "alice")
authority = make_key(directory, "authority")
bob = certify(authority, make_key(directory, "bob"), principals=["pool-workers", "user-bob"])
bundle = signed(build_bundle("workers", {"kubelet": "..."}), [alice, bob], sequence=3, floor=2)
"""

from __future__ import annotations

import copy
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle import HASH_SCHEME, content_hash
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.well_known import (
    ANNOTATION_SIGNATURES,
    ANNOTATION_STATEMENT,
    LABEL_POOL,
)
from ansible_collections.configok.node.plugins.module_utils._trust.public_keys import parse_public_key
from ansible_collections.configok.node.plugins.module_utils._trust.statement import (
    SIGNATURE_NAMESPACE,
    Statement,
    encode_signatures,
)

__all__ = ["Key", "certify", "make_key", "sign", "signed", "statement_of", "trust_section", "with_annotations"]


class Key(NamedTuple):
    """A key of a signer or an authority. file: the private key. line: the public key. certificate: None without one."""

    file: Path
    line: str
    certificate: Path | None = None

    @property
    def fingerprint(self) -> str:
        """Return the fingerprint of the public key, without the certificate."""
        return parse_public_key(self.line).fingerprint


def make_key(directory: Path, name: str, *, kind: str = "ed25519", comment: str = "", passphrase: str = "") -> Key:
    """Make a key pair. comment: the name by default."""
    directory.mkdir(parents=True, exist_ok=True)
    file = directory / name
    _ssh_keygen("-q", "-t", kind, "-N", passphrase, "-C", comment or name, "-f", str(file))
    return Key(file, file.with_suffix(".pub").read_text().strip())


def certify(
    authority: Key,
    key: Key,
    *,
    key_id: str = "",
    principals: Sequence[str] = ("pool-workers",),
    validity: str = "-5m:+1h",
    options: Sequence[str] = (),
    host: bool = False,
    serial: int = 1,
) -> Key:
    """Return the key with a certificate of the authority.

    key_id: the name of the key's file by default. validity: as ssh-keygen -V has it, such as "-2d:-1d" for an expired
    one. options: as ssh-keygen -O has them, such as "critical:unknown=1". host: make a certificate of a host.
    """
    copied = key.file.with_name(f"{key.file.name}-{serial}.pub")
    copied.write_text(key.line + "\n")
    named = ["-n", ",".join(principals)] if principals else []
    chosen = [word for option in options for word in ("-O", option)]
    kind = ["-h"] if host else []
    command = ["-q", "-s", str(authority.file), "-I", key_id or key.file.name, *kind, *named, "-V", validity]
    _ssh_keygen(*command, "-z", str(serial), *chosen, str(copied))
    private = copied.with_suffix("")
    private.write_bytes(key.file.read_bytes())
    private.chmod(0o600)
    return Key(private, key.line, copied.with_name(f"{copied.stem}-cert.pub"))


def sign(key: Key, message: str, *, namespace: str = SIGNATURE_NAMESPACE) -> str:
    """Return an armored SSHSIG signature; of the certificate, if the key has one."""
    command = ["-Y", "sign", "-q", "-f", str(key.certificate or key.file), "-n", namespace]
    return _ssh_keygen(*command, text=message)


def statement_of(
    bundle: Mapping[str, Any], *, sequence: int = 1, floor: int = 1, not_after: str = "", cluster: str = ""
) -> Statement:
    """Return the statement of a bundle's ConfigMap. The other parameters are as Statement has them."""
    pool = bundle["metadata"]["labels"][LABEL_POOL]
    return Statement(pool, content_hash(bundle["data"]), HASH_SCHEME, sequence, floor, not_after, cluster)


def with_annotations(bundle: Mapping[str, Any], statement: str, signatures: Sequence[str]) -> dict[str, Any]:
    """Return a copy of the ConfigMap with a statement and signatures, whatever they are."""
    copied = copy.deepcopy(dict(bundle))
    annotations = copied["metadata"].setdefault("annotations", {})
    annotations[ANNOTATION_STATEMENT] = statement
    annotations[ANNOTATION_SIGNATURES] = encode_signatures(signatures)
    return copied


def signed(bundle: Mapping[str, Any], keys: Sequence[Key], **numbers: Any) -> dict[str, Any]:
    """Return a copy of the ConfigMap, signed by these keys. numbers: as statement_of takes them."""
    text = statement_of(bundle, **numbers).encode()
    return with_annotations(bundle, text, [sign(key, text) for key in keys])


def trust_section(
    *,
    mode: str = "require",
    pools: Sequence[str] = ("workers",),
    keys: Sequence[Key] = (),
    authorities: Sequence[Key] = (),
    threshold: int = 1,
    revoked: Sequence[str] = (),
    verifier: str = "builtin",
    clusters: Sequence[str] = (),
) -> dict[str, Any]:
    """Return the section trust of an AgentConfiguration."""
    return {
        "mode": mode,
        "pools": list(pools),
        "keys": [key.line for key in keys],
        "authorities": [key.line for key in authorities],
        "threshold": threshold,
        "revoked": list(revoked),
        "verifier": verifier,
        "clusters": list(clusters),
    }


def _ssh_keygen(*arguments: str, text: str = "") -> str:
    done = subprocess.run(["ssh-keygen", *arguments], input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"ssh-keygen {' '.join(arguments)}: {done.stderr or done.stdout}")
    return done.stdout
