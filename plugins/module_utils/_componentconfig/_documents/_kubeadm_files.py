# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Say which documents of kubeadm's files its commands read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, cast

from .._codec.document import Document
from ..findings import Finding, Level
from .component_file import is_of_kubeadm

RULE_SKIPPED = "document-skipped"
"""The rule of a document's own finding that kubeadm does not read it."""


@lru_cache(maxsize=1)
def _commands() -> Mapping[str, Mapping[str, Sequence[str]]]:
    """Return for each command of kubeadm the kinds that say that a file is for it, and those that it reads."""
    from .._data._kubeadm import COMMANDS

    return cast("Mapping[str, Mapping[str, Sequence[str]]]", json.loads(COMMANDS))


def documents_of_kubeadm(documents: Sequence[Document]) -> Iterator[Document]:
    """Yield the documents of kubeadm's file, with findings about kinds that stand twice or that it does not read."""
    table = _commands()
    own = {document.head["kind"] for document in documents if is_of_kubeadm(document)}
    # A file without a kind that says which command it is for is for all of them.
    commands = [name for name, command in table.items() if own & {*command["kinds"]}] or list(table)
    lines: dict[Any, int | None] = {}
    for document in documents:
        if not document.is_validated:
            yield document
            continue
        head = document.head
        kind = head["kind"]
        findings = [*document.findings]
        if kind and kind in lines:
            message = f"kubeadm refuses a kind that stands twice in a file: the first {kind} is in line {lines[kind]}"
            findings.append(document.locate(Finding(("kind",), message, "documents")))
        is_read = not all(head.values()) or any(kind in table[name]["reads"] for name in commands)
        if not is_read and not is_of_kubeadm(document):
            findings.append(_skipped(document, _not_read(kind, commands)))
        elif is_of_kubeadm(document) and len(documents) > 1:
            findings += _read_by_others(document, kind, own)
        lines.setdefault(kind, document.line_of(("kind",)))
        yield document._replace(findings=tuple(findings), is_validated=is_read or is_of_kubeadm(document))


def _not_read(kind: Any, commands: Sequence[str]) -> str:
    """Return the message about a document that none of the commands reads which the file is for."""
    readers = [name for name, command in _commands().items() if kind in command["reads"]]
    if not readers:
        return "kubeadm does not read this document"
    names = " and ".join(f"kubeadm {name}" for name in commands)
    verb = "does" if len(commands) == 1 else "do"
    return f"{names} {verb} not read it, only kubeadm {' and '.join(readers)}: the {kind} is never applied"


def _read_by_others(document: Document, kind: Any, own: set[Any]) -> Iterator[Finding]:
    """Yield a warning about a kind of init in a file that says only by it that it is not for join alone."""
    if kind == "ClusterConfiguration" and "JoinConfiguration" in own and "InitConfiguration" not in own:
        yield _skipped(document, "kubeadm join does not read it, only kubeadm init", "document-command")


def _skipped(document: Document, message: str, rule: str = RULE_SKIPPED) -> Finding:
    return document.locate(Finding(("kind",), message, rule, Level.WARNING))
