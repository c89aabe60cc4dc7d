# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A gate that asks a URL for a status and a text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar
from urllib.parse import urlsplit

from ..._foreign.patterns import Pattern
from ..._nodeconfig.strict_mapping import integer
from ..._text import sanitize
from .._pool_values import pattern, setting
from ._server_gate import ServerGate
from .answers import GateAnswer, ServerAnswer, UnusableServerAnswer

_MAX_TEXT = 200
_MAX_MATCHED = 65536  # bytes of a body that are searched
_GATEWAY_FAILED = (502, 504)  # said by what is in front of the server that was asked


@dataclass(frozen=True)
class UrlGate(ServerGate):
    """A URL that answers with a status. matching: what the body must contain, None for anything."""

    key: ClassVar[str] = "url"
    accept: ClassVar[str] = "*/*"
    allows_query: ClassVar[bool] = True
    limit: ClassVar[int] = 1 << 20

    status: int = setting(integer(200, 599), 200)
    matching: Pattern | None = setting(pattern, None)

    def target(self) -> str:
        """Return the path and the query of the URL."""
        url = urlsplit(self.access.url)
        return (url.path or "/") + (f"?{url.query}" if url.query else "")

    def read(self, status: int, body: bytes) -> ServerAnswer:
        """Return whether the page is as it should be. Raises UnusableServerAnswer."""
        return ServerAnswer(self._compare(status, body))

    def _compare(self, status: int, body: bytes) -> GateAnswer:
        if status == self.status:
            if self.matching is None or self.matching.is_in(body[:_MAX_MATCHED].decode("utf-8", "replace")):
                return self.yes()
            return self.no(f"its body does not contain {sanitize(self.matching.text, _MAX_TEXT)}")
        if status >= 500 and status not in _GATEWAY_FAILED:
            return self.no(f"it answers with {status}, not {self.status}")
        raise UnusableServerAnswer(f"it answers with {status}, not {self.status}")
