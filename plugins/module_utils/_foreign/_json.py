# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read JSON strictly: finite numbers, and bounds of length and depth."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any, NoReturn

MakeObject = Callable[[list[tuple[str, Any]]], dict[str, Any]]

MAX_DEPTH = 100  # levels; code that walks through a value must not reach Python's own limit
_MAX_DIGITS = 20  # of a whole number; Python itself refuses only 4,301, and is slow with less


class InvalidText(ValueError):
    """A text that someone else wrote and that cannot be used; the message says why in one sentence."""


def load_json(text: str | bytes, *, make_object: MakeObject | None = None) -> Any:
    """Return the value of a JSON text, in UTF-8 if it is bytes. Raises InvalidText with a short message.

    make_object: makes an object of its fields, if a field that is there twice is an error. It raises what it likes.
    """
    decoder = _DECODER if make_object is None else _decoder(make_object)
    try:
        value = decoder.decode(text if isinstance(text, str) else text.decode("utf-8"))
    except RecursionError as error:
        raise InvalidText(_TOO_DEEP) from error
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise InvalidText(str(error)) from error
    _check_depth(value)
    return value


_TOO_DEEP = f"it is nested more than {MAX_DEPTH} levels deep"
_CONTAINERS = frozenset((dict, list))


def _check_depth(value: Any) -> None:
    level = [value] if type(value) in _CONTAINERS else []
    for _depth in range(MAX_DEPTH):
        if not level:
            return
        level = [
            part
            for container in level
            for part in (container.values() if isinstance(container, dict) else container)
            if type(part) in _CONTAINERS
        ]
    if level:
        raise InvalidText(_TOO_DEEP)


def _whole_number(digits: str) -> int:
    if len(digits) > _MAX_DIGITS:
        raise InvalidText(f"a number has {len(digits)} digits, at most {_MAX_DIGITS} are allowed")
    return int(digits)


def _number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        _not_finite(text)
    return number


def _not_finite(text: str) -> NoReturn:
    raise InvalidText(f"{text[:20]} is not a finite number")


def _decoder(make_object: MakeObject | None = None) -> json.JSONDecoder:
    return json.JSONDecoder(
        object_pairs_hook=make_object, parse_int=_whole_number, parse_float=_number, parse_constant=_not_finite
    )


_DECODER = _decoder()
