# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The section ``signing`` of a pool file: how its bundles are signed. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from ..._nodeconfig.strict_mapping import StrictFields
from ..._trust.statement import MAX_SEQUENCE, is_cluster, is_time
from .._pool_values import read_settings, setting, text, texts


def _number(value: Any) -> int:
    """Return a number of a statement; a template makes it a text. Raises ValueError."""
    number = int(value) if isinstance(value, str) and re.match(r"[0-9]{1,15}\Z", value) else value
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= MAX_SEQUENCE:
        raise ValueError(f"must be a whole number from 1 to {MAX_SEQUENCE}")
    return number


def _cluster(value: Any) -> str:
    if not is_cluster(value):
        raise ValueError("must be the name of the cluster, a DNS name of at most 63 characters, or its uid")
    return str(value)


def _time(value: Any) -> str:
    if not isinstance(value, str) or not is_time(value):
        raise ValueError('must be a time in UTC, in quotes, such as "2027-01-31T00:00:00Z"')
    return value


@dataclass(frozen=True)
class Signing:
    """How the bundles of a pool are signed; without a key and files they are not.

    key: the file of a private key, a public key or a certificate. sequence, floor: None for the defaults.
    cluster: that the statement names, "" for none.
    """

    key: str = setting(text, "")
    statement_file: str = setting(text, "")
    signature_files: tuple[str, ...] = setting(texts, ())
    sequence: int | None = setting(_number, None)
    floor: int | None = setting(_number, None)
    not_after: str = setting(_time, "")
    cluster: str = setting(_cluster, "")


def parse_signing(fields: StrictFields) -> Signing:
    """Read the section; errors are collected in the fields."""
    signing = read_settings(Signing, fields)
    if signing.signature_files and not signing.statement_file:
        fields.error("signatureFiles", None, "need statementFile: a signature is of one exact statement")
    is_used = signing.key or signing.statement_file
    for name, value in (
        ("sequence", signing.sequence),
        ("floor", signing.floor),
        ("notAfter", signing.not_after),
        ("cluster", signing.cluster),
    ):
        if value and not is_used:
            fields.error(name, None, "needs key or statementFile: a bundle that is not signed has no statement")
    return signing
