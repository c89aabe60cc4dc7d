# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes secrets out of what a component has said, before anybody else is told. Private to configok.node."""

from __future__ import annotations

import re

__all__ = ["redact"]

_GONE = "***"
_NAMES = r"token|passw(?:or)?d|passphrase|secret|api[_-]?key|private[_-]?key|credential|authorization|cookie|header"
_PATTERNS = (
    (re.compile(r"-----BEGIN [^-]*-----.*?(?:-----END [^-]*-----|$)", re.DOTALL), _GONE),
    (re.compile(r"://[^/\s@]+@"), f"://{_GONE}@"),
    (re.compile(r"(?i)\b(bearer|basic)\s+\S+"), rf"\1 {_GONE}"),
    (re.compile(rf"(?i)([\w.-]*(?:{_NAMES})[\w.-]*\\?[\"']?\s*[:=]\s*)(?:\\?\"[^\"]*\"|'[^']*'|\S+)"), rf"\1{_GONE}"),
    (re.compile(r"\beyJ[\w-]+\.[\w-]+\.[\w-]*"), _GONE),  # a JSON web token
    (re.compile(r"\b[a-z0-9]{6}\.[a-z0-9]{16}\b"), _GONE),  # a bootstrap token
    # Anything long of mixed letters and digits: a key or a hash, nobody reads either.
    (re.compile(r"(?=[\w+=-]*\d)(?=[\w+=-]*[A-Z])(?=[\w+=-]*[a-z])[\w+=-]{32,}"), _GONE),
)


def redact(text: str) -> str:
    """Return text with *** for everything that looks like a secret; rather too much than too little."""
    for pattern, shown in _PATTERNS:
        text = pattern.sub(shown, text)
    return text
