# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Select Machines by labels, with the syntax of Kubernetes' label selectors. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple, Protocol, TypeVar

from ..._componentconfig.declared_kinds import is_label_key, is_label_value
from .. import MachinesError

_TOKEN = re.compile(r"\s*(?:(!=|==|=|!|,|\(|\)|[A-Za-z0-9_./-]+)|(.))\s*", re.DOTALL)
_WORD = re.compile(r"[A-Za-z0-9_./-]+")
Operator = Literal["in", "notin", "exists", "!"]


class Requirement(NamedTuple):
    """One part of a selector. values: of the operators in and notin; Kubernetes' = and != are these with one value."""

    key: str
    operator: Operator
    values: frozenset[str] = frozenset()

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Return whether labels meet the requirement; a missing label is not in any values."""
        value = labels.get(self.key)
        if self.operator == "in":
            return value in self.values
        if self.operator == "notin":
            return value not in self.values
        return (value is not None) == (self.operator == "exists")


class LabelSelector(NamedTuple):
    """A label selector: all requirements must be met."""

    requirements: tuple[Requirement, ...] = ()

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Return whether labels meet all requirements."""
        return all(requirement.matches(labels) for requirement in self.requirements)


class _Parser:
    """Reads the tokens of a selector from left to right."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens: list[str] = []
        for word, other in _TOKEN.findall(text.strip()):
            if other:
                raise self.error(f"{other!r} is not allowed there")
            self._tokens.append(word)

    def error(self, problem: str) -> MachinesError:
        return MachinesError(
            f"the label selector {self._text!r} cannot be read: {problem}; "
            "write for example pool=workers,zone in (a,b),!old"
        )

    def peek(self) -> str:
        return self._tokens[0] if self._tokens else ""

    def take(self) -> str:
        return self._tokens.pop(0) if self._tokens else ""

    def key(self) -> str:
        key = self.take()
        if not is_label_key(key):
            raise self.error(f"{key!r} is not the key of a label" if key else "it ends where a key should be")
        return key

    def value(self) -> str:
        """Return the next value; it may be empty."""
        value = self.take() if _WORD.fullmatch(self.peek()) else ""
        if not is_label_value(value):
            raise self.error(f"{value!r} is not the value of a label")
        return value

    def values(self) -> frozenset[str]:
        if self.take() != "(":
            raise self.error("in and notin need values in parentheses")
        values = [self.value()]
        while self.peek() == ",":
            self.take()
            values.append(self.value())
        if self.take() != ")":
            raise self.error("a closing parenthesis is missing")
        return frozenset(values)

    def requirement(self) -> Requirement:
        if self.peek() == "!":
            self.take()
            return Requirement(self.key(), "!")
        key = self.key()
        operator = self.peek()
        if operator in ("", ","):
            return Requirement(key, "exists")
        self.take()
        if operator in ("=", "=="):
            return Requirement(key, "in", frozenset((self.value(),)))
        if operator == "!=":
            return Requirement(key, "notin", frozenset((self.value(),)))
        if operator == "in":
            return Requirement(key, "in", self.values())
        if operator == "notin":
            return Requirement(key, "notin", self.values())
        raise self.error(f"{operator!r} is not an operator, they are =, ==, !=, in and notin")

    def selector(self) -> LabelSelector:
        requirements = [self.requirement()] if self._tokens else []
        while self._tokens:
            if self.take() != ",":
                raise self.error("requirements need a comma between them")
            requirements.append(self.requirement())
        return LabelSelector(tuple(requirements))


def parse_selector(text: str) -> LabelSelector:
    """Return the selector of a text; an empty one selects everything. Raises MachinesError for other text."""
    return _Parser(text).selector()


class _Labelled(Protocol):
    @property
    def labels(self) -> Mapping[str, str]: ...


_Item = TypeVar("_Item", bound=_Labelled)


def select(machines: Iterable[_Item], selector: str) -> list[_Item]:
    """Return the Machines that a selector matches, all for "". Raises MachinesError as `parse_selector` does."""
    parsed = parse_selector(selector)
    return [machine for machine in machines if parsed.matches(machine.labels)]
