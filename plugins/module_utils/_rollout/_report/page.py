# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Render the report of a pool: one HTML page that needs nothing else. Pure. Private to configok.node."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections import Counter

from ..._text import count_of
from ._machines_section import machines_section
from ._markup import Html, element, join
from ._node_grid import all_nodes_table, counts_table, grid, legend
from ._script import SCRIPT
from ._sections import (
    changes_section,
    head,
    history_section,
    left_out_section,
    notes_section,
    part,
    problems_section,
    time_text,
    timeline_section,
)
from ._stylesheet import STYLESHEET, StyleRules
from ._timeline import parse_time, timeline_of
from .pool_report import STATES, Lane, NodeState, PoolReport, lane_title, lanes, node_entries, notes, problems

_MAX_HEAD = 8192  # characters of a page in which its metadata are
_GENERATED = re.compile(r'<meta name="generated" content="([0-9TZ:.+-]{1,40})">')
_SUMMARY = re.compile(r'<meta name="description" content="([^"]{0,1000})">')


def render_report(report: PoolReport, generated: str) -> str:
    """Return the page; the same data and time always give the same text. generated: an RFC 3339 time."""
    rules = StyleRules()
    record, rollout = report.record, report.record.rollout
    entries = node_entries(report)
    columns = lanes(report, entries)
    counts: Counter[NodeState] = Counter(entry.state for entry in entries.values())
    attention, remarks = problems(report, entries), notes(report)
    sections: list[tuple[str, str, Html]] = []

    def add(identifier: str, title: str, section: Html) -> None:
        sections.append((identifier, title, section))

    if attention:
        add("problems", "Needs attention", problems_section(attention))
    if columns:
        nodes = part("nodes", "Nodes", legend(counts, rules), grid(columns, rules), _tables(columns))
    else:
        nodes = part("nodes", "Nodes", element("p", "No Node matches the selector of the pool."))
    add("nodes", "Nodes", nodes)
    if report.machines:
        add("machines", "Machines", machines_section(report.machines, rules))
    if rollout is not None:
        timeline = timeline_of(rollout, parse_time(generated))
        if timeline is not None:
            waves = [lane_title(wave.name) for wave in rollout.waves]
            add("timeline", "Timeline", timeline_section(timeline, waves, rules))
        add("changes", "Changes", changes_section(report))
        skipped = [lane for lane in columns if lane.title == "Left out"]
        if skipped:
            add("left-out", "Left out", left_out_section(report, skipped[0]))
    if remarks:
        add("notes", "Worth knowing", notes_section(remarks))
    if record.revisions:
        add("history", "History", history_section(record))
    links = (element("li", element("a", title, href=f"#{identifier}")) for identifier, title, _section in sections)
    contents = element("nav", element("ul", *links), aria_label="Contents")
    body = join(
        [
            element("header", element("div", head(report), contents), class_="masthead"),
            element("main", *(section for _identifier, _title, section in sections)),
            element("footer", element("p", "Generated ", time_text(generated), " by configok.node.report.")),
        ]
    )
    return _page(record.pool, generated, _summary(report, counts), body, STYLESHEET + str(rules))


def _tables(columns: list[Lane]) -> Html:
    return join(
        [
            element("details", element("summary", "Counts as a table"), counts_table(columns)),
            element("details", element("summary", "All nodes as a table"), all_nodes_table(columns), id="all"),
        ]
    )


def report_summary(report: PoolReport) -> str:
    """Return the state of the pool in one sentence."""
    return _summary(report, Counter(entry.state for entry in node_entries(report).values()))


def _summary(report: PoolReport, counts: Counter[NodeState]) -> str:
    record, rollout = report.record, report.record.rollout
    where = "never rolled out"
    if rollout is not None:
        target = f"revision {rollout.revision}" if rollout.revision else "the init config"
        where = f"{target}, {rollout.phase}"
    states = ", ".join(f"{counts[state]} {STATES[state][0]}" for state in STATES if counts[state])
    size = count_of(len(report.views), "node")
    return f"Pool {record.pool}: {where}, {size}" + (f": {states}" if states else "")


def _page(pool: str, generated: str, summary: str, body: Html, style: str) -> str:
    policy = (
        f"default-src 'none'; style-src {_hash_of(style)}; script-src {_hash_of(SCRIPT)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    return "<!doctype html>\n" + element(
        "html",
        element(
            "head",
            element("meta", charset="utf-8"),
            element("meta", http_equiv="Content-Security-Policy", content=policy),
            element("meta", name_="viewport", content="width=device-width, initial-scale=1"),
            element("meta", name_="color-scheme", content="light dark"),
            element("meta", name_="referrer", content="no-referrer"),
            element("meta", name_="generated", content=generated),
            element("meta", name_="description", content=summary),
            element("title", f"{pool}: rollout report"),
            element("link", rel="icon", href="data:,"),
            element("style", Html(style)),
        ),
        element("body", body, element("script", Html(SCRIPT))),
        lang="en",
    )


def _hash_of(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def generated_time(page: str) -> str:
    """Return when a page was generated, "" for a text that is not a report."""
    match = _GENERATED.search(page, 0, _MAX_HEAD)
    return "" if match is None else match.group(1)


def page_summary(page: str) -> str:
    """Return the sentence of a page on the state of its pool, "" for a text that is not a report."""
    match = _SUMMARY.search(page, 0, _MAX_HEAD)
    return "" if match is None else html.unescape(match.group(1))
