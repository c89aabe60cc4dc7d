# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Two configs as layers: read, compared and told in one call, for modules and commands.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ._diff import FieldChange, effective_diff, resolved
from ._disruption import classes, heaviest
from ._documents._document import Document
from ._kinds._schema import find_kind, known_minor
from ._layers import render
from ._values._errors import ComponentConfigError
from ._values._paths import lookup

__all__ = ["Comparison", "Side", "compare"]

_WIDTH = 72


@dataclass(frozen=True)
class Side:
    """One of the two: its layers, each a file name and its text, lowest first, and the version that reads them.

    No layers are a config that says nothing: the component's defaults. "" is the newest version that the data cover.
    """

    layers: Sequence[tuple[str, str | bytes]] = ()
    version: str = ""


@dataclass(frozen=True)
class Comparison:
    """The fields that differ, the heaviest class among them (None where none does), and both effective configs."""

    changes: list[FieldChange]
    heaviest: str | None
    both: tuple[dict[str, Any], dict[str, Any]]

    @property
    def lines(self) -> list[str]:
        """The changes as lines for people, and what the heaviest asks."""
        if self.heaviest is None:
            return ["no field differs"]
        width = min(max(len(str(one)) for one in self.changes), _WIDTH)
        shown = [
            f"{one!s:{width}}  [{one.disruption}]" + (f"  ({one.place})" if one.place else "") for one in self.changes
        ]
        return [*shown, f"all in all: {self.heaviest}: {classes()[self.heaviest]}"]


def compare(before: Side, after: Side, overrides: Mapping[str, str] | None = None) -> Comparison:
    """Compare the effective configs of two sides; overrides: classes of disruption by field path.

    Raises ComponentConfigError with a sentence for a layer that cannot be used, for two kinds, for a version or an
    override that is none, and ImportError where PyYAML is missing.
    """
    documents = [_document(side.layers) for side in (before, after)]
    old, new = (document.data if document else {} for document in documents)
    kinds = [str(data["kind"]) for data in (old, new) if data]
    if not kinds:
        raise ComponentConfigError("there is nothing to compare: neither side has a config")
    if len(set(kinds)) > 1:
        raise ComponentConfigError(f"{kinds[0]} and {kinds[1]} cannot be compared: both must be of one kind")
    _refuse_unknown([document for document in documents if document])
    minors = known_minor(before.version), known_minor(after.version)
    head = {key: (new or old)[key] for key in ("apiVersion", "kind")}
    changes = [replace(one, place=_place(documents[1], one)) for one in effective_diff(old, new, minors, overrides)]
    worst = heaviest(one.disruption.name for one in changes)
    return Comparison(changes, worst, (resolved(old, head, minors[0]), resolved(new, head, minors[1])))


def _refuse_unknown(documents: Sequence[Document]) -> None:
    """Raise for one version of a kind that is known and one that is not, as no component reads both."""
    unknown = [one for one in documents if find_kind(one.data["apiVersion"], one.data["kind"]) is None]
    if 0 < len(unknown) < len(documents):
        data = unknown[0].data
        place = unknown[0].file_of(("apiVersion",))
        raise ComponentConfigError(f"{place}: {data['apiVersion']} {data['kind']} is no kind that is known here")


def _document(layers: Sequence[tuple[str, str | bytes]]) -> Document | None:
    if not layers:
        return None
    rendered = render(layers)
    if rendered.document is None:
        raise ComponentConfigError(str(rendered.findings[0]))
    return rendered.document


def _place(document: Document | None, one: FieldChange) -> str:
    """The layer and line that say the new value; "" for a default."""
    path = one.change.parts
    if document is None or lookup(document.data, path) is None:
        return ""
    line = document.line_of(path)
    return document.file_of(path) + ("" if line is None else f":{line}")
