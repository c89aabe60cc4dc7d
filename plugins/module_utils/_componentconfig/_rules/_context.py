# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What rules are judged on and which of them hold at a minor.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Callable, NamedTuple, cast

from .._documents._findings import COMPONENT
from .._kinds._defaults import effective
from .._kinds._gates import Gates
from .._kinds._types import Problem
from .._values._duration import nanoseconds
from .._values._paths import Path

__all__ = [
    "Context",
    "Fault",
    "Rule",
    "RuleSet",
    "SECOND",
    "run_rules",
    "rule_facts",
    "value_facts",
    "value_table",
]

SECOND = 10**9
"""Durations are whole nanoseconds here."""

Fault = tuple[Path, str]
"""What a rule yields: the path of the field at fault, and what is allowed."""


def _text(family: str) -> str:
    # Written out, since what is packed for a node or a module is found by reading the import statements.
    if family == "node":
        from .._data._rules import TEXT
    elif family == "kube_scheduler":
        from .._data._rules_kube_scheduler import TEXT
    elif family == "kube_apiserver":
        from .._data._rules_kube_apiserver import TEXT
    elif family == "kubeadm":
        from .._data._rules_kubeadm import TEXT
    elif family == "credential_provider":
        from .._data._rules_credential_provider import TEXT
    else:
        from .._data._rules_client import TEXT
    return TEXT


@cache
def _facts(family: str) -> dict[str, Any]:
    return cast("dict[str, Any]", json.loads(_text(family)))


def rule_facts(section: str, family: str = "node") -> dict[str, Any]:
    """The rules of a section by id: `fields`, `since`, `last`, `gate`, `os`, `level`.

    Sections of the family `node` are `kubelet`, `kubeletStart` and `kubeProxy`; those of the others are kinds.
    """
    return cast("dict[str, Any]", _facts(family)[section])


def value_facts(name: str, minor: int, family: str = "node") -> Any:
    """A table of values by minor, as it is at one."""
    rows = _facts(family)["values"][name]
    return rows.get(max((key for key in rows if int(key) <= minor), key=int, default=""))


def value_table(name: str, family: str = "node") -> Any:
    """A table of values that is the same at every minor."""
    return _facts(family)["values"][name]


@dataclass(frozen=True)
class Context:
    """A config as one minor's component sees it: defaults applied to judge, never written."""

    minor: int
    data: Mapping[str, Any]
    fields: Mapping[str, Any]
    gates: Gates
    broken: frozenset[str] = frozenset()

    def given(self, *path: str) -> Any:
        """What the document says, None where it says nothing."""
        value: Any = self.data
        for part in path:
            value = value.get(part) if isinstance(value, dict) else None
        return value

    def get(self, *path: str) -> Any:
        """What the component uses: the document's value, or the default of this minor; see `effective`."""
        *parents, name = path
        siblings = self.given(*parents) if parents else self.data
        fields = self._field(parents).get("fields", {}) if parents else self.fields
        return effective(name, siblings if isinstance(siblings, Mapping) else {}, fields, self.minor, self.gates)

    def seconds(self, *path: str) -> int | None:
        """A duration in nanoseconds, with its default; None where it has neither."""
        value = self.get(*path)
        return nanoseconds(value) if isinstance(value, str) else value

    def known(self, *path: str) -> bool:
        """Whether this minor has the field."""
        field = self._field(path)
        return bool(field) and field.get("since", 0) <= self.minor <= field.get("last", self.minor)

    def _field(self, path: Iterable[str]) -> Mapping[str, Any]:
        fields, field = self.fields, {}
        for part in path:
            field = fields.get(part, {})
            fields = field.get("fields", {})
        return field


Rule = Callable[[Context], Iterator[Fault]]


class RuleSet(NamedTuple):
    """A section of the rules' facts, the family of data that it is in, and the functions that judge by them."""

    family: str
    section: str
    rules: Mapping[str, Rule]

    def level_of(self, rule: str) -> str:
        """How heavy it is to break a rule: the component refuses, if the facts say nothing else."""
        return str(rule_facts(self.section, self.family)[rule].get("level", COMPONENT))


def run_rules(rule_set: RuleSet, context: Context) -> Iterator[Problem]:
    """Run the rules of a set that hold at the context's minor, beside those about fields of a wrong type."""
    for rule, facts in rule_facts(rule_set.section, rule_set.family).items():
        check = rule_set.rules.get(rule)
        if check is None or not facts.get("since", 0) <= context.minor <= facts.get("last", context.minor):
            continue
        if any(name.split(".")[0].split("[")[0] in context.broken for name in facts["fields"]):
            continue
        for path, message in check(context):
            yield Problem(path, message, rule)
