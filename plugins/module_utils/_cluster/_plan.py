# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The difference between the objects of a cluster and those we want: pure.

Private to configok.node: no compatibility is promised.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ._errors import ClusterRefused
from ._objects import (
    LABEL_MANAGED_BY,
    MANAGED_BY,
    Access,
    desired_objects,
    is_runner_binding,
    name_of,
    path_of,
    settled,
)

__all__ = ["Step", "plan_absent", "plan_present"]

_PARTS = ("aggregationRule", "rules", "roleRef", "subjects")


@dataclass(frozen=True)
class Step:
    """One change. action: create or recreate (body is the object), patch (body is a merge patch) or delete (no body).

    before, after: the parts of the object that we write, None where there is no object.
    """

    action: str
    item: Mapping[str, Any]
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None
    body: dict[str, Any] | None = None


def _is_ours(item: Mapping[str, Any]) -> bool:
    return (item["metadata"].get("labels") or {}).get(LABEL_MANAGED_BY) == MANAGED_BY


def _going(item: Mapping[str, Any]) -> bool:
    return bool(item["metadata"].get("deletionTimestamp"))


def _written(item: Mapping[str, Any]) -> dict[str, Any]:
    """The parts of an object that we write, in a form that compares."""
    labels = item["metadata"].get("labels") or {}
    parts = {part: item[part] for part in _PARTS if item.get(part)}
    return {"labels": {LABEL_MANAGED_BY: labels.get(LABEL_MANAGED_BY)}, **parts}


def plan_present(
    access: Access,
    possible: Sequence[Mapping[str, Any]],
    found: Mapping[str, Mapping[str, Any] | None],
) -> list[Step]:
    """Return what makes the cluster hold the objects of this access, and none of the possible ones beside them.

    found: API path -> the object there, or None. A namespace that somebody else made is used as it is, and none is
    deleted. Raises ClusterRefused.
    """
    steps = []
    desired = desired_objects(settled(access, found))
    for item in desired:
        present = found[path_of(item)]
        if present is None:
            steps.append(Step("create", item, None, _written(item), dict(item)))
            continue
        if item["kind"] == "Namespace":
            if _going(present):
                raise ClusterRefused(f"{name_of(item)} is being deleted: run this again when it is gone")
            continue
        if access.runner_subjects is None and is_runner_binding(item):
            item = {**item, "subjects": present.get("subjects") or item["subjects"]}
        before, after = _written(present), _written(item)
        if before.get("roleRef") != after.get("roleRef"):
            if not _is_ours(present):
                raise ClusterRefused(
                    f"{name_of(item)} is not ours and binds {_role_of(present)}, not {_role_of(item)}: "
                    "delete or rename it, then run this again"
                )
            steps.append(Step("recreate", present, before, after, dict(item)))  # a roleRef cannot be changed
        elif before != after:
            body: dict[str, Any] = {
                "metadata": {"labels": after["labels"], "resourceVersion": present["metadata"]["resourceVersion"]},
                **{part: after.get(part) for part in _PARTS if before.get(part) != after.get(part)},
            }
            steps.append(Step("patch", item, before, after, body))
    wanted = {path_of(item) for item in desired}
    return steps + _deletions([item for item in possible if _may_go(item, access, wanted)], found)


def _may_go(item: Mapping[str, Any], access: Access, wanted: Collection[str]) -> bool:
    """Return whether this access has no place for a possible object."""
    kept = access.runner_subjects is None and is_runner_binding(item)
    return path_of(item) not in wanted and item["kind"] != "Namespace" and not kept


def _role_of(binding: Mapping[str, Any]) -> str:
    reference = binding["roleRef"]
    return f"{reference['kind']} {reference['name']}"


def plan_absent(possible: Sequence[Mapping[str, Any]], found: Mapping[str, Mapping[str, Any] | None]) -> list[Step]:
    """Return what removes all that plan_present makes; what is in a namespace of ours goes with it."""
    gone = {
        item["metadata"]["name"]
        for item in possible
        if item["kind"] == "Namespace" and (present := found[path_of(item)]) is not None and _is_ours(present)
    }
    return _deletions([item for item in possible if item["metadata"].get("namespace") not in gone], found)


def _deletions(items: Sequence[Mapping[str, Any]], found: Mapping[str, Mapping[str, Any] | None]) -> list[Step]:
    """Delete what is there and carries our label: bindings before roles, namespaces last."""
    steps = []
    for item in reversed(items):
        present = found[path_of(item)]
        if present is not None and _is_ours(present) and not _going(present):
            steps.append(Step("delete", present, _written(present), None))
    return steps
