# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Decode the documents of a text: with templates in them, several ones, and those of user data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .. import ConfigError
from .._codec.document import MAX_BYTES, Document, decode, split
from ..findings import Finding, InvalidConfig, located, not_judged
from ._templates import TEMPLATE, quoted_templates, template_line
from ._user_data import user_data_parts

MAX_DOCUMENTS = 512
_MAX_CHARACTERS = 8 * MAX_BYTES
"""The limits of a file of several documents; each document has its own limits, too."""


class Reading(NamedTuple):
    """A document of a text, or what keeps it from being decoded."""

    document: Document | None
    errors: tuple[Finding, ...] = ()


def readings_of(source: str | bytes, file: str, templates: bool) -> list[Reading]:
    """Return the documents of a file. templates: whether a template is not validated, instead of refused."""
    text = text_of(source)
    messages = user_data_parts(text)
    parts: list[str | bytes] = [part for message in messages or [text] for part in _parts_of(message)]
    if len(parts) == 1 and not messages:
        parts = [source]  # with its encoding, which has findings of its own
    return [read_text(part, file, templates) for part in parts]


def decoded(readings: Sequence[Reading]) -> tuple[list[Document], list[Finding]]:
    """Return the documents that could be decoded, and what kept the others from it."""
    documents = [reading.document for reading in readings if reading.document is not None]
    return documents, [finding for reading in readings for finding in reading.errors]


def read_text(part: str | bytes, file: str, templates: bool) -> Reading:
    """Decode one document of a text. templates: whether a template is not validated, instead of refused."""
    try:
        return Reading(decode(part, file=file))
    except InvalidConfig as error:
        text = text_of(part)
        line = template_line(text) if templates else None
        if line is None:
            return Reading(None, error.findings)
    try:
        return Reading(decode(quoted_templates(text), file=file))
    except InvalidConfig:
        return Reading(unread(file, [located(not_judged((), "a document", TEMPLATE), file, line)]))


def unread(file: str, findings: Sequence[Finding]) -> Document:
    """Return a document that could not be read, with the findings that say why."""
    return Document({}, file, tuple(findings), is_validated=False)


def text_of(source: str | bytes) -> str:
    """Return a text without the mark of its byte order."""
    text = source if isinstance(source, str) else source.decode("utf-8", "replace")
    return text[1:] if text.startswith("\ufeff") else text


def _parts_of(text: str) -> list[str]:
    """Return the documents of a text; the whole text if it has too many, or is JSON."""
    # Each part has the empty lines of those before it.
    size = text.count("\n---") * text.count("\n")
    if text.lstrip().startswith("{") or max(len(text), size // 4) > _MAX_CHARACTERS:
        return [text]
    try:
        return split(text, MAX_DOCUMENTS)
    except ConfigError:
        return [text]
