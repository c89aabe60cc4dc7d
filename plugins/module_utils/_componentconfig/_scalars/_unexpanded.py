# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Recognize values that another program replaces first: variables, commands, templates, systemd's specifiers."""

from __future__ import annotations

import re
from typing import Any

UNEXPANDED = "an unexpanded variable"
"""Why a value is not judged."""

# A dollar sign alone is legitimate text: at the end of a regular expression, in a hash ($6$salt$...), inside a word.
# So are a percent sign of a quantity, of a URL's escape and of a format (%s).
EXPRESSION = re.compile(
    r"\$\{(?:[^{}]|\{[^{}]*\})*\}+"  # ${NAME}, ${NAME:-${OTHER}}, ${{ name }}
    r"|\$\((?:[^()]|\([^()]*\))*\)"  # $(NAME), $(command)
    r"|(?<![\w$\\.)\]])\$[A-Za-z_]\w*(?![\w$])"  # $NAME
    r"|\{\{(?:(?!\{\{|\}\}).)*\}\}|\{%(?:(?!\{%|%\}).)*%\}|<%(?:(?!<%|%>).)*%>"  # Jinja, Go, ERB
    r"|(?<![\w%])%[hHiIjJlLmMnNpPuU](?![\w%])"  # systemd's specifiers
    r"|@@[A-Za-z]\w*@@|%%[A-Za-z]\w*%%",  # placeholders of scripts
    re.DOTALL,
)
"""Matches what another program replaces. Spaces and commas inside belong to it."""

_COMMAND = re.compile(r"`[^`]+`", re.DOTALL)


def is_unexpanded(value: Any) -> bool:
    """Return whether a value is text that still has a variable, a command or a template in it."""
    if not isinstance(value, str):
        return False
    return EXPRESSION.search(value) is not None or _COMMAND.fullmatch(value) is not None


def without_unexpanded_parts(text: str) -> str:
    """Return a list with commas without the parts that have a variable in them."""
    # No list has this character; it stands for an expression, whose commas separate nothing.
    parts = EXPRESSION.sub("\0", text).split(",")
    return ",".join(part for part in parts if "\0" not in part and not is_unexpanded(part))
