# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Any text as quantity, duration, path, version or flag is parsed or refused with an explanatory message."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._componentconfig import ConfigError
from ansible_collections.configok.node.plugins.module_utils._componentconfig._codec.yaml_text import resolve_scalar
from ansible_collections.configok.node.plugins.module_utils._componentconfig._flags.kubelet_flags import (
    fields_set_by_flags,
    parse_flags,
    parse_pairs,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._scalars.duration import (
    format_duration,
    nanoseconds,
    parse_duration,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._scalars.field_path import (
    format_path,
    parse_path,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._scalars.numbers import parse_quantity
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.releases import parse_minor
from support.fuzz.hostile import TEXTS, lines_of, parse_twice
from support.fuzz.settings import fuzz

UNITS = ("Ki", "Gi", "m", "n", "k", "h", "s", "ms", "us", "\u00b5s")
NUMBERS = lines_of(("1", "0", "9", ".", "-", "+", "e", "E", *UNITS), most=8)
WORDS = st.lists(
    st.sampled_from(["--max-pods=5", "--max-pods", "5", "--feature-gates=A=true,B=false", "--", "-v", "--config=/c"])
    | TEXTS,
    max_size=8,
)


@fuzz(200)
@given(NUMBERS | st.integers() | st.floats())
def test_any_quantity_is_parsed_or_refused(value: str | int | float) -> None:
    outcome = parse_twice(parse_quantity, value, refused=ConfigError)
    assert outcome.error is not None or isinstance(outcome.value, Fraction)


@fuzz(200)
@given(NUMBERS)
def test_any_duration_is_parsed_or_refused(text: str) -> None:
    outcome = parse_twice(nanoseconds, text, refused=ConfigError)
    if outcome.error is None:
        seconds = parse_duration(text)
        assert abs(parse_duration(format_duration(seconds)) - seconds) <= max(0.001, abs(seconds) * 1e-9)


@fuzz(150)
@given(lines_of(["maxPods", ".", "[0]", "[", "]", "*", "-", "a"]))
def test_any_path_is_parsed_or_refused(text: str) -> None:
    outcome = parse_twice(parse_path, text, refused=ConfigError)
    if outcome.error is None:
        assert parse_path(format_path(outcome.value)) == outcome.value


@fuzz(100)
@given(lines_of(["v", "1", ".", "35", "-rc.1", "+", " "], most=6))
def test_any_version_is_parsed_or_refused(text: str) -> None:
    outcome = parse_twice(parse_minor, text, refused=ConfigError)
    assert outcome.error is not None or outcome.value >= 0


@fuzz(150)
@given(WORDS, st.lists(st.sampled_from(["maxPods", "featureGates.A", "featureGates"])))
def test_any_command_line_is_parsed(argv: list[str], fields: list[str]) -> None:
    for name, value in parse_twice(parse_flags, argv).value:
        assert isinstance(name, str)
        parse_twice(parse_pairs, value)
    parse_twice(fields_set_by_flags, argv, fields)


@fuzz(150)
@given(TEXTS | NUMBERS)
def test_any_scalar_is_read(text: str) -> None:
    parse_twice(resolve_scalar, text)
