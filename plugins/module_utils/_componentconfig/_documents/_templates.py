# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read texts with templates in them, which another program renders before a component reads the text."""

from __future__ import annotations

import re

TEMPLATE = "a template before it is rendered"
"""Why a text is not validated."""
_MARKER = re.compile(r"\{\{|\{%|<%|%\{|\$\{[A-Za-z_]")
# A value that begins with {{, without quotes: YAML reads a mapping within a mapping.
_BARE_VALUE = re.compile(
    r"(?m)^(?P<key>[ \t]*(?:- )*(?:[^\s:#][^:\n]*:[ \t]+)?)"
    r"(?P<value>\$?\{\{[^\n]*\}\}[^\n#]*?)[ \t]*(?:#.*)?$"
)


def template_line(text: str) -> int | None:
    """Return the line of the first template expression in a text, None without any."""
    marker = _MARKER.search(text)
    return None if marker is None else text.count("\n", 0, marker.start()) + 1


def quoted_templates(text: str) -> str:
    """Return a text with quotes around values that are template expressions, so that the rest can be decoded."""
    return _BARE_VALUE.sub(_quote, text)


def _quote(match: re.Match[str]) -> str:
    value = match["value"].replace("'", "''")
    return f"{match['key']}'{value}'"
