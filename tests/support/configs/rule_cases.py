# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cases of rules: configs that break a rule, and configs that keep it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ansible_collections.configok.node.plugins.module_utils._componentconfig._codec.yaml_text import encode
from ansible_collections.configok.node.plugins.module_utils._componentconfig._rules import rule_facts
from ansible_collections.configok.node.plugins.module_utils._componentconfig._rules._registry import rule_sets
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.kinds import find_kind
from ansible_collections.configok.node.plugins.module_utils._componentconfig.check import check

__all__ = ["Case", "Config", "assert_case", "names_of_rules"]

Config = Mapping[str, Any]


class Case(NamedTuple):
    """A rule, the minor to check for, configs that break it and configs that keep it."""

    rule: str
    minor: int
    bad: list[Config]
    good: list[Config]


def names_of_rules(api_version: str, kind: str) -> set[str]:
    """Return the ids of a kind's rules, without those that came after its last release."""
    known = find_kind(api_version, kind)
    assert known is not None
    return {
        rule
        for rules in rule_sets(known)
        for rule in rules.rules
        if known.last is None or rule_facts(rules.component, rules.section)[rule]["since"] <= known.last
    }


def broken(head: Config, config: Config, minor: int, rule: str) -> list[str]:
    """Return the paths at which a config breaks a rule; check that each finding has the rule's own level."""
    known = find_kind(head["apiVersion"], head["kind"])
    assert known is not None, head
    assert known.known_at(minor), (head, minor)
    levels = {rules.level_of(rule) for rules in rule_sets(known) if rule in rules.rules}
    findings = [
        finding for finding in check(encode({**head, **config}), versions=[f"1.{minor}"]) if finding.rule == rule
    ]
    assert {finding.level for finding in findings} <= levels
    return [finding.field for finding in findings]


def assert_case(head: Config, case: Case) -> None:
    """Check that every bad config of a case breaks its rule, and that every good one keeps it."""
    assert case.bad
    assert case.good
    for config in case.bad:
        assert broken(head, config, case.minor, case.rule), config
    for config in case.good:
        assert broken(head, config, case.minor, case.rule) == [], config
