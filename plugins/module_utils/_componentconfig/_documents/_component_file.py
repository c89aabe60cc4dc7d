# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read a component's own file: the first document of a daemon's, all documents of kubeadm's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from .. import ConfigError
from .._codec._document import MAX_BYTES, Document, decode, split
from .._findings import Finding, InvalidConfig, located, not_judged
from .._load import Config, merge_documents
from ._kubeadm_files import documents_of_kubeadm, is_of_kubeadm
from ._templates import TEMPLATE, quoted_templates, template_line
from ._user_data import user_data_parts

__all__ = [
    "MAX_DOCUMENTS",
    "Reader",
    "Reading",
    "decode_component_file",
    "decode_first",
    "decoded",
    "load_for_check",
    "read_text",
    "readings_of",
    "text_of",
    "unread",
]

_KUBEADM = "kubeadm"
_MAPPING = "must be a mapping with apiVersion and kind"
MAX_DOCUMENTS = 512
_MAX_CHARACTERS = 8 * MAX_BYTES
"""The limits of a file of several documents; each document has its own limits, too."""


class Reader(Protocol):
    """Decodes the configs that a file holds: `decode_component_file` or `decode_file`."""

    def __call__(
        self, source: str | bytes, /, *, file: str = ..., component: str | None = ..., templates: bool = ...
    ) -> tuple[Document, ...]:
        """Return at least one document. Raises InvalidConfig for a text that cannot be decoded."""


def decode_component_file(
    source: str | bytes, *, file: str = "config", component: str | None = None, templates: bool = True
) -> tuple[Document, ...]:
    """Decode the documents that a component reads of its file: a daemon the first one, kubeadm all.

    A daemon's file has a finding if a second document follows, as `decode` reports it. Lines are those of the file.
    component: the one that reads the file, None if that is not known. templates: whether templates are not validated,
    instead of refused.

    Raises InvalidConfig with a finding for each document that cannot be decoded, and ImportError without PyYAML.
    """
    if component not in (None, _KUBEADM):
        return (decode_first(source, file=file, templates=templates),)
    readings = readings_of(source, file, templates)
    documents, errors = decoded(readings)
    is_alone, of_kubeadm = len(readings) == 1, any(map(is_of_kubeadm, documents))
    if errors and (is_alone or of_kubeadm):
        raise InvalidConfig(errors)
    if is_alone or not of_kubeadm:
        return (decode_first(source, file=file, templates=templates),)
    return tuple(documents_of_kubeadm(documents))


def decode_first(source: str | bytes, *, file: str = "config", templates: bool = True) -> Document:
    """Decode the first document of a file, which is all that a daemon reads; raises as `decode_component_file`."""
    reading = read_text(source, file, templates)
    if reading.document is None:
        raise InvalidConfig(reading.errors)
    return reading.document


def load_for_check(
    file: str, text: str | bytes, component: str | None = None, reader: Reader = decode_component_file
) -> Config:
    """Load one file as its component reads it, for a check, which reports what is wrong with apiVersion and kind.

    reader: finds the documents of the file. Raises InvalidConfig with a finding for each document that is not a
    mapping, and ImportError without PyYAML.
    """
    in_order = reader(text, file=file, component=component, templates=component is None)
    documents = tuple(sorted(in_order, key=lambda document: not document.is_validated))
    findings = [
        document.locate(Finding((), "the file is empty" if document.data is None else _MAPPING, "kind"))
        for document in documents
        if not isinstance(document.data, dict)
    ]
    if findings:
        raise InvalidConfig(findings)
    return Config(merge_documents(documents[:1]), documents[:1], documents[1:])


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
