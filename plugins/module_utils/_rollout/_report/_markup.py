# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""HTML elements whose text is always escaped. Pure. Private to configok.node."""

from __future__ import annotations

import html
from collections.abc import Iterable

from ..._text import sanitize

_VOID_ELEMENTS = frozenset(("br", "col", "input", "link", "meta"))


class Html(str):
    """HTML that element() or a constant of this package has made; any other text is escaped.

    Concatenation and formatting give plain text, which is escaped again: that shows, but never injects.
    """

    __slots__ = ()


def _escape(text: object) -> str:
    return html.escape(sanitize(text), quote=True)


def element(name: str, *children: object, **attributes: object) -> Html:
    """Return an element. Children that are not Html are sanitized and escaped, as are the values of attributes.

    The name of an attribute has underscores for hyphens, and may end with one where Python has a keyword. True gives an
    attribute without a value; None and False omit it.
    """
    parts = [f"<{name}"]
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        attribute = key.rstrip("_").replace("_", "-")
        parts.append(f" {attribute}" if value is True else f' {attribute}="{_escape(value)}"')
    parts.append(">")
    if name in _VOID_ELEMENTS:
        return Html("".join(parts))
    parts += [child if isinstance(child, Html) else _escape(child) for child in children if child is not None]
    parts.append(f"</{name}>")
    return Html("".join(parts))


def join(parts: Iterable[Html], separator: str = "") -> Html:
    """Return several pieces of HTML as one; the separator is text."""
    return Html(_escape(separator).join(parts) if separator else "".join(parts))
