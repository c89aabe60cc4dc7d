# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Removes secrets from a component's output before it is published."""

from __future__ import annotations

import re

_LONGEST_READ = 600  # characters of a message that are searched: at most the first half is shown
_CUT_WORD = re.compile(r"\s\S{,63}\Z")
_GONE = "***"
_NAMES = (
    r"token|passw(?:or)?d|passphrase|secret|api[_-]?key|private[_-]?key|credential|authorization|auth(?![a-z])"
    r"|cookie|header"
)
_VALUE = r"(?:\\?\"[^\"]*(?:\"|$)|'[^']*(?:'|$)|\S+)"
# Hostile text must not cost more than its length: where a pattern may start with a run of characters, it starts at the
# beginning of the run only.
_PATTERNS = (
    (re.compile(r"-----BEGIN [^-]*-----.*?(?:-----END [^-]*-----|$)", re.DOTALL), _GONE),
    (re.compile(r"://[^/\s@]+@"), f"://{_GONE}@"),
    (re.compile(r"(?i)\b(bearer|basic)\s+\S+"), rf"\1 {_GONE}"),
    (  # name: value, name=value, "name": "value", --name value
        re.compile(
            rf"(?i)(?<![\w.-])(?=[\w.-]*?(?:{_NAMES}))([\w.-]+\\?[\"']?\s*[:=]\s*|-[\w.-]+\s+){_VALUE}",
        ),
        rf"\1{_GONE}",
    ),
    (re.compile(r"(?<![\w-])(?=[\w-]*?eyJ)[\w-]+\.[\w-]+\.[\w-]*"), _GONE),  # a JSON web token
    (re.compile(r"\b[a-z0-9]{6}\.[a-z0-9]{16}\b"), _GONE),  # a bootstrap token
    # A long run of mixed letters and digits: a key or a hash, which no reader needs.
    (re.compile(r"(?<![\w+=-])(?=[\w+=-]*[0-9])(?=[\w+=-]*[A-Z])(?=[\w+=-]*[a-z])[\w+=-]{32,}"), _GONE),
)


def redact_text(text: str) -> str:
    """Return text with *** for everything that looks like a secret, with more false positives than negatives."""
    for pattern, shown in _PATTERNS:
        text = pattern.sub(shown, text)
    return text


def beginning(text: str) -> str:
    """Return the beginning of a text, to be redacted; a cut word is dropped, since a short part may not look secret."""
    return text if len(text) <= _LONGEST_READ else _CUT_WORD.sub("", text[:_LONGEST_READ])
