# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A gate that asks a server: what all of its types have.

A type is one subclass in a file of its own, and an entry of SERVER_GATES in _gate_settings.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, TypeVar

from ..._foreign import InvalidText
from ..._nodeconfig.strict_mapping import StrictFields
from ..._text import sanitize
from .._pool_values import read_settings
from ._asked_gate import AskedGate
from ._server_access import ServerAccess, parse_access
from .answers import ServerAnswer, UnusableServerAnswer

_MAX_TEXT = 200
_Gate = TypeVar("_Gate", bound="ServerGate")


@dataclass(frozen=True)
class ServerGate(AskedGate, ABC):
    """A gate that asks a server of the user. access: how to reach it."""

    key: ClassVar[str]  # of a gate in the pool file, with the fields of the type
    accept: ClassVar[str] = "application/json"
    allows_query: ClassVar[bool] = False  # in the URL
    limit: ClassVar[int] = 16 << 20  # bytes of an answer: some ten thousand alerts

    access: ServerAccess

    @classmethod
    def parse(cls: type[_Gate], section: StrictFields, name: str, timeout: float, interval: float) -> _Gate:
        """Return the gate in the section of its type; errors are collected in it."""
        access = parse_access(section, allow_query=cls.allows_query)
        return read_settings(cls, section, name=name, access=access, timeout=timeout, interval=interval)

    @abstractmethod
    def target(self) -> str:
        """Return the path and the query of the request that asks the server."""

    @abstractmethod
    def read(self, status: int, body: bytes) -> ServerAnswer:
        """Return what a server's answer means.

        "No data" is never a yes: an empty result, a rule that does not exist, a partial or unreadable answer are "don't
        know". Raises UnusableServerAnswer for them.
        """

    def answer(self, status: int, body: bytes) -> ServerAnswer:
        """Return what a server's answer means; an answer that says neither yes nor no is "don't know"."""
        try:
            return self.read(status, body)
        except UnusableServerAnswer as error:
            return self.unknown(str(error))
        except InvalidText as error:
            return self.unknown(f"its matching cannot be searched for: {sanitize(error, _MAX_TEXT)}")
