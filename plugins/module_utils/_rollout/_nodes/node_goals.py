# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare a Node with its goal: what is missing, and whether it has drifted. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from ..._foreign import load_json
from ..._text import sanitize
from ..goals import Goal, MachineGoal
from .node_view import NodeView
from .reported_versions import is_version, without_v


def has_reached(view: NodeView | None, goal: Goal) -> bool:
    """Return whether a node has reached its goal: it uses the config, and is what its Machine declares.

    view: None for a Node that does not exist, which is the goal of a machine to delete.
    """
    if goal.is_deletion:
        return view is None
    return view is not None and view.is_on(goal.source) and not unmet(view, goal)


def unmet(view: NodeView, goal: Goal) -> str:
    """Return what a Node lacks of what its Machine declares, in a sentence; "" for nothing, or without a Machine."""
    if not isinstance(goal, MachineGoal):
        return ""
    return "; ".join([*_unmet_versions(view, goal), *_unmet_metadata(view, goal)])


def unmet_versions(view: NodeView, goal: Goal) -> str:
    """Return which of the declared versions a Node does not report, "" when it reports them."""
    return "; ".join(_unmet_versions(view, goal)) if isinstance(goal, MachineGoal) else ""


def _unmet_versions(view: NodeView, goal: MachineGoal) -> Iterator[str]:
    applied = installed_versions(view)
    kubelet, runtime = view.system.kubelet_version, view.system.runtime
    if not is_version(goal.kubelet_version, kubelet, applied.kubelet_version):
        yield f"it reports kubelet {without_v(kubelet) or 'of no version'}, not {goal.kubelet_version}"
    name, version = goal.runtime
    installed = applied.runtime[1] if applied.runtime[0] == name else ""
    if name and (runtime[0] != name or not is_version(version, runtime[1], installed)):
        yield f"it reports {' '.join(runtime).strip() or 'no runtime'}, not {' '.join(goal.runtime).strip()}"


def _unmet_metadata(view: NodeView, goal: MachineGoal) -> Iterator[str]:
    for key, text in sorted(goal.labels.items()):
        if text is None and key in view.labels:
            yield f"it has the label {key}"
        elif text is not None and view.labels.get(key) != text:
            yield f"it does not have the label {key}={text}"
    for taint in goal.taints:
        if taint not in view.taints:
            yield f"it does not have the taint {_taint_text(taint)}"
    for taint in taints_to_remove(view, goal):
        yield f"it has the taint {_taint_text(taint)}"
    if goal.action == "replace" and not _is_same_annotation(view.machine, goal.annotation):
        yield "it is not replaced yet"
    # Not all that a provider writes to a host shows in its Node: the annotation says that it has.
    is_changed_in_place = goal.action == "update" and goal.needs_host and bool(goal.annotation)
    if is_changed_in_place and not _is_same_annotation(view.machine, goal.annotation):
        yield "its host is not changed yet"


def taints_to_remove(view: NodeView, goal: MachineGoal) -> tuple[tuple[str, str, str], ...]:
    """Return the taints of a Node that it must not have. untaint names them by key, or by key:effect."""
    return tuple(
        taint
        for taint in view.taints
        if taint not in goal.taints and (taint[0] in goal.untaint or f"{taint[0]}:{taint[2]}" in goal.untaint)
    )


class InstalledVersions(NamedTuple):
    """The versions that a run has installed on the host of a machine; "" and ("", "") for those that it has not."""

    kubelet_version: str = ""
    runtime: tuple[str, str] = ("", "")


def installed_versions(view: NodeView) -> InstalledVersions:
    """Return the versions in the annotation of a Node, which have more parts than the Node reports."""
    annotation = _load(view.machine)
    name, _space, version = str(annotation.get("runtime") or "").partition(" ")
    return InstalledVersions(str(annotation.get("kubelet") or ""), (name, version))


def with_versions(annotation: str, versions: InstalledVersions) -> str:
    """Return the annotation of a machine that was taken back to these versions; "" for "".

    Its providerConfig was taken back too, so that the next run finds that it differs.
    """
    value = _load(annotation)
    if not value:
        return annotation
    texts = {"kubelet": versions.kubelet_version, "runtime": " ".join(versions.runtime).strip()}
    kept = {key: text for key, text in value.items() if key not in ("previous", *texts)}
    previous = value.get("previous")
    for name in ("providerHash", "clusterHash"):
        if isinstance(previous, dict) and previous.get(name):
            kept[name] = previous[name]
    return json.dumps({**kept, **{key: text for key, text in texts.items() if text}}, separators=(",", ":"))


def describe_drift(view: NodeView, goal: Goal) -> str:
    """Return how a node that had passed has drifted from its goal, "" for no drift."""
    if view.assigned.source != goal.source or view.assigned.error:
        return _config_drift(view)
    missing = unmet(view, goal)
    return f"it had passed, and was changed since: {missing}" if missing else ""


def _config_drift(view: NodeView) -> str:
    if view.assigned.error:
        return f"it had passed, then another client assigned it something unreadable (assignment {view.assigned.id})"
    if not view.assigned.id:
        return "it had passed, and is assigned nothing now: its Node was registered again, or the assignment removed"
    name = sanitize(view.assigned.source.name) if view.assigned.source else "the init config"
    return f"it had passed, then another client assigned it {name} (assignment {view.assigned.id})"


def _taint_text(taint: tuple[str, str, str]) -> str:
    key, value, effect = taint
    return f"{key}={value}:{effect}" if value else f"{key}:{effect}"


def _is_same_annotation(present: str, declared: str) -> bool:
    """Return whether two annotations declare the same; what a rollback returns to does not count."""
    if present == declared:
        return True
    values = [{**_load(text), "previous": None} for text in (present, declared)]
    return bool(present) and values[0] == values[1]


def _load(annotation: str) -> dict[str, Any]:
    """Return an annotation as data, {} for one that no run has written."""
    try:
        value = load_json(annotation) if annotation else {}
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
