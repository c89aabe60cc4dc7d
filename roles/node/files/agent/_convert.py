# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""convert: convert a component config to another API version."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence

from ._componentconfig.convert import ConvertedFile, convert
from ._files import input_errors, read_file
from ._output import complain, show_json

__all__ = ["convert_file"]

_OK, _REFUSED, _USAGE = 0, 1, 2


def convert_file(
    name: str, api_version: str, *, versions: Sequence[str], dest: str, allow_loss: bool, as_json: bool
) -> int:
    """Print the converted file, and on standard error what was converted and lost.

    Return 0, 1 if something is lost that may not be, or if the file holds a secret, which only dest can have; 2 if dest
    cannot be written. dest: a file to write instead, "" for none. versions: must read the result. Raises UnusableInput.
    """
    with input_errors(name):
        converted = convert(read_file(name), api_version, file=name, versions=versions)
    answer = converted.as_dict(f"only {dest} gets it" if dest else "--dest writes it to a file")
    if as_json:
        show_json(answer)
    else:
        for line in answer["lines"]:
            complain(line)
    if converted.losses and not allow_loss:
        complain("not everything can be kept, so nothing is written: --allow-loss accepts it")
        return _REFUSED
    if dest:
        return _write(converted, dest)
    if not as_json:
        print(answer["text"], end="")
    return _OK if answer["text"] else _REFUSED


def _write(converted: ConvertedFile, dest: str) -> int:
    """Write the converted file atomically, for its owner only; return an exit code."""
    try:
        handle, temporary = tempfile.mkstemp(dir=os.path.dirname(os.path.abspath(dest)))
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(converted.text)
            os.replace(temporary, dest)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError as error:
        complain(f"{dest}: cannot be written: {error.strerror or error}")
        return _USAGE
    return _OK
