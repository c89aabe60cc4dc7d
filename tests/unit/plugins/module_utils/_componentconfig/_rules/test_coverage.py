# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every rule of the data is implemented, or listed with the reason why not."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._rules import rule_facts
from ansible_collections.configok.node.plugins.module_utils._componentconfig._rules._kube_proxy import (
    KUBE_PROXY_RULES_CHECKED_ELSEWHERE,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._rules._kubelet import (
    KUBELET_RULES_CHECKED_ELSEWHERE,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._rules._kubelet_start_failures import (
    STARTUP_RULES_CHECKED_ELSEWHERE,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig._rules._registry import rule_sets
from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.kinds import DataModule, kinds
from ansible_collections.configok.node.plugins.module_utils._machine_kinds.kinds import machine_kinds

SCHEMA = Path(__file__).resolve().parents[6] / "schema"
BY_KIND = sorted(path for path in SCHEMA.glob("*_validation_rules.json") if "kinds" in json.loads(path.read_text()))

SECTIONS = [
    ("kubelet", "kubelet", 93, KUBELET_RULES_CHECKED_ELSEWHERE),
    ("kubelet", "kubeletStart", 41, STARTUP_RULES_CHECKED_ELSEWHERE),
    ("kube_proxy", "kubeProxy", 32, KUBE_PROXY_RULES_CHECKED_ELSEWHERE),
]


def _judged_rules() -> dict[str, set[str]]:
    """Return the ids of the rules that have a function, by section."""
    judged: dict[str, set[str]] = {}
    for kind in (*kinds(), *machine_kinds()):
        for rules in rule_sets(kind):
            judged.setdefault(rules.section, set()).update(rules.rules)
    return judged


@pytest.mark.parametrize(
    ("component", "section", "count", "elsewhere"), SECTIONS, ids=[section[1] for section in SECTIONS]
)
def test_every_rule_is_judged_or_listed_with_a_reason(
    component: DataModule, section: str, count: int, elsewhere: Mapping[str, str]
) -> None:
    rules = _judged_rules()[section]
    known = set(rule_facts(component, section))
    assert len(known) == count
    assert rules | set(elsewhere) == known
    assert not rules & set(elsewhere)
    assert all(elsewhere.values())


@pytest.mark.parametrize("path", BY_KIND, ids=[path.name for path in BY_KIND])
def test_every_rule_of_the_other_kinds_is_judged(path: Path) -> None:
    facts = json.loads(path.read_text())["kinds"]
    assert sum(len(rows) for rows in facts.values()) > 1
    tested = _judged_rules()
    for section, rows in facts.items():
        assert {row["id"] for row in rows} == tested.get(section), section
        assert len(rows) == len({row["id"] for row in rows})
