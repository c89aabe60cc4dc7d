# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Say which findings rest on a value that is left out of a document because it is not expanded yet."""

from __future__ import annotations

import re
from functools import cached_property

from ._codec.document import Document
from ._rules import rule_facts, sections_of
from ._scalars._unexpanded import UNEXPANDED
from ._scalars.field_path import Path, overlaps
from ._schema.kinds import Kind, find_kind
from .findings import Finding

_LIST_OR_MAP = re.compile(r"\[\]|\{\}")


class UnexpandedValues:
    """The values that are left out of a document; its rules see them as absent."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._paths = [finding.path for finding in document.findings if finding.why == UNEXPANDED]

    def decide(self, finding: Finding, place: Path) -> bool:
        """Return whether a finding may be wrong, since it depends on such a value. place: its path in the outer file.

        It is of the value itself, or of a rule about the value's field at another field of the same object, at that
        object, or elsewhere in the file. Keys of a map are independent of each other.
        """
        start = len(place) - len(finding.path)
        for path in self._paths:
            if place == path or (path and isinstance(path[-1], int) and place == path[:-1]):
                return True  # a list with such an item is left out whole
            parent = place[:-1]
            is_near = path[: len(parent)] == parent and not self._is_map(finding.path[:-1])
            is_of_another_field = place[start : start + 1] != path[start : start + 1]
            if (is_near or is_of_another_field) and self._is_about(finding.rule, path[start:]):
                return True
        return False

    def _is_about(self, rule: str, path: Path) -> bool:
        names = tuple(part for part in path if isinstance(part, str))
        return any(overlaps(field, names) for field in self._fields_by_rule.get(rule, ()))

    def _is_map(self, path: Path) -> bool:
        field = self._kind.fields.get(str(path[0])) if self._kind is not None and len(path) == 1 else None
        return field is not None and str(field["type"]).startswith("map")

    @cached_property
    def _kind(self) -> Kind | None:
        return find_kind(*self._document.head.values())

    @cached_property
    def _fields_by_rule(self) -> dict[str, list[Path]]:
        """The names in the paths of each rule's fields, by rule."""
        kind = self._kind
        fields: dict[str, list[Path]] = {}
        if kind is None:
            return fields
        for section in sections_of(kind):
            for rule, facts in rule_facts(kind.data_module, section).items():
                paths = (tuple(_LIST_OR_MAP.sub("", name).split(".")) for name in facts["fields"])
                fields.setdefault(rule, []).extend(paths)
        return fields
