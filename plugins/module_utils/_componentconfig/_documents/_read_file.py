# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the configs that a file holds, in all of its documents and within them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import NamedTuple

from .. import ConfigError
from .._codec._document import MAX_BYTES, Document, decode, split
from .._codec._embedding import Embedding
from .._findings import Finding, InvalidConfig, located, not_judged
from .._load import Config, layer_findings, merge_documents
from .._schema._kinds import kinds
from ._containers import contents_of
from ._kubeadm_files import documents_of_kubeadm, is_of_kubeadm
from ._recognition import (
    KUBERNETES,
    container_rows,
    doubtful_document,
    doubts_about,
    head_of,
    is_component_config,
    names_component_config,
)
from ._templates import TEMPLATE, quoted_templates, template_line
from ._user_data import user_data_parts

__all__ = ["decode_file", "decode_first", "find_configs", "load_file", "load_for_check", "reads_all_documents"]

_KUBEADM = "kubeadm"
_MAPPING = "must be a mapping with apiVersion and kind"
_MAX_NESTING = 4
"""How deep a file is looked into: a List, a ConfigMap in it, a file to write in that, a document."""


_MAX_DOCUMENTS = 512
_MAX_CHARACTERS = 8 * MAX_BYTES
"""The limits of a file of several documents; each document has its own limits, too."""


def reads_all_documents(component: str | None) -> bool:
    """Return whether all documents of a file count for a component; a daemon reads the first one only."""
    return component in (None, _KUBEADM)


def decode_file(
    source: str | bytes, *, file: str = "config", containers: bool = True, templates: bool = True
) -> tuple[Document, ...]:
    """Decode all configs in a file that is meant as one: of a daemon's own file the first document.

    A daemon's file has a finding if a second document follows, as `decode` reports it. All documents of kubeadm's files
    count, and so do configs in ConfigMaps, in Lists and in files of other tools; see `contents_of`. Lines are those of
    the file. What is not understood next to others is a document that is not validated, with a finding that says why.
    containers: whether configs in documents count. templates: whether templates are not validated, instead of refused.

    Raises InvalidConfig with a finding for each document that cannot be decoded, and ImportError without PyYAML.
    """
    text, readings = _readings_of(source, file, templates)
    documents, errors = _split(readings)
    is_alone = len(readings) == 1
    of_kubeadm = any(map(is_of_kubeadm, documents))
    if errors and (is_alone or of_kubeadm):
        raise InvalidConfig(errors)
    if not containers:
        if is_alone or not of_kubeadm:
            return (decode_first(source, file=file, templates=templates),)
        return tuple(documents_of_kubeadm(documents))
    # If nothing in the file is a config, it is read as the config that the user says it is.
    configs = _configs_in(source, text, readings, file, is_meant=True)
    if errors and not any(document.is_validated or document.flags for document in configs):
        raise InvalidConfig(errors)
    return configs or tuple(_without_content(documents)) or (decode(source, file=file),)


def decode_first(source: str | bytes, *, file: str = "config", templates: bool = True) -> Document:
    """Decode the first document of a file, which is all that a daemon reads; raises as `decode_file` does."""
    reading = _read(source, file, templates)
    if reading.document is None:
        raise InvalidConfig(reading.errors)
    return reading.document


def find_configs(source: str | bytes, *, file: str = "config") -> tuple[Document, ...]:
    """Decode the configs in a file that may hold none, such as a file in a directory; ordinary manifests are left out.

    What is not understood is a document that is not validated. Raises InvalidConfig for a text that cannot be decoded
    and names a kind of config, and ImportError without PyYAML.
    """
    text, readings = _readings_of(source, file, True)
    documents, errors = _split(readings)
    if errors and names_component_config(text) and (len(readings) == 1 or any(map(is_of_kubeadm, documents))):
        raise InvalidConfig(errors)
    return _configs_in(source, text, readings, file, is_meant=False)


class _Reading(NamedTuple):
    """A document of a text, or what keeps it from being decoded."""

    document: Document | None
    errors: tuple[Finding, ...] = ()


def _readings_of(source: str | bytes, file: str, templates: bool) -> tuple[str, list[_Reading]]:
    """Return the text of a file, and its documents."""
    text = _text_of(source)
    messages = user_data_parts(text)
    parts: list[str | bytes] = [part for message in messages or [text] for part in _parts_of(message)]
    if len(parts) == 1 and not messages:
        parts = [source]  # with its encoding, which has findings of its own
    return text, [_read(part, file, templates) for part in parts]


def _split(readings: Sequence[_Reading]) -> tuple[list[Document], list[Finding]]:
    """Return the documents that could be decoded, and what kept the others from it."""
    documents = [reading.document for reading in readings if reading.document is not None]
    return documents, [finding for reading in readings for finding in reading.errors]


def _configs_in(
    source: str | bytes, text: str, readings: Sequence[_Reading], file: str, *, is_meant: bool
) -> tuple[Document, ...]:
    """Return the configs in a file. is_meant: whether the file is meant as a config."""
    documents, _errors = _split(readings)
    if len(readings) > 1 and _is_of_daemon(documents):
        return _daemon_documents(source, documents, file)
    documents_found = _found(readings, text, file, _MAX_NESTING, is_meant=is_meant and len(readings) == 1)
    configs = tuple(islice(documents_found, _MAX_DOCUMENTS + 1))
    if len(configs) > _MAX_DOCUMENTS:
        why = f"more than {_MAX_DOCUMENTS} configs in one file"
        return *configs[:_MAX_DOCUMENTS], _unread(file, [located(not_judged((), "a document", why), file)])
    return configs


def _read(part: str | bytes, file: str, templates: bool) -> _Reading:
    """Decode one document of a text. templates: whether a template is not validated, instead of refused."""
    try:
        return _Reading(decode(part, file=file))
    except InvalidConfig as error:
        text = _text_of(part)
        line = template_line(text) if templates else None
        if line is None:
            return _Reading(None, error.findings)
    try:
        return _Reading(decode(quoted_templates(text), file=file))
    except InvalidConfig:
        return _Reading(_unread(file, [located(not_judged((), "a document", TEMPLATE), file, line)]))


def _unread(file: str, findings: Sequence[Finding]) -> Document:
    """Return a document that could not be read, with the findings that say why."""
    return Document({}, file, tuple(findings), is_validated=False)


def _is_of_daemon(documents: Sequence[Document]) -> bool:
    """Return whether documents are the file of a daemon, which reads the first one only."""
    return (
        bool(documents)
        and is_component_config(documents[0])
        and not any(is_of_kubeadm(document) or container_rows(document) for document in documents)
    )


def _daemon_documents(source: str | bytes, documents: Sequence[Document], file: str) -> tuple[Document, ...]:
    """Return the first document, with a finding about the others, and those that are configs of another kind."""
    first = decode(source, file=file)
    kind = head_of(first)["kind"]
    return first, *(
        document for document in documents[1:] if is_component_config(document) and head_of(document)["kind"] != kind
    )


def _found(
    readings: Sequence[_Reading], text: str, file: str, nesting: int, *, is_meant: bool = False
) -> Iterator[Document]:
    """Yield the configs in the documents of a text, and the documents that are not validated."""
    documents, _errors = _split(readings)
    is_alone = len(readings) == 1
    if any(map(is_of_kubeadm, documents)) and not is_alone:
        for document in documents_of_kubeadm(documents):
            yield document
            if container_rows(document):
                yield from _inside(replace(document, findings=(), is_validated=True), text, nesting)
        return
    for reading in readings:
        for error in reading.errors[:1]:
            yield _unread(file, [located(not_judged((), "a document", error.message), file, error.line)])
        if reading.document is not None and reading.document.is_validated:
            yield from _configs_of(reading.document, text, nesting, is_alone=is_alone, is_meant=is_meant)
        elif reading.document is not None:
            yield reading.document


def _configs_of(
    document: Document, text: str, nesting: int, *, is_alone: bool, is_meant: bool = False
) -> Iterator[Document]:
    """Yield a document if it is a config, else what it holds, or why it is not validated."""
    if is_component_config(document):
        yield document
    elif container_rows(document):
        yield from _inside(document, text, nesting)
    else:
        yield from doubts_about(document, is_alone=is_alone, is_meant=is_meant)


def _inside(document: Document, text: str, nesting: int) -> Iterator[Document]:
    """Yield the configs in a document of another kind. Documents in it may hold others in turn."""
    read = partial(_read_text, nesting=nesting - 1)
    for inner in contents_of(document, text, read) if nesting else ():
        if inner.is_validated and inner.embedding is not None and inner.embedding.is_whole_document:
            yield from _configs_of(inner, text, nesting - 1, is_alone=True)
        else:
            yield inner


def _without_content(documents: Sequence[Document]) -> Iterator[Document]:
    """Yield why nothing in a file is validated: documents of other tools that hold no config.

    Next to a config, or in a directory, they are ordinary manifests.
    """
    for document in documents:
        tools = [row["tool"] for row in container_rows(document)]
        if tools and tools[0] != KUBERNETES:
            yield doubtful_document(document, f"a file of {tools[0]}", "it holds no config and no flags of a component")


def _read_text(text: str, file: str, is_patch: bool, *, nesting: int) -> list[Document]:
    """Return the documents of a text within a file; is_patch: they need no apiVersion."""
    text = _text_of(text)
    readings = [_read(part, file, True) for part in _parts_of(text)]
    if is_patch:
        readings = [_Reading(_with_version(reading.document), reading.errors) for reading in readings]
    _documents, errors = _split(readings)
    if errors and names_component_config(text):
        return [_unread(file, errors)]
    if is_patch:  # not kubeadm's file: each document changes another one
        return [document for reading in readings for document in _found([reading], text, file, nesting)]
    return list(_found(readings, text, file, nesting))


def _with_version(document: Document | None) -> Document | None:
    """Return a patch with an API version of its kind, if it does not say which one it is for."""
    if document is None or not isinstance(document.data, dict):
        return document
    head = head_of(document)
    if head["apiVersion"] or not isinstance(head["kind"], str):
        return document
    versions = sorted({kind.api_version for kind in kinds() if kind.kind == head["kind"]})
    if not versions:
        return document
    # kubeadm's arguments are a list in the newest version, and a map before.
    is_newest = _has_argument_list(document.data) or len(versions) == 1
    version = versions[-1] if is_newest else versions[-2]
    return replace(document, data={"apiVersion": version, **document.data}, embedding=Embedding(implies_version=True))


def _has_argument_list(value: object) -> bool:
    if isinstance(value, dict):
        return any(
            isinstance(item, list) if str(key).endswith("xtraArgs") else _has_argument_list(item)
            for key, item in value.items()
        )
    return False


def load_file(file: str, text: str | bytes) -> Config:
    """Load all configs of one file, as `decode_file` finds them.

    Raises InvalidConfig with a finding for each document that cannot be used, and ImportError without PyYAML.
    """
    documents = decode_file(text, file=file)
    validated = [document for document in documents if document.is_validated]
    findings = [finding for document in validated for finding in layer_findings([document])]
    if findings or not validated:
        raise InvalidConfig(findings or [finding for document in documents for finding in document.findings])
    return Config(merge_documents(validated[:1]), tuple(validated[:1]), tuple(validated[1:]))


def load_for_check(file: str, text: str | bytes, component: str | None = None) -> Config:
    """Load one file as its component reads it, for a check, which reports what is wrong with apiVersion and kind.

    Raises InvalidConfig with a finding for each document that is not a mapping, and ImportError without PyYAML.
    """
    if reads_all_documents(component):
        documents = decode_file(text, file=file, containers=component is None, templates=component is None)
        documents = tuple(sorted(documents, key=lambda document: not document.is_validated))
    else:
        documents = (decode(text, file=file),)
    findings = [
        document.locate(Finding((), "the file is empty" if document.data is None else _MAPPING, "kind"))
        for document in documents
        if not isinstance(document.data, dict)
    ]
    if findings:
        raise InvalidConfig(findings)
    return Config(merge_documents(documents[:1]), documents[:1], documents[1:])


def _text_of(source: str | bytes) -> str:
    text = source if isinstance(source, str) else source.decode("utf-8", "replace")
    return text[1:] if text.startswith("\ufeff") else text


def _parts_of(text: str) -> list[str]:
    """Return the documents of a text; the whole text if it has too many, or is JSON."""
    # Each part has the empty lines of those before it.
    size = text.count("\n---") * text.count("\n")
    if text.lstrip().startswith("{") or max(len(text), size // 4) > _MAX_CHARACTERS:
        return [text]
    try:
        return split(text, _MAX_DOCUMENTS)
    except ConfigError:
        return [text]
