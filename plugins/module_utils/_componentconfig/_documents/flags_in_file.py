# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the command line of a component in a manifest, or in kubeadm's extraArgs."""

from __future__ import annotations

from collections.abc import Iterator

from .._codec.document import Document
from .._flags._flags_in_files import kubeadm_arguments
from ..findings import InvalidConfig
from .read_file import decode_file


def flags_in_file(text: str | bytes, *, file: str, component: str = "") -> tuple[str, ...] | None:
    """Return the arguments of a component in a file of Kubernetes or kubeadm, without the program.

    component: "" for the only one in the file. None if the file has no arguments of it.
    """
    try:
        documents = decode_file(text, file=file)
    except InvalidConfig:
        return None
    words: dict[str, list[str]] = {}
    for document in documents:
        for name, argument in _arguments(document):
            words.setdefault(name, []).append(argument)
    if not component and len(words) == 1:
        component = next(iter(words))
    return tuple(words[component]) if component in words else None


def _arguments(document: Document) -> Iterator[tuple[str, str]]:
    """Yield the arguments in a document, each with the name of its component, without what is not a flag."""
    for flags in document.flags:
        for flag in flags.pairs:
            if not flag.error:
                yield flags.component, f"--{flag.name}" + ("" if flag.value is None else f"={flag.value}")
    if isinstance(document.data, dict):
        for component, arguments in kubeadm_arguments(str(document.head["kind"]), document.data):
            for argument in arguments:
                yield component, f"--{argument.name}={argument.value}"
