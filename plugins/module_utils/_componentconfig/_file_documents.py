# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the documents of a file: kubeadm's files have several, and a ConfigMap holds configs as text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from . import ConfigError
from ._codec._document import Document, decode, split
from ._codec._plain_values import head_values
from ._findings import Finding, InvalidConfig, Level
from ._load import Config, layer_findings, merge_documents
from ._schema._kinds import find_kind, is_of_known_group

__all__ = ["RULE_SKIPPED", "decode_file", "is_of_kubeadm", "load_file", "load_for_check", "reads_all_documents"]

RULE_SKIPPED = "document-skipped"
"""The rule of a document's own finding that kubeadm does not read it."""
_KUBEADM = "kubeadm"
_MAPPING = "must be a mapping with apiVersion and kind"
_READ_BY_KUBEADM = ("KubeletConfiguration", "KubeProxyConfiguration")
_BLOCK = re.compile(r"[:\s]\|[-+0-9]*[ \t]*(?:#.*)?$")
_HEAD_LINES = tuple(re.compile(rf"(?m)(?:^|[{{,])[ \t]*\"?{name}\"?[ \t]*:") for name in ("apiVersion", "kind"))


def reads_all_documents(component: str | None) -> bool:
    """Return whether all documents of a file count for a component; a daemon reads the first one only."""
    return component in (None, _KUBEADM)


def decode_file(source: str | bytes, *, file: str = "config", config_maps: bool = True) -> tuple[Document, ...]:
    """Decode all documents of a file of kubeadm, or the configs in ConfigMaps; of other files, the first document.

    The first document of another file has a finding if a second one follows, as `decode` reports it. Lines are those of
    the file. config_maps: whether to look into ConfigMaps. Raises InvalidConfig with a finding for each document that
    cannot be decoded, and ImportError without PyYAML.
    """
    text = _text_of(source)
    parts = _parts_of(text)
    documents: list[Document] = []
    findings: list[Finding] = []
    for part in parts if len(parts) > 1 else [source]:
        try:
            documents.append(decode(part, file=file))
        except InvalidConfig as error:
            findings += error.findings
    of_kubeadm = any(map(is_of_kubeadm, documents))
    of_config_maps = config_maps and bool(documents) and all(map(_is_config_map, documents))
    if len(parts) > 1 and not of_kubeadm and not of_config_maps:
        return (decode(source, file=file),)
    if findings:
        raise InvalidConfig(findings)
    if of_config_maps:
        configs = (tuple(_configs_in(document, text)) or (document,) for document in documents)
        return tuple(config for of_map in configs for config in of_map)
    return tuple(_parts_of_kubeadm(documents)) if len(documents) > 1 else tuple(documents)


def load_file(file: str, text: str | bytes, *, config_maps: bool = True) -> Config:
    """Load all documents of one file, as `decode_file` finds them.

    Raises InvalidConfig with a finding for each document that cannot be used, and ImportError without PyYAML.
    """
    documents = decode_file(text, file=file, config_maps=config_maps)
    findings = [finding for document in documents for finding in layer_findings([document])]
    if findings:
        raise InvalidConfig(findings)
    return Config(merge_documents(documents[:1]), documents[:1], documents[1:])


def load_for_check(file: str, text: str | bytes, component: str | None = None) -> Config:
    """Load one file as its component reads it, for a check, which reports what is wrong with apiVersion and kind.

    Raises InvalidConfig with a finding for each document that is not a mapping, and ImportError without PyYAML.
    """
    if reads_all_documents(component):
        documents = decode_file(text, file=file, config_maps=component is None)
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


def is_of_kubeadm(document: Document) -> bool:
    """Return whether a document has an API version of kubeadm."""
    return str(_head_of(document)["apiVersion"]).startswith("kubeadm.k8s.io/")


def _parts_of_kubeadm(documents: Sequence[Document]) -> Iterator[Document]:
    """Yield the documents of kubeadm's file, with findings about kinds that stand twice or that it does not read."""
    lines: dict[Any, int | None] = {}
    for document in documents:
        head = _head_of(document)
        kind = head["kind"]
        findings = [*document.findings]
        if kind and kind in lines:
            message = f"kubeadm refuses a kind that stands twice in a file: the first {kind} is in line {lines[kind]}"
            findings.append(document.locate(Finding(("kind",), message, "documents")))
        if all(head.values()) and not is_of_kubeadm(document) and kind not in _READ_BY_KUBEADM:
            finding = Finding(("kind",), "kubeadm does not read this document", RULE_SKIPPED, Level.WARNING)
            findings.append(document.locate(finding))
        lines.setdefault(kind, document.line_of(("kind",)))
        yield replace(document, findings=tuple(findings))


def _text_of(source: str | bytes) -> str:
    text = source if isinstance(source, str) else source.decode("utf-8", "replace")
    return text[1:] if text.startswith("\ufeff") else text


def _parts_of(text: str) -> list[str]:
    """Return the documents of a text; the whole text if it has too many, or is JSON."""
    if text.lstrip().startswith("{"):
        return [text]
    try:
        return split(text)
    except ConfigError:
        return [text]


def _head_of(document: Document) -> dict[str, Any]:
    data = document.data if isinstance(document.data, dict) else {}
    return head_values(data, is_json=document.is_json)


def _is_config_map(document: Document) -> bool:
    return _head_of(document) == {"apiVersion": "v1", "kind": "ConfigMap"}


def _configs_in(document: Document, text: str) -> Iterator[Document]:
    """Yield the component configs in a ConfigMap's data. Raises InvalidConfig for a config that cannot be decoded."""
    values = document.data.get("data")
    source_lines = text.split("\n")
    for key, value in values.items() if isinstance(values, dict) else ():
        if not isinstance(value, str) or not all(line.search(value) for line in _HEAD_LINES):
            continue
        line = document.line_of(("data", key)) or 1
        is_block = _BLOCK.search(source_lines[line - 1]) is not None
        try:
            config = decode(value, file=document.file)
        except InvalidConfig as error:
            findings = [_moved(finding, line, is_block) for finding in error.findings]
            raise InvalidConfig(findings) from error
        head = _head_of(config)
        if find_kind(head["apiVersion"], head["kind"]) is not None or is_of_known_group(head["apiVersion"]):
            yield replace(
                config,
                lines={path: number + line if is_block else line for path, number in config.lines.items()},
                findings=(*document.findings, *(_moved(finding, line, is_block) for finding in config.findings)),
            )


def _moved(finding: Finding, line: int, is_block: bool) -> Finding:
    """Return a finding about a text within a file with its line in the file.

    line: the line of the key. is_block: whether the text begins on the next line; otherwise it is all in this one.
    """
    return finding._replace(line=line + (finding.line or 1) if is_block else line)
