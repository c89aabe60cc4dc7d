# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The oracle's cases are the same in every run, and cover every field and gate of a minor, and every rule of 1.20."""

from __future__ import annotations

from collections import Counter
from typing import NoReturn

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._rules import rule_facts
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.kinds import find_kind
from support.configs.kubelet import KUBELET_KIND
from support.oracle.by_rule import ELSEWHERE, RULES
from support.oracle.case import Answer, Case
from support.oracle.cases import all_cases, quick_cases
from support.oracle.comparison import Compared, Comparison
from support.oracle.explained import EXPLAINED, explained_at
from support.oracle.kubelet import answer, takes_cgroup_v1
from support.oracle.ours import validate

MINOR = 20
NEWEST = 36
CASES = all_cases(MINOR)
NAMES = {minor: {case.name for case in all_cases(minor)} for minor in range(MINOR, NEWEST + 1)}


def test_cases_are_many_and_the_same_in_every_run() -> None:
    assert len(CASES) >= 400
    assert all_cases(MINOR) == CASES
    assert [name for name, number in Counter(case.name for case in CASES).items() if number > 1] == []


def test_the_quick_part_has_some_from_everywhere() -> None:
    groups = {case.group for case in CASES} - {"host"}
    assert groups <= {case.group for case in quick_cases(MINOR)}
    assert len(quick_cases(MINOR)) <= 40


@pytest.mark.parametrize("minor", NAMES)
def test_every_field_of_a_minor_has_cases(minor: int) -> None:
    kind = find_kind(KUBELET_KIND["apiVersion"], KUBELET_KIND["kind"])
    assert kind is not None
    known = {name for name, field in kind.fields.items() if field.get("since", 0) <= minor <= field.get("last", minor)}
    tested = {name.split()[1].split(".")[0] for name in NAMES[minor] if name.startswith("field ")}
    assert known <= tested


@pytest.mark.parametrize("section", ["kubelet", "kubeletStart"])
def test_every_rule_of_the_minor_is_broken_and_kept(section: str) -> None:
    facts = rule_facts("kubelet", section)
    known = {rule for rule in facts if facts[rule].get("since", 0) <= MINOR <= facts[rule].get("last", MINOR)}
    assert known - set(RULES) - set(ELSEWHERE) == set()
    assert set(RULES) & set(ELSEWHERE) == set()
    for rule in known & set(RULES):
        assert RULES[rule].keeps, rule
        assert RULES[rule].breaks or facts[rule].get("level") == "policy", rule


def test_what_is_explained_is_asked() -> None:
    for minor, names in NAMES.items():
        assert set(explained_at(minor)) - names == set(), minor


def test_an_explanation_is_of_some_minor() -> None:
    assert set(EXPLAINED) == {name for minor in NAMES for name in explained_at(minor)}


def test_only_a_case_of_that_field_ends_a_kubelet_for_cgroup_v1() -> None:
    assert not takes_cgroup_v1(Case("text a", ""), 34)
    assert takes_cgroup_v1(Case("text a", ""), 35)
    assert not takes_cgroup_v1(Case("field a", "failCgroupV1: true"), 35)


@pytest.mark.parametrize(
    ("outcome", "output", "stage"),
    [
        ("running", "", "running"),
        ("done", "Started kubelet as runonce", "running"),
        ("stuck", "waiting", "stuck"),
        ("ended", "F1 server.go:198] failed to load Kubelet config file /a, error invalid configuration", "load"),
        ("ended", "F1 server.go:220] invalid configuration: port (--port) 0 must be between 1 and 65535", "validation"),
        ("ended", "F1 server.go:269] failed to run Kubelet: invalid configuration: cgroup-root", "start"),
        ("ended", 'E1 run.go:72] "command failed" err="failed to load kubelet config file, path: /a"', "load"),
        ("ended", 'E1 run.go:72] "command failed" err="failed to validate kubelet configuration"', "validation"),
        ("ended", 'E1 run.go:72] "command failed" err="failed to run Kubelet: no swap"', "start"),
        ("ended", "panic: runtime error: index out of range", "start"),
    ],
)
def test_what_the_kubelet_says_tells_the_stage(outcome: str, output: str, stage: str) -> None:
    assert answer(outcome, output).stage == stage


def test_a_disagreement_is_reported_unless_it_is_explained() -> None:
    name = next(iter(EXPLAINED))
    refused, runs = Answer("start", "died"), Answer("running")
    comparison = Comparison(
        [
            Compared(Case("field a", ""), refused, runs),
            Compared(Case("field b", ""), refused, Answer("load")),
            Compared(Case(name, ""), runs, refused),
            Compared(Case("field c", ""), Answer("stuck"), refused),
        ],
        MINOR,
    )
    assert [compared.case.name for compared in comparison.unexplained] == ["field c", "field a"]
    assert [compared.case.name for compared in comparison.explained] == [name]
    assert comparison.by_reason() == {EXPLAINED[name].reason: 1}
    assert (len(comparison.agreed), comparison.same_stage, comparison.by_group()["field"]) == (2, 0, (3, 2))
    again = Comparison([Compared(Case(name, ""), runs, runs)], MINOR)
    assert [compared.case.name for compared in again.obsolete] == [name]


def test_our_stage_is_the_first_at_which_something_is_wrong() -> None:
    def nothing_to_read(_query: object) -> NoReturn:
        raise AssertionError("a text that is no document needs no host")

    assert validate(Case("text a", "[" * 9), MINOR, nothing_to_read).stage == "load"
