# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads an HTML page strictly: every element is closed, in order; what it holds can be asked for."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

__all__ = ["Element", "parse_page"]

_VOID = frozenset(("br", "col", "input", "link", "meta"))
# A paragraph ends where one of these begins, whatever the page means.
_BLOCKS = frozenset(("details", "div", "dl", "h1", "h2", "h3", "ol", "p", "section", "table", "ul"))


@dataclass
class Element:
    """An element of a page. text: its own and that of its descendants."""

    name: str
    attributes: dict[str, str]
    ancestors: tuple[str, ...] = ()
    text: str = ""
    inside: list[Element] = field(default_factory=list)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[Element] = []
        self.open: list[Element] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _value in attrs]
        assert len(names) == len(set(names)), (tag, attrs)
        assert tag not in _BLOCKS or all(element.name != "p" for element in self.open), f"{tag} in a paragraph"
        element = Element(tag, {name: value or "" for name, value in attrs}, tuple(item.name for item in self.open))
        for ancestor in self.open:
            ancestor.inside.append(element)
        self.elements.append(element)
        if tag not in _VOID:
            self.open.append(element)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open[-1].name == tag, f"</{tag}> closes {self.open[-1].name}"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        for element in self.open:
            element.text += data


def parse_page(page: str) -> list[Element]:
    """Return the elements of a page, in order."""
    reader = _Reader()
    reader.feed(page)
    reader.close()
    assert not reader.open, f"{reader.open[-1].name} is not closed"
    return reader.elements
