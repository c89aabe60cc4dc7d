# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which tokens gates may use: the author of a pool file chooses the server that gets them.

The operator of the run decides, in a variable of its environment, which no pool file can set.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final

from ..._text import sanitize
from ._server_access import ServerAccess

ALLOWED_TOKENS: Final = "CONFIGOK_ALLOWED_TOKENS"
_DEFAULT: Final = "CONFIGOK_GATE_*"


def token_refusal(access: ServerAccess, environ: Mapping[str, str]) -> str:
    """Return why a gate may not use its token, "" if it may. Reads no token."""
    allowed = [entry for entry in environ.get(ALLOWED_TOKENS, _DEFAULT).split(os.pathsep) if entry]
    if access.token_variable and not any(_is_variable(access.token_variable, entry) for entry in allowed):
        token = f"the environment variable {access.token_variable}"
    elif access.token_file and not any(_is_file(access.token_file, entry) for entry in allowed):
        token = f"the file {sanitize(access.token_file, 200)}"
    else:
        return ""
    return (
        f"{token} is not one that gates may use ({', '.join(allowed) or 'none'}): to allow it, set {ALLOWED_TOKENS} "
        "where ansible-playbook runs"
    )


def _is_variable(name: str, entry: str) -> bool:
    return name.startswith(entry[:-1]) if entry.endswith("*") else name == entry


def _is_file(name: str, entry: str) -> bool:
    """Return whether an entry is the file, or a directory with it. Links count as what they lead to."""
    if not os.path.isabs(entry):
        return False
    file, place = os.path.realpath(os.path.expanduser(name)), os.path.realpath(entry)
    return os.path.commonpath([file, place]) == place
