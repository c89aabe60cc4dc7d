# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read the answers of Prometheus and Alertmanager: both speak JSON. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..._foreign import load_json
from ..._text import sanitize
from .answers import UnusableServerAnswer

_MAX_TEXT = 200


def labels_of(value: Any) -> Mapping[str, str]:
    """Return the labels of a sample or an alert. Raises UnusableServerAnswer."""
    if not isinstance(value, dict):
        raise UnusableServerAnswer("the answer has labels that cannot be read")
    return {str(name): str(text) for name, text in value.items()}


def prometheus_data(status: int, body: bytes) -> Mapping[str, Any]:
    """Return the data of an answer of Prometheus. Raises UnusableServerAnswer."""
    answer = json_of(status, body)
    data = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(data, dict):
        raise UnusableServerAnswer("the answer has no data: is this the address of a Prometheus?")
    warnings = answer.get("warnings")
    if warnings:
        text = warnings[0] if isinstance(warnings, list) else warnings
        raise UnusableServerAnswer(f"the answer may be partial: {sanitize(text, _MAX_TEXT)}")
    return data


def json_of(status: int, body: bytes) -> Any:
    """Return an answer as data. Raises UnusableServerAnswer if it is an error or no JSON."""
    try:
        answer = load_json(body.decode("utf-8"))
    except ValueError:
        answer = None
    if status != 200:
        error = answer.get("error") if isinstance(answer, dict) else answer
        detail = f": {sanitize(error, _MAX_TEXT)}" if isinstance(error, str) and error else ""
        raise UnusableServerAnswer(f"the server answers with {status}{detail}")
    if answer is None:
        raise UnusableServerAnswer("the answer is not JSON")
    return answer
