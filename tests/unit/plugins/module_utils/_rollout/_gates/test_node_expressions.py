# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""JMESPath over a Node: a missing field is neither true nor false."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.configok.node.plugins.module_utils._rollout._gates._node_gates import (
    NodeExpression,
    NodeGate,
    NodeGates,
    Undecided,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._gates.answers import GateAnswer, GateVerdict

MISSING = "it compares a field that the Node does not have"
CONDITIONS = [
    {"type": "Ready", "status": "True"},
    {"type": "DiskPressure", "status": "False"},
    {"type": "Strange"},
]
NODE = {
    "metadata": {"name": "n1", "labels": {"zone": "a"}},
    "spec": {"taints": [{"key": "dedicated", "effect": "NoSchedule"}]},
    "status": {"conditions": CONDITIONS, "capacity": {"cpu": "4"}, "count": 0, "empty": ""},
}


def disk(comparison: str) -> str:
    return f"status.conditions[?type=='DiskPressure'].status | [0] {comparison}"


def value(text: str, node: Any = None) -> bool | None:
    try:
        return NodeExpression(text).is_true(NODE if node is None else node)
    except Undecided:
        return None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (disk("== 'False'"), True),
        (disk("!= 'True'"), True),
        (disk("== 'True'"), False),
        ("status.conditions[?type=='Missing'].status | [0] == 'True'", None),
        ("status.conditions[?type=='Missing'].status | [0] != 'True'", None),
        ("status.missing != 'x'", None),
        ("!(status.missing == 'x')", None),
        ("status.missing == 'x' || status.count == `0`", True),
        ("status.count == `0` || status.missing == 'x'", True),
        ("status.missing == 'x' || status.count == `1`", None),
        ("status.missing == 'x' && status.count == `1`", False),
        ("status.count == `1` && status.missing == 'x'", False),
        ("status.missing == 'x' && status.count == `0`", None),
        ("status.count == `0` && status.missing == 'x'", None),
        ("status.missing == `null`", True),
        ("status.count == `null`", False),
        ("status.missing < `5`", None),
        ("status.capacity.cpu < `5`", None),
        ("!(status.capacity.cpu < `5`)", None),
        ("status.count < `5`", True),
        ('status.count == "0"', None),
        ("(status.missing == 'x') == (status.missing == 'y')", None),
        ("not_null(status.missing == 'x', `true`)", None),
        ("[status.missing == 'x', `true`] | [1]", None),
        ("{a: status.missing == 'x', b: `true`}.b", None),
        ("status.conditions[].[status == 'True'] | [0] | [0]", None),
        ("contains(map(&(status == 'True'), status.conditions), `true`)", None),
        ("!(spec.unschedulable)", True),
        ("length(status.conditions[?status == 'True']) == `1`", True),
        ("length(status.conditions[?status != 'True']) == `1`", True),
        ("length(spec.missing) == `0`", None),
        ("contains(spec.taints[].key, 'dedicated')", True),
        ("starts_with(metadata.labels.zone, 'b')", False),
        ("starts_with(metadata.labels.missing, 'b')", None),
        ("metadata.labels.zone", None),
        ("status.empty", None),
        ("status.count", None),
        ("status.conditions", None),
        ("status.conditions[::0] == 'a'", None),
        ("max_by(status.conditions, &status) == 'a'", None),
        ("`true`", True),
        ("@ == 'a'", False),
    ],
)
def test_an_expression_has_three_answers(text: str, expected: bool | None) -> None:
    assert value(text) is expected


def test_the_answers_of_the_gates_of_a_node() -> None:
    gates = NodeGates(
        [NodeGate(name, NodeExpression(text)) for name, text in (("a", disk("== 'False'")), ("b", disk("== 'True'")))]
    )
    assert gates.check(NODE) == (
        GateAnswer("a", GateVerdict.PASS),
        GateAnswer("b", GateVerdict.FAIL, f"gate b says no: {disk(chr(61) * 2 + ' ' + repr('True'))} is false"),
    )
    assert gates.check({"status": {}}) == tuple(
        GateAnswer(name, GateVerdict.UNKNOWN, f"gate {name} does not know: {MISSING}") for name in "ab"
    )
    assert NodeGates().check(NODE) == ()


def test_what_a_node_says_is_made_safe_to_show() -> None:
    (answer,) = NodeGates([NodeGate("a", NodeExpression("text"))]).check({"text": "\x1b[31m" + "x" * 500})
    assert answer.reason.isprintable()
    assert len(answer.reason) < 200


@pytest.mark.parametrize(
    "text", ["a == b && " * 90 + "c", "a == b || " * 90 + "c", "!" * 900 + "a", "a == " * 150 + "a"]
)
def test_no_expression_takes_long(text: str) -> None:
    begun = time.monotonic()
    try:
        value(text)
    except ValueError:
        pass
    assert time.monotonic() - begun < 20.0


DOUBLED = "[@,@] | [] | " * 60  # each step is twice as long


@pytest.mark.parametrize(
    "text",
    [
        DOUBLED + "length(@) == `1`",
        "[@,@] | " * 60 + "to_string(@) == 'x'",
        "[@,@] | " * 60 + "@",
        "join(text, list) == 'x'",
    ],
)
def test_an_expression_that_grows_is_undecided_soon(text: str) -> None:
    begun = time.monotonic()
    with pytest.raises(Undecided, match=r"it takes more than 2 s|it needs too much memory"):
        NodeExpression(text).is_true({"text": "x" * 1_000_000, "list": ["y"] * 10_000})
    assert time.monotonic() - begun < 20.0


def test_a_node_whose_gates_take_too_long_is_asked_three_times_only() -> None:
    gates = NodeGates([NodeGate("a", NodeExpression(DOUBLED + "length(@) == `1`"))])
    begun = time.monotonic()
    answers = [gates.check(NODE)[0] for _event in range(20)]
    assert time.monotonic() - begun < 30.0
    assert {answer.verdict for answer in answers} == {GateVerdict.UNKNOWN}


PATHS = ("a", "b.c", "missing", "b.missing", "l[0]", "l[?x == 'y'].z | [0]")
LITERALS = ("'x'", "`1`", "`true`")


def expressions() -> st.SearchStrategy[str]:
    comparisons = st.builds(
        "({} {} {})".format,
        st.sampled_from(PATHS),
        st.sampled_from(["==", "!=", "<", ">="]),
        st.sampled_from(LITERALS),
    )
    return st.recursive(
        comparisons,
        lambda inner: st.one_of(
            st.builds("(!{})".format, inner),
            st.builds("({} {} {})".format, inner, st.sampled_from(["&&", "||"]), inner),
        ),
        max_leaves=5,
    )


@given(expressions())
def test_without_any_data_no_comparison_is_true_or_false(text: str) -> None:
    assert value(text, {}) is None


@given(
    expressions(), st.fixed_dictionaries({}, optional={"a": st.sampled_from(["x", 1, True, None]), "l": st.just([])})
)
def test_more_data_never_changes_a_yes_or_no(text: str, node: dict[str, Any]) -> None:
    known = value(text, node)
    for more in ("x", 1, True):
        present = {key: part for key, part in node.items() if part is not None}
        completed = {"a": more, "b": {"c": more, "missing": more}, "missing": more, **present}
        if known is not None:
            assert value(text, completed) is known
