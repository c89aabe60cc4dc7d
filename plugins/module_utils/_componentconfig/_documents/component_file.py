# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read a component's own file, of which a daemon reads the first document."""

from __future__ import annotations

from typing import Protocol

from .._codec.document import Document, decode
from ..findings import Finding, InvalidConfig
from ..load import Config, merge_documents

_MAPPING = "must be a mapping with apiVersion and kind"


class Reader(Protocol):
    """Decodes the configs that a file holds: `decode_first`, or `decode_file` for all that a file may hold."""

    def __call__(
        self, source: str | bytes, /, *, file: str = ..., component: str | None = ..., templates: bool = ...
    ) -> tuple[Document, ...]:
        """Return at least one document. Raises InvalidConfig for a text that cannot be decoded."""


def decode_first(
    source: str | bytes, *, file: str = "config", component: str | None = None, templates: bool = True
) -> tuple[Document, ...]:
    """Decode the first document of a file; it has a finding if another one follows.

    component, templates: for other readers. Raises InvalidConfig with a finding for a text that cannot be decoded, and
    ImportError without PyYAML.
    """
    return (decode(source, file=file),)


def load_for_check(file: str, text: str | bytes, component: str | None = None, reader: Reader = decode_first) -> Config:
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


def is_of_kubeadm(document: Document) -> bool:
    """Return whether a document has an API version of kubeadm."""
    return str(document.head["apiVersion"]).startswith("kubeadm.k8s.io/")
