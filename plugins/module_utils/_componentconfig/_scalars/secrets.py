# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Recognize and redact secrets: keys, tokens, passwords."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from .field_path import Path

_SECRET_TEXT = re.compile(
    r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY"  # PEM
    r"|LS0tLS1CRUdJTi[A-Za-z0-9+/]{0,48}?(?:UFJJVkFURS|BSSVZBVEU|QUklWQVRF)"  # the same in base64
    r"|(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{16,}"  # JSON web token
    r"|\b[Bb]earer +[A-Za-z0-9._~+/-]{16,}"
    r"|\bBasic +[A-Za-z0-9+/]{12,}={0,2}"
    r"|\b(?:ghp|gho|ghs|github_pat|glpat|xox[abp])[-_][A-Za-z0-9_-]{16,}"  # tokens with a prefix of their own
    r"|\bAKIA[0-9A-Z]{16}\b"
    r"|://[^/\s@]+@"  # a password in a URL, or a token alone
    r"|[?&][\w-]*?(?i:token|secret|password|api[_-]?key|signature)=[^&\s]"  # in a URL's query
)
# A bootstrap token is six characters, a dot and sixteen: too short to be recognized outside a field of that name.
_SECRET_FIELDS = frozenset(
    ("password", "token", "secret", "client-key-data", "tlsBootstrapToken", "certificateKey", "secretKey", "privateKey")
)
_MASKED_FIELD = "staticPodURLHeader"  # the kubelet masks each of these headers when it writes its config to its log


def is_secret(value: Any, path: Path = ()) -> bool:
    """Return whether a decoded value at a field path is, or holds, a secret, which is neither published nor shown."""
    if isinstance(value, (dict, list)):
        return any(True for _path in secret_paths(value, path))
    if isinstance(value, str) and _SECRET_TEXT.search(value) is not None:
        return True
    is_set = isinstance(value, (str, int, float)) and not isinstance(value, bool) and value != ""
    return is_set and _is_secret_field(path)


def _is_secret_field(path: Path) -> bool:
    """Return whether a field holds a secret by its name; a value of a wrong type, such as a list, hides it below."""
    is_key = path[-2:-1] == ("keys",)  # an EncryptionConfiguration's key, written without name and secret
    return is_key or any(key == _MASKED_FIELD or key in _SECRET_FIELDS for key in path)


def secret_paths(data: Any, path: Path = ()) -> Iterator[Path]:
    """Yield the paths of all secrets in decoded data."""
    pending: list[tuple[Path, Any]] = [(path, data)]
    while pending:
        current, value = pending.pop()
        if isinstance(value, dict):
            pending.extend((current + (key,), item) for key, item in value.items())
        elif isinstance(value, list):
            pending.extend((current + (index,), item) for index, item in enumerate(value))
        elif is_secret(value, current):
            yield current


def redact(data: Any, path: Path = ()) -> Any:
    """Return decoded data with a note in place of every secret."""
    if isinstance(data, dict):
        return {key: redact(item, path + (key,)) for key, item in data.items()}
    if isinstance(data, list):
        return [redact(item, path + (index,)) for index, item in enumerate(data)]
    return "(a secret, not shown)" if is_secret(data, path) else data
