# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""validate: what is wrong with files, for people or machines."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

from ._componentconfig._decode import decode
from ._componentconfig._findings import WARNING, DecodeError, Finding
from ._componentconfig._policy import denied
from ._componentconfig._validate import validate
from ._output import complain

__all__ = ["validate_files"]

_OK, _REFUSED, _USAGE = 0, 1, 2


def validate_files(
    names: Sequence[str],
    *,
    component: str,
    versions: Sequence[str],
    bundle: bool,
    denied_fields: Sequence[str],
    as_json: bool,
) -> int:
    """Print all findings of all files and return 0, 1 where one refuses, 2 where a file or a version cannot be read.

    names: paths, "-" for standard input. Findings are lines, or with as_json one list of objects.
    """
    found: list[Finding] = []
    for name in names:
        try:
            text = _read(name)
            found += validate(text, file=name, component=component or None, versions=versions, bundle=bundle)
            found += _denied(text, name, denied_fields)
        except OSError as error:
            complain(f"{name}: cannot be read: {error.strerror or error}")
            return _USAGE
        except ValueError as error:  # a version that is none
            complain(str(error))
            return _USAGE
    if as_json:
        print(json.dumps([finding.as_dict() for finding in found]))
    else:
        for finding in found:
            print(f"{finding} [{finding.level}]")
    return _REFUSED if any(finding.level != WARNING for finding in found) else _OK


def _read(name: str) -> bytes:
    if name == "-":
        return sys.stdin.buffer.read()
    with open(name, "rb") as stream:
        return stream.read()


def _denied(text: bytes, name: str, denied_fields: Sequence[str]) -> list[Finding]:
    if not denied_fields:
        return []
    try:
        return denied(decode(text, file=name).data, denied_fields, file=name)
    except DecodeError:
        return []  # told by validate
