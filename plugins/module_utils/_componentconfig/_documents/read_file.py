# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the configs that a file holds, in all of its documents and within them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice

from .._codec._embedding import Embedding
from .._codec.document import Document, decode
from .._schema.kinds import kinds
from ..findings import InvalidConfig, located, not_judged
from ..load import Config, layer_findings, merge_documents
from ._containers import contents_of
from ._kubeadm_files import documents_of_kubeadm
from ._readings import MAX_DOCUMENTS, Reading, decoded, read_text, readings_of, text_of, unread
from .component_file import is_of_kubeadm
from .recognition import (
    KUBERNETES,
    container_rows,
    doubtful_document,
    doubts_about,
    is_component_config,
    names_component_config,
)

_KUBEADM = "kubeadm"
_MAX_NESTING = 4
"""How deep a file is looked into: a List, a ConfigMap in it, a file to write in that, a document."""


def decode_file(
    source: str | bytes, *, file: str = "config", component: str | None = None, templates: bool = True
) -> tuple[Document, ...]:
    """Decode all configs in a file that is meant as one; for a component, those of its own file.

    All documents of kubeadm's files count, and so do configs in ConfigMaps, in Lists and in files of other tools; see
    `contents_of`. What is not understood next to others is a document that is not validated, with a finding that says
    why. component: the one that reads the file, None if that is not known. templates: whether templates are not
    validated, instead of refused. Lines are those of the file.

    Raises InvalidConfig with a finding for each document that cannot be decoded, and ImportError without PyYAML.
    """
    if component is not None:
        return _of_component(source, file, component, templates)
    readings = readings_of(source, file, templates)
    documents, errors = decoded(readings)
    if errors and (len(readings) == 1 or any(map(is_of_kubeadm, documents))):
        raise InvalidConfig(errors)
    # If nothing in the file is a config, it is read as the config that the user says it is.
    configs = _configs_in(source, readings, file, is_meant=True)
    if errors and not any(document.is_validated or document.flags for document in configs):
        raise InvalidConfig(errors)
    return configs or tuple(_without_content(documents)) or (decode(source, file=file),)


def _of_component(source: str | bytes, file: str, component: str, templates: bool) -> tuple[Document, ...]:
    """Decode the documents that a component reads of its file: a daemon the first one, kubeadm all."""
    readings = readings_of(source, file, templates) if component == _KUBEADM else []
    documents, errors = decoded(readings)
    is_of_several = len(readings) > 1 and any(map(is_of_kubeadm, documents))
    if errors and (is_of_several or len(readings) == 1):
        raise InvalidConfig(errors)
    if is_of_several:
        return tuple(documents_of_kubeadm(documents))
    first = read_text(source, file, templates)  # with a finding about the others
    if first.document is None:
        raise InvalidConfig(first.errors)
    return (first.document,)


def find_configs(source: str | bytes, *, file: str = "config") -> tuple[Document, ...]:
    """Decode the configs in a file that may hold none, such as a file in a directory; ordinary manifests are left out.

    What is not understood is a document that is not validated. Raises InvalidConfig for a text that cannot be decoded
    and names a kind of config, and ImportError without PyYAML.
    """
    readings = readings_of(source, file, True)
    documents, errors = decoded(readings)
    is_config = len(readings) == 1 or any(map(is_of_kubeadm, documents))
    if errors and is_config and names_component_config(text_of(source)):
        raise InvalidConfig(errors)
    return _configs_in(source, readings, file, is_meant=False)


def _configs_in(source: str | bytes, readings: Sequence[Reading], file: str, *, is_meant: bool) -> tuple[Document, ...]:
    """Return the configs in a file. is_meant: whether the file is meant as a config."""
    documents, _errors = decoded(readings)
    if len(readings) > 1 and _is_of_daemon(documents):
        return _daemon_documents(source, documents, file)
    documents_found = _found(readings, text_of(source), file, _MAX_NESTING, is_meant=is_meant and len(readings) == 1)
    configs = tuple(islice(documents_found, MAX_DOCUMENTS + 1))
    if len(configs) > MAX_DOCUMENTS:
        why = f"more than {MAX_DOCUMENTS} configs in one file"
        return *configs[:MAX_DOCUMENTS], unread(file, [located(not_judged((), "a document", why), file)])
    return configs


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
    kind = first.head["kind"]
    return first, *(
        document for document in documents[1:] if is_component_config(document) and document.head["kind"] != kind
    )


def _found(
    readings: Sequence[Reading], text: str, file: str, nesting: int, *, is_meant: bool = False
) -> Iterator[Document]:
    """Yield the configs in the documents of a text, and the documents that are not validated."""
    documents, _errors = decoded(readings)
    is_alone = len(readings) == 1
    if any(map(is_of_kubeadm, documents)) and not is_alone:
        for document in documents_of_kubeadm(documents):
            yield document
            if container_rows(document):
                yield from _inside(document._replace(findings=(), is_validated=True), text, nesting)
        return
    for reading in readings:
        for error in reading.errors[:1]:
            yield unread(file, [located(not_judged((), "a document", error.message), file, error.line)])
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
    text = text_of(text)
    readings = readings_of(text, file, True)
    if is_patch:
        readings = [Reading(_with_version(reading.document), reading.errors) for reading in readings]
    _documents, errors = decoded(readings)
    if errors and names_component_config(text):
        return [unread(file, errors)]
    if is_patch:  # not kubeadm's file: each document changes another one
        return [document for reading in readings for document in _found([reading], text, file, nesting)]
    return list(_found(readings, text, file, nesting))


def _with_version(document: Document | None) -> Document | None:
    """Return a patch with an API version of its kind, if it does not say which one it is for."""
    if document is None or not isinstance(document.data, dict):
        return document
    head = document.head
    if head["apiVersion"] or not isinstance(head["kind"], str):
        return document
    versions = sorted({kind.api_version for kind in kinds() if kind.kind == head["kind"]})
    if not versions:
        return document
    # kubeadm's arguments are a list in the newest version, and a map before.
    is_newest = _has_argument_list(document.data) or len(versions) == 1
    version = versions[-1] if is_newest else versions[-2]
    return document._replace(data={"apiVersion": version, **document.data}, embedding=Embedding(implies_version=True))


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
