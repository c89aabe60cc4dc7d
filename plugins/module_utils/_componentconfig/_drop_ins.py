# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Layers written as drop-ins for the kubelet's --config-dir, beside the one file that they make.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ._diff import diff
from ._documents._document import Document
from ._documents._encode import encode
from ._documents._findings import show
from ._drop_in_rules import rule_at, used_with
from ._kinds._defaults import defaulted
from ._kinds._schema import Kind
from ._kinds._types import Problem

__all__ = ["DropIn", "drop_in_problems", "drop_in_warnings", "drop_ins"]

_STEP = 10
_HEAD = ("apiVersion", "kind")


@dataclass(frozen=True)
class DropIn:
    """One file of the directory: its name, its data, and the layer that it is from."""

    name: str
    data: dict[str, Any]
    layer: str

    @property
    def text(self) -> str:
        """The file's content."""
        return encode(self.data)


def drop_ins(layers: Sequence[Document]) -> list[DropIn]:
    """The layers, lowest first, as drop-ins whose names sort in that order: 10-base.conf, 20-workers.conf."""
    width = len(str(_STEP * len(layers)))
    found = []
    for number, layer in enumerate(layers, 1):
        stem = layer.file.replace("\\", "/").rsplit("/", 1)[-1].rsplit(".", 1)[0]
        name = re.sub(r"[^a-z0-9]+", "-", stem.lower()).strip("-") or "layer"
        head = {key: layer.data[key] for key in _HEAD}
        found.append(DropIn(f"{_STEP * number:0{width}}-{name}.conf", {**head, **layer.data}, layer.file))
    return found


def drop_in_problems(layers: Sequence[Document], merged: Any, kind: Kind, minor: int) -> Iterator[Problem]:
    """Where a kubelet of a minor makes something else of the drop-ins than of the merged file.

    The main file below the drop-ins is taken to say nothing but its apiVersion and kind.
    """
    rule = rule_at(minor)
    if rule is None:
        yield Problem((), "the kubelet has no --config-dir yet: give it the merged file", "drop-ins")
        return
    head = {key: merged[key] for key in _HEAD}
    used = used_with(head, [layer.data for layer in layers], kind, minor)
    for change in diff(defaulted(merged, kind, minor), used):
        wanted, made = (show(value, change.parts) or "nothing" for value in (change.old, change.new))
        message = f"as drop-ins the kubelet makes {made} of it, not {wanted}: {rule.note(str(change.parts[0]))}"
        yield Problem(change.parts, message, "drop-ins")


def drop_in_warnings(minor: int) -> Iterator[Problem]:
    """What a kubelet of a minor needs beside --config-dir to look at drop-ins."""
    rule = rule_at(minor)
    if rule is not None and rule.environment:
        message = f"the kubelet only looks at drop-ins with {rule.environment} in its environment"
        yield Problem((), message, "drop-ins")
