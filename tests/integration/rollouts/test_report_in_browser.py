# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The HTML report in a real browser: nothing overflows, every text has contrast, and nothing is loaded or blocked."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._rollout._record.record import Record
from ansible_collections.configok.node.plugins.module_utils._rollout._report.pool_report import (
    PoolReport,
    node_entries,
)
from support.api.binaries import Unavailable
from support.rollouts.reports import GENERATED, halted_report, moving_report, render_report
from support.rollouts.views import a_view
from support.session.browser import Browser, Page
from support.session.unavailable import leave_out

LONGEST = 60.0  # seconds until 5,000 nodes are drawn, on a busy machine
NORMAL_TEXT, LARGE_TEXT = 4.5, 3.0  # the contrasts that WCAG 2.2 asks for at level AA

# Elements that reach out of the window. What is in a table that scrolls does not.
OVERFLOWING = """
[...document.querySelectorAll("body :not(details:not([open]) *)")].filter(item => {
  const box = item.getBoundingClientRect();
  return box.width > 1 && (box.right > innerWidth + 1 || box.left < -1) && !item.closest(".table");
}).map(item => item.outerHTML.slice(0, 200))
"""

# Texts with too little contrast, each with its ratio.
FAINT = """
(() => {
  const channels = color => color.match(/[\\d.]+/g).map(Number);
  const luminance = color => channels(color).slice(0, 3).map(value => value / 255)
    .map(value => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
    .reduce((sum, value, index) => sum + value * [0.2126, 0.7152, 0.0722][index], 0);
  const background = item => {
    for (; item; item = item.parentElement) {
      const color = getComputedStyle(item).backgroundColor, parts = channels(color);
      if (parts.length === 3 || parts[3] > 0) { return color; }
    }
    return getComputedStyle(document.body).backgroundColor;
  };
  const seen = new Set(), faint = [];
  for (const item of document.querySelectorAll("body :not(details:not([open]) tr *)")) {
    const text = [...item.childNodes].filter(node => node.nodeType === 3).map(node => node.data.trim()).join("");
    if (!text || item.closest("script,.hidden") || !item.getClientRects().length) { continue; }
    const style = getComputedStyle(item), behind = background(item);
    const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    const key = [style.color, behind, large].join();
    if (seen.has(key)) { continue; }
    seen.add(key);
    const [low, high] = [luminance(style.color), luminance(behind)].sort((a, b) => a - b);
    const ratio = (high + 0.05) / (low + 0.05);
    if (ratio < (large ? LARGE_TEXT : NORMAL_TEXT)) { faint.push([text.slice(0, 40), ratio.toFixed(2)]); }
  }
  return faint;
})()
""".replace("LARGE_TEXT", str(LARGE_TEXT)).replace("NORMAL_TEXT", str(NORMAL_TEXT))

# The squares that are drawn, by state; without a size they are not.
SQUARES = """
[...document.querySelectorAll("#board i")].filter(item => item.offsetWidth >= 8 && item.offsetHeight >= 8)
  .map(item => item.className)
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    try:
        with Browser() as started:
            yield started
    except Unavailable as error:
        leave_out(error)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Callable[[PoolReport], Path]:
    """Write the page of a report to a file."""
    directory, numbers = tmp_path_factory.mktemp("reports"), itertools.count()

    def write(report: PoolReport) -> Path:
        path = directory / f"{next(numbers)}.html"
        path.write_text(render_report(report, GENERATED), encoding="utf-8")
        return path

    return write


def assert_sound(page: Page) -> None:
    assert page.complaints == []
    assert page.requested == []
    assert page.evaluate("document.documentElement.scrollWidth") <= page.width
    assert page.evaluate(OVERFLOWING) == []
    assert page.evaluate(FAINT) == []


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("count", [8, 300, 5000])
def test_all_nodes_are_drawn_and_nothing_overflows(
    browser: Browser, written: Callable[[PoolReport], Path], count: int, width: int, dark: bool
) -> None:
    report = halted_report(count)
    with browser.open(written(report), width=width, dark=dark) as page:
        assert page.seconds < LONGEST
        assert_sound(page)
        states = Counter(entry.state.replace(" ", "-") for entry in node_entries(report).values())
        assert Counter(page.evaluate(SQUARES)) == states
        background = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert background == ("rgb(15, 19, 24)" if dark else "rgb(255, 255, 255)")
        assert page.evaluate("document.querySelector('h1').textContent") == "workers"
        parts = page.evaluate("[...document.querySelectorAll('main > section')].map(item => item.id)")
        assert parts == ["problems", "nodes", "timeline", "changes", "left-out", "notes", "history"]


@pytest.mark.parametrize("width", [360, 768, 1280])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_details_that_are_opened_fit_too(
    browser: Browser, written: Callable[[PoolReport], Path], width: int, dark: bool
) -> None:
    with browser.open(written(halted_report(300)), width=width, dark=dark) as page:
        page.evaluate("document.querySelectorAll('details').forEach(item => { item.open = true; })")
        assert_sound(page)


LONG = "a-very-long-name-" * 14


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize(
    "report",
    [
        moving_report(8),
        PoolReport(Record("workers"), []),
        PoolReport(Record("workers" * 9), [a_view(LONG[:253], zone=LONG[:63], agent=False)]),
        PoolReport(Record("workers"), [a_view(f"n{number}", zone=f"zone-{number}") for number in range(70)]),
    ],
    ids=["moving", "empty", "long names", "many zones"],
)
def test_other_pools_fit_too(
    browser: Browser, written: Callable[[PoolReport], Path], report: PoolReport, width: int
) -> None:
    with browser.open(written(report), width=width) as page:
        assert_sound(page)


def test_nodes_are_found_by_name_and_by_state(browser: Browser, written: Callable[[PoolReport], Path]) -> None:
    def shown(page: Page) -> Any:
        return page.evaluate("document.querySelectorAll('#board [title]:not(.dim)').length")

    def type_text(page: Page, text: str) -> None:
        field = "document.querySelector('input[type=search]')"
        page.evaluate(f"{field}.value = '{text}'; {field}.dispatchEvent(new Event('input'))")

    report = halted_report(300)
    with browser.open(written(report)) as page:
        everything = len(report.views)
        assert shown(page) == everything
        type_text(page, "GPU")
        assert shown(page) == 1
        assert page.evaluate("document.querySelector('output').textContent") == f"1 of {everything} nodes"
        assert page.evaluate("document.querySelectorAll('#all tbody tr:not([hidden])').length") == 1
        type_text(page, "")
        page.evaluate("document.querySelector('#legend [data-state=failed] button').click()")
        assert shown(page) == 2
        assert page.evaluate("document.querySelector('#legend [aria-pressed=true]').textContent") == "2 failed"
        page.evaluate("document.querySelector('#legend [data-state=failed] button').click()")
        assert shown(page) == everything
        assert page.complaints == []


def test_it_can_be_read_without_a_script(browser: Browser, written: Callable[[PoolReport], Path]) -> None:
    with browser.open(written(halted_report(300)), scripts=False) as page:
        assert_sound(page)
        assert page.evaluate("document.querySelectorAll('input, button').length") == 0
        assert len(page.evaluate(SQUARES)) == 301


def test_it_can_be_printed(browser: Browser, written: Callable[[PoolReport], Path]) -> None:
    with browser.open(written(halted_report(300)), dark=True) as page:
        assert page.printed().startswith(b"%PDF")


def test_the_browser_reports_what_the_policy_blocks(browser: Browser, tmp_path: Path) -> None:
    page_text = render_report(halted_report(8), GENERATED)
    for added in ("<img src='https://example.org/a.png'>", "<p style='color:red'>x</p>", "<script>alert(1)</script>"):
        path = tmp_path / "changed.html"
        path.write_text(page_text.replace("<main>", f"<main>{added}"), encoding="utf-8")
        with browser.open(path) as page:
            assert any("Content Security Policy" in text for text in page.complaints), added
