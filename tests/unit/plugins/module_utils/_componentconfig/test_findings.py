# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A check returns at most a hundred findings, and the number of the omitted ones."""

from __future__ import annotations

import json

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig.check import check
from ansible_collections.configok.node.plugins.module_utils._componentconfig.findings import (
    MAX_FINDINGS,
    Finding,
    Level,
    bounded,
    located,
)
from ansible_collections.configok.node.plugins.module_utils._componentconfig.load import load
from support.configs.kubelet import KUBELET_HEADER


def faults(number: int, level: Level = Level.POLICY) -> list[Finding]:
    """Return so many findings."""
    return [located(Finding(("a", line), "is wrong", level=level), "f", line) for line in range(1, number + 1)]


@pytest.mark.parametrize("number", [0, 1, MAX_FINDINGS])
def test_few_findings_stay(number: int) -> None:
    assert bounded(faults(number)) == faults(number)


def test_many_findings_are_counted_once() -> None:
    findings = bounded(faults(5000))
    assert findings[:-1] == faults(MAX_FINDINGS)
    assert (findings[-1].message, findings[-1].level) == (
        "4900 more findings are not shown: fix these first",
        Level.POLICY,
    )
    again = bounded([*findings, *faults(10)])
    assert len(again) == MAX_FINDINGS + 1
    assert again[-1].omitted == 4910


def test_refusals_come_before_warnings_and_the_rest_keeps_its_worst_level() -> None:
    findings = bounded([*faults(200, Level.WARNING), *faults(1, Level.COMPONENT)])
    assert findings[-2].level == Level.COMPONENT
    assert findings[-1].level == Level.WARNING
    assert bounded([*faults(200), *faults(1, Level.COMPONENT)])[-1].level == Level.COMPONENT


def test_a_large_bundle_has_few_findings() -> None:
    text = KUBELET_HEADER + "".join(f"x{number}: 1\n" for number in range(8000))
    for findings in (check(text), check(load([("f", text)]))):
        assert len(findings) == MAX_FINDINGS + 1
        assert findings[-1].omitted == 8000 - MAX_FINDINGS
        assert len(json.dumps([finding.as_dict() for finding in findings])) < 50_000


@pytest.mark.parametrize("level", [Level.POLICY, Level.WARNING])
def test_findings_on_the_host_share_one_limit_with_those_on_the_config(level: Level) -> None:
    config = load([("f", f"{KUBELET_HEADER}x: 1\n")])
    findings = check(config, host=lambda _config, _component: faults(200, level))
    assert len(findings) == MAX_FINDINGS + 1
    assert findings[-1].omitted == 201 - MAX_FINDINGS


def test_a_message_is_bounded() -> None:
    assert len(located(Finding((), "\x00" * 100_000), "f", 1).message) == 1000
    key = "1" * 100_000
    assert all(len(finding.message) <= 1000 for finding in check(f"{KUBELET_HEADER}{key}: 1\n"))
