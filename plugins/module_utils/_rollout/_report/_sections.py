# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of a report that are text: head, problems, timeline, changes, history. Pure. Private to configok.node."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from ..._nodeconfig.durations import describe_duration
from ..._text import first_names
from .._record._control import Control
from .._record.record import ABORTED, COMPLETE, HALTED, PAUSED, UNPROVEN, Record, Rollout
from ._markup import Html, element, join
from ._node_grid import count_nodes, state_label, table
from ._stylesheet import StyleRules
from ._timeline import Activity, Step, Timeline, parse_time
from .pool_report import ChangeGroup, FieldRow, Lane, PoolReport, Problem, left_out

_TONES = {COMPLETE: "good", HALTED: "bad", ABORTED: "plain", PAUSED: "wait", UNPROVEN: "bad"}
_NAMES_SHOWN = 6
_MAX_NAMES = 500
_MAX_PROBLEMS = 500
_ACTIVITY_TEXTS: dict[Activity, str] = {
    "planned": "planned",
    "moving": "nodes are assigned and answer",
    "soaking": "soak",
    "paused": "paused",
    "halted": "halted",
}


def part(identifier: str, title: str, *content: Html | None, hint: str = "") -> Html:
    """Return a section of the page with its heading."""
    return element(
        "section",
        element("h2", title, id=f"{identifier}-title"),
        element("p", hint, class_="hint") if hint else None,
        *content,
        class_="part",
        id=identifier,
        aria_labelledby=f"{identifier}-title",
    )


def time_text(text: str) -> Html:
    """Return a human-readable time of a record, to the second, in UTC."""
    time = parse_time(text)
    return Html("") if time is None else _time(time)


def _time(time: datetime) -> Html:
    return element("time", time.strftime("%Y-%m-%d %H:%M:%S UTC"), datetime=time.isoformat(), class_="time")


def _clock(time: datetime, *, one_day: bool) -> Html:
    text = time.strftime("%H:%M:%S" if one_day else "%Y-%m-%d %H:%M:%S")
    return element("time", text, datetime=time.isoformat(), class_="time")


def names(nodes: Sequence[str]) -> Html:
    """Return the names of nodes: the first ones, and the others behind a disclosure."""
    if len(nodes) <= _NAMES_SHOWN:
        return element("span", ", ".join(nodes), class_="mono")
    more = "" if len(nodes) <= _MAX_NAMES else f" and {len(nodes) - _MAX_NAMES} more"
    return element(
        "details",
        element("summary", first_names(nodes, _NAMES_SHOWN - 2)),
        element("p", ", ".join(nodes[:_MAX_NAMES]) + more, class_="mono"),
    )


def head(report: PoolReport) -> Html:
    """Return pool, phase, reason, and the facts: target, cause, times, runner, size."""
    record, rollout = report.record, report.record.rollout
    phase, tone = "Never rolled out", "plain"
    if rollout is not None:
        phase, tone = rollout.phase, _TONES.get(rollout.phase, "busy")
    reason = element("p", rollout.reason, class_=f"why {tone}") if rollout is not None and rollout.reason else None
    return join(
        [
            element(
                "div",
                element("span", "Pool", class_="kind"),
                element("h1", record.pool),
                element("span", phase, class_=f"phase {tone}"),
                class_="title",
            ),
            reason or Html(""),
            element("dl", *(_fact(*fact) for fact in _facts(report, rollout)), class_="facts"),
        ]
    )


def _facts(report: PoolReport, rollout: Rollout | None) -> list[tuple[str, object, object]]:
    record, size = report.record, count_nodes(len(report.views))
    if rollout is None:
        latest = record.latest
        facts: list[tuple[str, object, object]] = [("Nodes", size, "")]
        if latest is not None:
            facts.append(("Latest revision", f"{latest.number}", latest.name))
        return facts + _control_facts(record.control)
    revision = record.revision_of(rollout.target)
    number = f"Revision {rollout.revision}" if rollout.revision else "Init config"
    facts = [("Target", number, rollout.target.name if rollout.revision else "")]
    if revision is not None:
        facts.append(("Why", revision.cause or "no cause given", f"published by {revision.author or 'unknown'}"))
    start, change = parse_time(rollout.started_at), parse_time(rollout.changed_at)
    if start is not None and change is not None:
        took = describe_duration(max(0.0, (change - start).total_seconds()))
        facts.append(("Started", _time(start), f"{'ended' if rollout.has_ended else 'last change'} after {took}"))
    facts.append(("Runner", rollout.runner or "none", _runner_state(report, rollout)))
    facts.append(("Nodes", size, rollout.selector))
    return facts + _control_facts(record.control)


def _control_facts(control: Control) -> list[tuple[str, object, object]]:
    """Return what people request of the rollout, and which waves they have approved."""
    facts: list[tuple[str, object, object]] = []
    if control.is_pause or control.is_abort:
        facts.append(("Requested", control.request, _by(control.by, control.time, control.reason)))
    if control.approved_waves:
        waves = ", ".join(sorted(control.approved_waves))
        facts.append(("Approved", waves, _by(control.approved_by, control.approved_at, control.approval_reason)))
    return facts


def _by(author: str, time: str, reason: str) -> Html:
    """Return who wrote a request, when and why, as far as the writer said so."""
    parts = [
        element("span", f"by {author}" if author else "by an unknown author"),
        *([time_text(time)] if parse_time(time) is not None else []),
        *([element("span", reason)] if reason else []),
    ]
    return join(parts, ", ")


def _runner_state(report: PoolReport, rollout: Rollout) -> str:
    if rollout.has_ended:
        return ""
    if report.moved_by is None:
        return "whether it still runs is not known"
    if rollout.phase == PAUSED:
        return "waits to continue" if report.moved_by else "no runner waits: run it again to continue"
    return "moves the pool now" if report.moved_by else "no runner moves the pool: run it again to continue"


def _fact(title: str, text: object, more: object) -> Html:
    detail = element("span", more, class_="more") if more else None
    return element("div", element("dt", title), element("dd", text, detail))


def problems_section(problems: Sequence[Problem]) -> Html:
    """Return the nodes that are not fine, with the reasons in the agents' own words."""
    items = [
        element(
            "li",
            element(
                "div",
                state_label(problem.state),
                element("span", count_nodes(len(problem.nodes)), class_="muted") if problem.nodes[1:] else None,
                names(problem.nodes),
                class_="where",
            ),
            element("p", problem.reason, class_="words") if problem.reason else None,
            element("p", f"In the rollout: {problem.verdict}", class_="verdict") if problem.verdict else None,
            class_=f"e-{problem.state.replace(' ', '-')}",
        )
        for problem in problems[:_MAX_PROBLEMS]
    ]
    more = len(problems) - _MAX_PROBLEMS
    rest = element("p", f"... and {more} more reasons; configok.node.status has them all.") if more > 0 else None
    count = sum(len(problem.nodes) for problem in problems)
    hint = f"{count_nodes(count)}, by reason, in the words of their agents."
    return part("problems", "Needs attention", element("ul", *items, class_="problems"), rest, hint=hint)


def notes_section(notes: Sequence[str]) -> Html:
    """Return the sentences on the config."""
    return part("notes", "Worth knowing", element("ul", *(element("li", note) for note in notes[:_MAX_PROBLEMS])))


def timeline_section(timeline: Timeline, waves: Sequence[str], rules: StyleRules) -> Html:
    """Return the timeline as bars, a row for each wave, and as a table."""
    by_wave: dict[str, list[Step]] = {wave: [] for wave in waves}
    for step in timeline.steps:
        by_wave.setdefault(step.wave or (waves[0] if waves else ""), []).append(step)
    rows = [
        part_of_row
        for wave, steps in by_wave.items()
        for part_of_row in (
            element("span", wave, class_="row"),
            element("div", *(_bar(timeline, step, rules) for step in steps), class_="track"),
        )
    ]
    ticks = (
        element(
            "span", tick.label, class_=f"{rules.class_of(f'left:{tick.position:.2%}')}{' odd' if number % 2 else ''}"
        )
        for number, tick in enumerate(timeline.ticks)
    )
    drawn = [activity for activity in _ACTIVITY_TEXTS if any(step.activity == activity for step in timeline.steps[1:])]
    keys = (element("li", element("b", class_=activity), _ACTIVITY_TEXTS[activity]) for activity in drawn)
    figure = element(
        "div", *rows, element("span"), element("div", *ticks, class_="scale"), class_="gantt", aria_hidden="true"
    )
    one_day = timeline.start.date() == timeline.end.date()
    runners = ["", *(step.runner for step in timeline.steps)]
    table_rows = (
        element(
            "tr",
            element("td", _clock(step.start, one_day=one_day)),
            element("td", "" if step.seconds is None else describe_duration(step.seconds)),
            element(
                "th",
                _step_title(step),
                element("p", step.reason) if step.reason else None,
                element("p", f"moved by {step.runner}") if step.runner not in ("", before) else None,
                scope="row",
            ),
        )
        for step, before in zip(timeline.steps, runners)
    )
    full = table(("From", "For", "Phase"), table_rows, caption="The phases of the rollout", classes="phases")
    hint = f"Times are UTC{f', of {timeline.start:%Y-%m-%d}' if one_day else ''}."
    return part("timeline", "Timeline", figure, element("ul", *keys, class_="keys"), full, hint=hint)


def _step_title(step: Step) -> str:
    return (
        f"{step.phase} ({step.wave})" if step.activity in ("soaking", "paused", "halted") and step.wave else step.phase
    )


def _bar(timeline: Timeline, step: Step, rules: StyleRules) -> Html:
    left, right = timeline.position(step.start), timeline.position(step.end or step.start)
    place = rules.class_of(f"left:min({left:.2%},100% - 6px);width:{right - left:.2%}")
    length = "" if step.seconds is None else f" for {describe_duration(step.seconds)}"
    return element("b", class_=f"{step.activity} {place}", title=f"{_step_title(step)}{length}")


def changes_section(report: PoolReport) -> Html:
    """Return the fields that the rollout changes, by groups of nodes."""
    groups = [_group(group, alone=len(report.changes) == 1) for group in report.changes]
    note = element("p", report.changes_note) if report.changes_note else None
    if not groups and note is None:
        note = element("p", "It changes no field of what the nodes used before.")
    hint = "Effective configs before and after, defaults included, without secrets."
    return part("changes", "Changes", *groups, note, hint=hint if groups else "")


def _group(group: ChangeGroup, *, alone: bool) -> Html:
    size = count_nodes(len(group.nodes))
    where = element("div", element("span", f"On {size}"), names(group.nodes), class_="where") if group.nodes else None
    if group.fields is None:
        return element("div", where, element("p", "What these nodes used before is not published."), class_="group")
    rows = (_field_row(row) for row in group.fields)
    caption = "Changes" if alone else f"Changes on {size}"
    return element(
        "div",
        where,
        table(("Component", "Field", "Before", "After", "Asks for"), rows, caption=caption, classes="cards"),
        element("p", f"All in all: {group.summary}.", class_="muted") if group.summary else None,
        class_="group",
    )


def _field_row(row: FieldRow) -> Html:
    return element(
        "tr",
        element("td", row.component),
        element("th", row.path, scope="row", class_="mono"),
        element("td", _value(row.before, "before"), data_label="Before"),
        element("td", _value(row.after, "after"), data_label="After"),
        element("td", element("span", row.disruption, class_="tag")),
    )


def _value(text: str | None, side: str) -> Html:
    if text is None:
        return element("span", "unset", class_="unset")
    return element("code", text, class_=side)


def left_out_section(report: PoolReport, lane: Lane) -> Html:
    """Return the nodes that the rollout leaves out, by reason."""
    items = (
        element("li", element("div", names(nodes), class_="where"), element("p", reason, class_="words"))
        for reason, nodes in left_out(report, lane)
    )
    hint = f"{count_nodes(len(lane.nodes))} of the pool that this rollout does not move."
    return part("left-out", "Left out", element("ul", *items, class_="problems"), hint=hint)


def history_section(record: Record) -> Html:
    """Return the revisions, the newest first, and the configs that are refused or were cleared."""
    current = record.rollout.revision if record.rollout is not None else None
    unfinished = {record.rollout.revision: record.rollout.phase} if record.rollout is not None else {}
    rows = (
        element(
            "tr",
            element(
                "th",
                f"{revision.number}",
                Html(" ") if revision.number == current else None,
                element("span", "current", class_="tag") if revision.number == current else None,
                scope="row",
            ),
            element("td", revision.name, class_="mono"),
            element("td", time_text(revision.time), data_label="Published"),
            element("td", revision.author, data_label="By"),
            element("td", revision.cause, data_label="Why"),
            element("td", revision.result or unfinished.get(revision.number, "not rolled out"), data_label="Result"),
        )
        for revision in reversed(record.revisions)
    )
    heads = ("Revision", "Bundle", "Published", "By", "Why", "Result")
    content: list[Html] = [table(heads, rows, caption="Revisions of the pool", classes="cards")]
    if record.bad_configs:
        refused = (
            element("li", element("b", bad.name, class_="mono"), ": ", time_text(bad.time), ": ", bad.reason)
            for bad in record.bad_configs
        )
        content += [element("h3", "Refused in this pool"), element("ul", *refused)]
    if record.cleared_configs:
        cleared = (
            element("li", element("b", item.name, class_="mono"), f": cleared by {item.author}: {item.reason}")
            for item in record.cleared_configs
        )
        content += [element("h3", "Cleared by an operator"), element("ul", *cleared)]
    return part("history", "History", *content)
