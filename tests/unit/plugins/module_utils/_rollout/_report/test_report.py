# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The HTML report: what it shows, that it is valid and self-contained, and that no text of a cluster gets out of it."""

from __future__ import annotations

import base64
import hashlib
import re
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given

from ansible_collections.configok.node.plugins.module_utils._rollout._record._control import Control
from ansible_collections.configok.node.plugins.module_utils._rollout._record.record import (
    FailedNode,
    PresentWave,
    Record,
    Rollout,
    RolloutStart,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._report.page_data import (
    generated_time,
    page_summary,
    report_summary,
)
from ansible_collections.configok.node.plugins.module_utils._rollout._report.pool_report import (
    STATES,
    ChangeGroup,
    FieldRow,
    MachineEntry,
    PoolReport,
    lanes,
    left_out,
    node_entries,
    notes,
    problems,
)
from ansible_collections.configok.node.plugins.module_utils._rollout.plan import Target, Wave
from support.fuzz.hostile import FORGED, TEXTS
from support.fuzz.settings import fuzz
from support.rollouts.html_pages import Element, parse_page
from support.rollouts.reports import GENERATED, halted_report, moving_report, render_report
from support.rollouts.views import a_source, a_target, a_view

NOW = "2026-01-01T00:00:00Z"
SIZES = (8, 61, 300, 2000)


def page_of(report: PoolReport) -> list[Element]:
    return parse_page(render_report(report, GENERATED))


def named(elements: list[Element], name: str, **attributes: str) -> list[Element]:
    return [
        item
        for item in elements
        if item.name == name and all(item.attributes.get(key) == value for key, value in attributes.items())
    ]


def section(elements: list[Element], identifier: str) -> Element:
    return named(elements, "section", id=identifier)[0]


def a_rollout(waves: tuple[Wave, ...], **changes: Any) -> Rollout:
    size = sum(len(wave.nodes) for wave in waves)
    return replace(Rollout(1, a_target(1), "Wave 1", waves, size, NOW, NOW), **changes)


WAVES = (Wave("canary", ("a",), 0.0), Wave("wave 1", ("b", "c"), 0.0))


def report_of(*views: Any, waves: tuple[Wave, ...] = WAVES, **changes: Any) -> PoolReport:
    return PoolReport(Record("workers", rollout=a_rollout(waves, **changes)), views)


@pytest.mark.parametrize("make", [halted_report, moving_report])
@pytest.mark.parametrize("count", SIZES)
def test_a_page_is_valid_and_its_headings_and_links_are_in_order(make: Any, count: int) -> None:
    page = page_of(make(count))
    identifiers = Counter(item.attributes["id"] for item in page if "id" in item.attributes)
    assert set(identifiers.values()) == {1}
    for item in page:
        assert item.attributes.get("aria-labelledby", "workers") in {*identifiers, "workers"}
        if item.name == "a":
            assert item.attributes["href"].lstrip("#") in identifiers
        if item.name == "th":
            assert item.attributes.get("scope") in ("row", "col")
    levels = [int(item.name[1]) for item in page if re.fullmatch(r"h\d", item.name)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in zip(levels, levels[1:]))
    assert all(named(table.inside, "caption") for table in named(page, "table"))
    assert named(page, "html")[0].attributes["lang"] == "en"
    assert named(page, "title")[0].text == "workers: rollout report"


@pytest.mark.parametrize("make", [halted_report, moving_report])
def test_a_page_asks_for_nothing_and_its_policy_allows_only_its_own_style_and_script(make: Any) -> None:
    page = page_of(make(8))
    policy = named(page, "meta", **{"http-equiv": "Content-Security-Policy"})[0].attributes["content"]
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for name in ("style", "script"):
        (item,) = named(page, name)
        digest = base64.b64encode(hashlib.sha256(item.text.encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}'" in policy
    for item in page:
        assert not {key for key in item.attributes if key.startswith("on") or key in ("style", "src", "srcset")}
        assert item.attributes.get("href", "#").startswith(("#", "data:,"))
    assert not re.search(r"url\(|@import|https?://", named(page, "style")[0].text + named(page, "script")[0].text)


HOSTILE = '</style></script><script>alert(1)</script><img src=x onerror=alert(1)> " onclick="x" \' &lt;' + FORGED


def hostile_report(text: str) -> PoolReport:
    view = a_view(
        f"a{text}",
        zone=text,
        source=a_source(3),
        config_ok="False",
        message=text,
        reason=text,
        kubelet_version=text,
        cause=text,
    )
    record = Record(f"workers{text}").with_revision(a_target(1), time=text, author=text, cause=text)
    record = record.with_bad_config(a_target(4), text, text)
    waves = (Wave("canary", (f"a{text}", f"b{text}"), 0.0), Wave(f"wave {text}", (f"c{text}",), 0.0))
    rollout = replace(
        a_rollout(waves),
        phase=text,
        reason=text,
        runner=text,
        start=RolloutStart(text),
        started_at=text,
        changed_at=NOW,
    )
    rollout = replace(rollout, failed_nodes=(FailedNode(f"d{text}", "failed", text, text),)).with_timeline()
    changes = (ChangeGroup((text,), (FieldRow(text, text, text, text, text),), text), ChangeGroup((text,), None))
    target = Target(text, text, text, text, (text,), None)
    control = Control("pause", text, text, "all", text, text, text, text)
    record = replace(record, rollout=replace(rollout, target=target), control=control)
    views = [view, a_view(f"e{text}", agent=False, zone=text)]
    machines = (MachineEntry(*(text,) * len(MachineEntry._fields)),)
    return PoolReport(record, views, changes, changes_note=text, findings=(text,), moved_by=text, machines=machines)


def skeleton(elements: list[Element]) -> list[tuple[str, ...]]:
    return [(item.name, *sorted(item.attributes)) for item in elements]


def test_no_text_of_a_cluster_becomes_markup() -> None:
    page = page_of(hostile_report(HOSTILE))
    assert skeleton(page) == skeleton(page_of(hostile_report("qqq")))
    assert "alert(1)" not in named(page, "script")[0].text + named(page, "style")[0].text
    assert FORGED not in render_report(hostile_report(HOSTILE), GENERATED)


@fuzz(60)
@given(text=TEXTS)
def test_any_text_is_shown_and_nothing_else_changes(text: str) -> None:
    rendered = render_report(hostile_report(text), GENERATED)
    rendered.encode()
    page = parse_page(rendered)
    assert len(named(page, "script")) == len(named(page, "style")) == 1
    assert not [item for item in page if any(key.startswith("on") for key in item.attributes)]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<script>alert(1)</script>", "<script>alert(1)</script>"),
        ("</title></style><!-- &lt; &amp; -->", "</title></style><!-- &lt; &amp; -->"),
        ('" onclick="x" \' onclick=\'x', '" onclick="x" \' onclick=\'x'),
        ("<![CDATA[ x ]]>", "<![CDATA[ x ]]>"),
        ("{{ 7 * 7 }} {% raw %} {# x #}", "{{ 7 * 7 }} {% raw %} {# x #}"),
        ("left \u202eright\u202c \u2066apart\u2069 \u200bend", "left  right   apart   end"),
    ],
    ids=["script", "end tags", "quotes", "CDATA", "template", "direction"],
)
def test_name_message_and_reason_of_a_node_are_shown_as_they_are(text: str, shown: str) -> None:
    view = a_view(f"n {text} n", config_ok="False", message=f"m {text} m", reason=f"r {text} r")
    page = page_of(PoolReport(Record(f"p {text} p"), [view]))
    assert named(page, "h1")[0].text == f"p {shown} p"
    assert named(page, "title")[0].text == f"p {shown} p: rollout report"
    problem = section(page, "problems")
    assert named(problem.inside, "span", **{"class": "mono"})[0].text == f"n {shown} n"
    assert named(problem.inside, "p", **{"class": "words"})[0].text == f"ConfigOK is False: m {shown} m: r {shown} r"
    chip = named(named(page, "ul", **{"class": "chips"})[0].inside, "li")[0]
    assert (
        chip.attributes["title"]
        == f"n {shown} n: failed: ConfigOK is False: m {shown} m: r {shown} r"[: len(f"n {shown} n: failed: ") + 200]
    )
    assert len(named(page, "script")) == 1


def test_the_same_data_and_time_give_the_same_page() -> None:
    pages = [render_report(halted_report(300), GENERATED) for _number in range(2)]
    assert pages[0] == pages[1]
    assert generated_time(pages[0]) == GENERATED
    assert page_summary(pages[0]) == report_summary(halted_report(300))
    assert generated_time("<p>another page</p>") == page_summary("<p>another page</p>") == ""


def test_the_page_of_5000_nodes_is_below_two_megabytes_and_has_each_node() -> None:
    report = halted_report(5000)
    rendered = render_report(report, GENERATED)
    assert len(rendered.encode()) < 2_000_000
    page = parse_page(rendered)
    board = named(page, "div", id="board")[0]
    titles = [item.attributes["title"].split(":")[0] for item in board.inside if "title" in item.attributes]
    assert sorted(titles) == sorted(view.name for view in report.views)
    rows = named(named(page, "details", id="all")[0].inside, "tr")
    assert len(rows) == 1 + len(report.views)


def test_the_head_names_target_reason_runner_and_cause() -> None:
    page = page_of(halted_report(8))
    head = named(page, "header", **{"class": "masthead"})[0].text
    for text in (
        "workers",
        "Halted",
        "Revision 2",
        "denser nodes: 220 pods",
        "bob@control-1",
        "2026-03-04 09:02:10 UTC",
    ):
        assert text in head
    assert "2 nodes failed, and the budget is 1" in head
    assert "ended after 44m53s" in head


@pytest.mark.parametrize(
    ("moved_by", "phase", "text"),
    [
        ("bob", "Wave 1", "moves the pool now"),
        ("", "Wave 1", "no runner moves the pool: run it again to continue"),
        (None, "Wave 1", "whether it still runs is not known"),
        ("", "Complete", ""),
        ("", "Paused", "no runner waits: run it again to continue"),
        ("bob", "Paused", "waits to continue"),
        ("", "Aborted", ""),
    ],
)
def test_the_head_says_whether_a_runner_moves_the_pool(moved_by: str | None, phase: str, text: str) -> None:
    report = replace(report_of(a_view("a"), phase=phase, runner="bob"), moved_by=moved_by)
    head = named(page_of(report), "header", **{"class": "masthead"})[0].text
    assert text in head
    assert text or "runner moves" not in head


def test_the_head_shows_requests_and_approvals_of_the_record() -> None:
    control = Control(
        request="pause",
        by="alice",
        reason="the network is slow",
        time="2026-03-04T09:02:10Z",
        approved="wave-2, wave 1",
        approved_by="bob",
    )
    moving = report_of(a_view("a"))
    for record in (replace(moving.record, control=control), Record("workers", control=control)):
        head = named(page_of(replace(moving, record=record)), "header", **{"class": "masthead"})[0].text
        for text in ("Requested", "pause", "by alice", "2026-03-04 09:02:10 UTC", "the network is slow"):
            assert text in head
        assert head.index("Approved") < head.index("wave 1, wave 2") < head.index("by bob")
    for ignored in (Control(), Control(request="stop", approved="soon")):
        record = replace(moving.record, control=ignored)
        head = named(page_of(replace(moving, record=record)), "header", **{"class": "masthead"})[0].text
        assert "Requested" not in head
        assert "Approved" not in head


def test_each_node_has_its_state() -> None:
    target, other = a_source(1), a_source(2)
    views = {
        "ok": a_view("ok", source=target),
        "trial": a_view("trial", source=target, in_trial=True),
        "elsewhere": a_view("elsewhere", source=other),
        "pending": a_view("pending", source=target, assigned_id=4, answered_id=3, message="fine", reason="so far"),
        "failed": a_view("failed", source=target, config_ok="False", message="used init", reason="crashed"),
        "unknown": a_view("unknown", source=target, ready=False, ready_reason="no network"),
        "drifted": a_view("drifted", source=other),
        "no agent": a_view("no agent", agent=False),
    }
    waves = (Wave("canary", ("drifted", "gone"), 0.0), Wave("wave 1", ("ok", "trial", "elsewhere", "pending"), 0.0))
    report = report_of(*views.values(), waves=waves, waves_done=1)
    entries = node_entries(report)
    assert {name: entry.state for name, entry in entries.items()} == {**{name: name for name in views}, "gone": "gone"}
    assert set(STATES) == {entry.state for entry in entries.values()}
    assert {problem.nodes[0]: problem.reason for problem in problems(report, entries)} == {
        "failed": "ConfigOK is False: used init: crashed",
        "unknown": "the Node is not Ready: no network",
        "drifted": f"it had passed, then another client assigned it {other.name} (assignment 1)",
        "gone": "its Node no longer exists",
        "no agent": "no agent has ever reported from it",
        "pending": "ConfigOK is True: fine: so far",
    }
    never = PoolReport(Record("workers"), [views["elsewhere"], views["failed"]])
    assert [entry.state for entry in node_entries(never).values()] == ["ok", "failed"]


def test_nodes_with_the_same_reason_are_together_and_the_verdict_is_shown_when_it_says_more() -> None:
    views = [a_view(name, source=a_source(1), config_ok="False", reason="crashed") for name in ("b", "a")]
    views += [a_view("c", source=a_source(1)), a_view("d", source=a_source(1))]
    failed = (
        FailedNode("a", "failed", "canary", "ConfigOK is False: used init: crashed"),
        FailedNode("b", "failed", "canary", "crashed"),
        FailedNode("c", "unknown", "wave 1", "no answer for 5m"),
        FailedNode("x", "gone", "wave 1", ""),
    )
    report = report_of(*views, failed_nodes=failed, waves=(Wave("canary", ("a", "b", "c", "d"), 0.0),))
    assert [tuple(problem) for problem in problems(report, node_entries(report))] == [
        ("failed", ("a",), "crashed", "failed in canary: ConfigOK is False: used init: crashed"),
        ("failed", ("b",), "crashed", ""),
        ("gone", ("x",), "its Node no longer exists", "gone in wave 1"),
        ("ok", ("c",), "", "unknown in wave 1: no answer for 5m"),
    ]


@pytest.mark.parametrize(
    ("changes", "progress"),
    [
        ({"phase": "Planned"}, ["moving", "not started"]),
        ({"phase": "Canary"}, ["moving", "not started"]),
        ({"phase": "Soaking"}, ["soaking", "not started"]),
        ({"phase": "Wave 1", "waves_done": 1}, ["done", "moving"]),
        ({"phase": "Paused", "waves_done": 1, "present_wave": PresentWave(1)}, ["done", "paused"]),
        ({"phase": "Halted", "present_wave": PresentWave(1)}, ["halted", "not started"]),
        ({"phase": "Halted", "waves_done": 1}, ["done", "not started"]),
        ({"phase": "Complete", "waves_done": 2}, ["done", "done"]),
    ],
)
def test_a_report_shows_the_progress_of_each_wave(changes: dict[str, Any], progress: list[str]) -> None:
    report = report_of(a_view("a"), a_view("b"), a_view("c"), **changes)
    assert [lane.progress for lane in lanes(report, node_entries(report))] == progress


def test_nodes_outside_the_waves_are_already_there_or_left_out_with_the_reason() -> None:
    views = [
        a_view("a", source=a_source(1)),
        a_view("there", source=a_source(1)),
        a_view("bare", agent=False),
        a_view("late", source=a_source(2)),
        a_view("old", source=a_source(2), agent_version="9.0.0"),
        a_view("blank", agent=False),
    ]
    report = report_of(*views, waves=(Wave("canary", ("a",), 0.0),))
    columns = lanes(report, node_entries(report))
    assert [(lane.title, [node.name for node in lane.nodes]) for lane in columns] == [
        ("Canary", ["a"]),
        ("Already there", ["there"]),
        ("Left out", ["bare", "blank", "late", "old"]),
    ]
    reasons = left_out(report, columns[-1])
    assert reasons[0] == ("no agent has ever reported from it", ("bare", "blank"))
    assert dict(reasons)["it was not in the pool when the waves were frozen: run the rollout again to move it"] == (
        "late",
    )
    text = section(page_of(report), "left-out").text
    assert "4 nodes of the pool" in text
    assert "its agent 9.0.0 does not work" in text


def test_nodes_are_in_natural_order() -> None:
    names = ("n10", "n9", "n1-10", "n1-9", "a", "n²")
    report = PoolReport(Record("workers"), [a_view(name) for name in names])
    (lane,) = lanes(report, node_entries(report))
    assert [node.name for node in lane.nodes] == ["a", "n1-9", "n1-10", "n9", "n10", "n²"]


def test_a_pool_that_was_never_rolled_out_has_a_page_too() -> None:
    record = Record("workers").with_revision(a_target(1), time=NOW, author="me", cause="first")
    page = page_of(PoolReport(record, [a_view("a", zone="z1"), a_view("b")]))
    assert "Never rolled out" in named(page, "header", **{"class": "masthead"})[0].text
    assert {item.attributes["id"] for item in named(page, "section") if "id" in item.attributes} == {"nodes", "history"}
    assert "no zone" in section(page, "nodes").text
    assert "not rolled out" in section(page, "history").text
    empty = page_of(PoolReport(Record("workers"), []))
    assert "No Node matches the selector" in section(empty, "nodes").text


def test_a_rollout_to_the_init_config_has_a_page_too() -> None:
    report = report_of(a_view("a"), a_view("b"), a_view("c"), target=Target.init(), revision=0, phase="Complete")
    page = page_of(report)
    assert "Init config" in named(page, "header", **{"class": "masthead"})[0].text
    assert report_summary(report) == "Pool workers: the init config, Complete, 3 nodes: 3 ok"
    assert "It changes no field" in section(page, "changes").text


def test_the_grid_has_a_cell_for_each_wave_and_zone_that_says_what_it_shows() -> None:
    page = page_of(halted_report(300))
    labels = [item.attributes["aria-label"] for item in named(page, "div", role="img")]
    assert "Wave 2, eu-west-1b: 1 failed, 9 trial, 10 not moved" in labels
    counts = next(table for table in named(page, "table") if "Nodes by wave and state" in table.text)
    assert [row.text for row in named(counts.inside, "tr")][3] == "Wave 2halted22830" + "60"


def test_the_changes_are_shown_by_groups_of_nodes() -> None:
    page = page_of(halted_report(8))
    text = section(page, "changes").text
    assert "On 7 nodes" in text
    assert "On 1 nodeworker-1" in text
    assert "cpuManagerPolicynonestaticdrain+state" in text
    assert "unset" in text
    unknown = replace(halted_report(8), changes=(ChangeGroup(("a",), None),))
    assert "What these nodes used before is not published." in section(page_of(unknown), "changes").text
    absent = replace(halted_report(8), changes=(), changes_note="The bundle was deleted.")
    assert "The bundle was deleted." in section(page_of(absent), "changes").text


def test_fields_that_flags_override_are_noted() -> None:
    status = a_view("a").answer.status
    assert status is not None
    kubelet = status.components["kubelet"]._replace(shadowed=("maxPods (--max-pods)",))
    views = [
        a_view(name, status=status._replace(components={"kubelet": kubelet}, ignored=("kube-proxy",)))
        for name in ("a", "b")
    ]
    report = replace(report_of(*views), findings=("a finding",))
    assert notes(report) == [
        "a finding",
        "kubelet: the node overrides maxPods (--max-pods), on 2 nodes (a, b)",
        "kube-proxy: the node does not run it, on 2 nodes (a, b)",
    ]
    assert "--max-pods" in section(page_of(report), "notes").text
