# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The node's status on one screen for people: what is, why, what comes next. Private to configok.node.

Pure: takes what describe() returns. In usual cases at most 24 lines of at most 80 characters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ._status_advice import count_of, what_comes_next, what_to_do

__all__ = ["render"]

_WIDTH = 80
_INDENT = 17
_MOST_LINES = 3  # for one text; --json and the journal have all of it
_MOST_OF_A_KIND = 2  # bad configs, damaged files, shadowed fields


def render(found: Mapping[str, Any]) -> str:
    """Return the description as lines."""
    lines = _row("node", found["nodeName"])
    lines += _row("agent", _agent(found))
    report = found["daemon"]["report"]
    if report is not None:
        lines += _condition(report, running=found["daemon"]["running"])
        lines += _row("API", _api(report))
    using, good, assignment = found["using"], found["lastKnownGood"], found["assignment"]
    went_back = assignment["outcome"] is not None and not found["inTrial"]  # or stayed on what was good before
    lines += _source("uses", f"{'last-known-good' if went_back else using['record']}: ", using)
    if found["inTrial"]:
        lines += _row("trial", _trial(found))
    if good is None and found["current"] is None and not using["left"]:
        lines += _row("last-known-good", "the local config")
    elif good is None:
        lines += _row("last-known-good", "none on record: the local config takes its place")
    elif good["source"] == using["source"]:
        lines += _row("last-known-good", "the same")
    else:
        lines += _source("last-known-good", "", good)
    lines += _assigned(assignment, using)
    for name, component in found["components"].items():
        lines += _component(name, component)
    newest = sorted(found["badConfigs"].items(), key=lambda one: one[1]["time"], reverse=True)
    lines += _some("bad config", [f"{uid} {mark['time']} {mark['reason']}" for uid, mark in newest])
    lines += _some("damaged", [f"{name} was damaged and set aside" for name in found["damaged"]])
    lines += _some("fault", found["faults"])
    lines += _row("next", what_comes_next(found))
    for advice in what_to_do(found):
        for index, part in enumerate(advice.split("\n")):
            lines += _row("" if index else "you can", part)
    return "\n".join(lines)


def _agent(found: Mapping[str, Any]) -> str:
    if not found["dynamicConfig"]:
        return f"{found['agentVersion']}, dynamic configuration is turned off on this node"
    if not found["daemon"]["running"]:
        return f"{found['agentVersion']}, the daemon does not run"
    report = found["daemon"]["report"]
    if report is None:
        return f"{found['agentVersion']}, running"
    return f"{report['agentVersion']}, running since {report['startedAt']} (pid {report['pid']})"


def _condition(report: Mapping[str, Any], *, running: bool) -> list[str]:
    said = report["configOK"]
    if said is None:
        return _row("ConfigOK", "nothing said yet by this agent: the API has not told it what is assigned")
    when = "" if running else " (as the daemon said last)"
    return _row("ConfigOK", f"{said['status']}{when}: {said['message']}") + _row("", said["reason"])


def _api(report: Mapping[str, Any]) -> str:
    if report["configOK"] is None:
        return f"no answer: {report['apiTrouble']}" if report["apiTrouble"] else "no answer yet"
    stands = "what ConfigOK says stands on the Node" if report["written"] else "what ConfigOK says is not written yet"
    if report["writtenAt"]:
        stands += f", last written {report['writtenAt']}"
    return f"no answer: {report['apiTrouble']}; {stands}" if report["apiTrouble"] else f"answers; {stands}"


def _trial(found: Mapping[str, Any]) -> str:
    using = found["using"]
    crashes = max((component["crashes"] for component in found["components"].values()), default=0)
    healthy, duration = using["healthySeconds"], using["trialDuration"]
    allowed = using["crashLoopThreshold"]
    # The daemon writes down what it has seen once a minute.
    return f"healthy for at least {healthy:.0f} of {duration:.0f} s, {count_of(crashes)} ({allowed} allowed)"


def _assigned(assignment: Mapping[str, Any], using: Mapping[str, Any]) -> list[str]:
    if not assignment["id"]:
        return _row("assigned", "nothing yet")
    number = f"assignment {assignment['id']}"
    if assignment["source"] == using["source"]:
        lines = _row("assigned", f"the same as it uses, {number}")
    else:
        lines = _source("assigned", "", assignment, number)
    outcome = assignment["outcome"]
    if outcome is not None:
        lines += _row("", f"failed ({outcome['kind']}): {outcome['text']}")
    return lines


def _component(name: str, component: Mapping[str, Any]) -> list[str]:
    start = component["lastStart"]
    began = "no start on record"
    if start is not None:
        began = f"started {start['time']}" + (", crashed" if start["crashed"] else "")
    lines = _row(name, f"{component['version']}, {began}, {count_of(component['crashes'])} since the adoption")
    lines += _some("", [f"not from the config: {field}" for field in component["shadowed"]])
    if component["drift"]:
        lines += _row("", f"{component['drift']} has changed since it became the init config")
    return lines


def _source(label: str, before: str, what: Mapping[str, Any], after: str = "") -> list[str]:
    if what["source"] is None:
        return _row(label, f"{before}the local config" + (f", {after}" if after else ""))
    reference = what["source"]["configMap"]
    adopted = what.get("adoptedAt")
    more = [f"UID: {reference['uid']}", *([after] if after else []), *([adopted] if adopted else [])]
    return _row(label, f"{before}{reference['name']}") + _row("", ", ".join(more))


def _some(label: str, texts: Sequence[str]) -> list[str]:
    """Return the first few, and how many more there are."""
    lines: list[str] = []
    for text in texts[:_MOST_OF_A_KIND]:
        lines += _row("" if lines else label, text)
    if len(texts) > _MOST_OF_A_KIND:
        lines += _row("", f"and {len(texts) - _MOST_OF_A_KIND} more")
    return lines


def _row(label: str, text: str) -> list[str]:
    """Return a text as lines behind a label, cut where it is long."""
    lines = [""]
    room = _WIDTH - _INDENT
    for word in text.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > room:
            lines.append("")
        while len(word) > room:
            lines[-1], word = word[:room], word[room:]
            lines.append("")
        lines[-1] += f" {word}" if lines[-1] else word
    if len(lines) > _MOST_LINES:
        lines = [*lines[: _MOST_LINES - 1], lines[_MOST_LINES - 1][: room - 4] + " ..."]
    return [f"{label if index == 0 else '':<{_INDENT}}{line}".rstrip() for index, line in enumerate(lines)]
