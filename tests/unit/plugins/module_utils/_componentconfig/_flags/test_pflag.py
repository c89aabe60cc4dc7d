# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of flags, as the component's own parser reads them."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig import ConfigError
from ansible_collections.configok.node.plugins.module_utils._componentconfig._flags._flag_set import flag_set
from ansible_collections.configok.node.plugins.module_utils._componentconfig._flags._pflag import (
    parse_command_line,
    parse_flag_value,
)

GOOD: list[tuple[str, list[str], Any]] = [
    ("string", ["a", "b"], "b"),
    ("bool", ["false", "T"], True),
    ("int", ["0x40"], 64),
    ("int", ["010"], 8),
    ("int", ["-1"], -1),
    ("float", ["2.5"], 2.5),
    ("float", ["50"], 50),
    ("duration", ["1.5h"], "1.5h"),
    ("list", ["a,b", "c"], ["a", "b", "c"]),
    ("list", ['"a,b",c'], ["a,b", "c"]),
    ("list", [""], []),
    ("map", ["cpu=1, memory = 1Gi", "cpu=2"], {"cpu": "2", "memory": "1Gi"}),
    ("map", [""], {}),
    ("mapLess", ["memory.available<5%"], {"memory.available": "5%"}),
    ("mapBool", ["A=t,B=0"], {"A": True, "B": False}),
    ("headers", ["a:1,b:2:3", "a:4"], {"a": ["1", "4"], "b": ["2:3"]}),
    (
        "taints",
        ["x=y:NoSchedule", "a=b:NoExecute,c:NoSchedule"],
        [{"key": "a", "value": "b", "effect": "NoExecute"}, {"key": "c", "effect": "NoSchedule"}],
    ),
    (
        "reservedMemory",
        ["0:memory=1Gi,hugepages-1Gi=2Gi;1:memory=2Gi"],
        [
            {"numaNode": 0, "limits": {"memory": "1Gi", "hugepages-1Gi": "2Gi"}},
            {"numaNode": 1, "limits": {"memory": "2Gi"}},
        ],
    ),
    ("vmodule", ["a=1,b*=2"], [{"filePattern": "a", "verbosity": 1}, {"filePattern": "b*", "verbosity": 2}]),
    ("vmodule", ["a=1", "b*=2"], [{"filePattern": "a", "verbosity": 1}, {"filePattern": "b*", "verbosity": 2}]),
    ("profileName", ["mine"], [{"schedulerName": "mine"}]),
]
BAD = [
    ("bool", "yes"),
    ("int", "many"),
    ("float", "x"),
    ("duration", "5"),
    ("list", '"a'),
    ("map", "cpu"),
    ("mapLess", "memory.available=1"),
    ("mapBool", "A=maybe"),
    ("headers", "a"),
    ("taints", "a=b"),
    ("reservedMemory", "memory=1Gi"),
    ("reservedMemory", "0:memory=much"),
    ("vmodule", "a=b"),
    ("vmodule", "a=३"),
    ("reservedMemory", "\u0966:memory=1Gi"),
    ("int", "३"),
    ("float", "३"),
]


@pytest.mark.parametrize(("form", "texts", "value"), GOOD)
def test_a_value_is_parsed(form: str, texts: list[str], value: Any) -> None:
    assert parse_flag_value(form, texts) == value


@pytest.mark.parametrize(("form", "text"), BAD)
def test_what_the_component_refuses(form: str, text: str) -> None:
    with pytest.raises(ConfigError, match="must be"):
        parse_flag_value(form, [text])


def test_a_duration_of_a_field_that_counts_nanoseconds_is_converted() -> None:
    assert parse_flag_value("duration", ["5s"], "int64") == 5_000_000_000


def test_a_command_line_is_taken_apart_as_the_kubelet_does_it() -> None:
    known = flag_set("kubelet")
    assert known is not None
    words = "--fail-swap-on --max_pods 9 --oom-score-adj -5 -v4 -v=3 --runonce=f --other x --switch --node-ip=a=b"
    line = parse_command_line(words.split(), known.flags)
    assert [(use.name, use.value) for use in line.uses] == [
        ("fail-swap-on", "true"),
        ("max-pods", "9"),
        ("oom-score-adj", "-5"),
        ("v", "4"),
        ("v", "3"),
        ("runonce", "f"),
        ("other", "x"),
        ("switch", "true"),
        ("node-ip", "a=b"),
    ]
    assert not line.errors


def test_arguments_that_are_not_flags_are_reported() -> None:
    known = flag_set("kubelet")
    assert known is not None
    line = parse_command_line(["--fail-swap-on", "false", "--", "-x", "--max-pods"], known.flags)
    assert line.errors == (
        "'false' is not a flag: the component takes nothing else",
        "'--' is not a flag: the component takes nothing else",
        "'-x' is not a flag: the component takes nothing else",
        "--max-pods needs a value",
    )
