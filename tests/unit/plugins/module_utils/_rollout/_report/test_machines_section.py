# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The section of a report on Machines."""

from __future__ import annotations

from collections import Counter

import pytest

from ansible_collections.configok.node.plugins.module_utils._rollout._report.pool_report import (
    PoolReport,
)
from support.rollouts.html_pages import Element, parse_page
from support.rollouts.reports import GENERATED, machines_report, moving_report, render_report


def section(report: PoolReport) -> Element:
    """Return the section on machines."""
    page = parse_page(render_report(report, GENERATED))
    return next(item for item in page if item.attributes.get("id") == "machines")


@pytest.mark.parametrize("count", [8, 300])
def test_a_page_with_machines_is_valid(count: int) -> None:
    page = parse_page(render_report(machines_report(count), GENERATED))
    identifiers = Counter(item.attributes["id"] for item in page if "id" in item.attributes)
    assert set(identifiers.values()) == {1}
    assert not any("style" in item.attributes for item in page)
    assert any(item.attributes.get("href") == "#machines" for item in page)


def test_phases_versions_and_reasons_are_shown() -> None:
    text = section(machines_report(8)).text
    assert "10 machines; the next run would change 8." in text
    assert "1 Failed1 Provisioning3 Updating1 Deleting4 Running" in text
    assert "1.34.6" in text
    assert "6, all to 1.35.2" in text
    assert "1.34.6 \u2192 1.35.2" in text
    assert "unknown topology manager policy option" in text
    # What needs attention comes first.
    rows = text[text.index("Next run") :]
    assert rows.index("worker-1Failed") < rows.index("new-1Provisioning") < rows.index("old-1Deleting")


def test_a_report_without_machines_has_no_section() -> None:
    page = parse_page(render_report(moving_report(8), GENERATED))
    assert not any(item.attributes.get("id") == "machines" for item in page)


def test_many_machines_are_behind_a_disclosure() -> None:
    page = parse_page(render_report(machines_report(300), GENERATED))
    assert any(item.name == "summary" and item.text == "All machines as a table" for item in page)
