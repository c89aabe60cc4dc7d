# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The mark of a cordon: which pool's rollout has cordoned a Node. Pure.

A Node is cordoned and marked by one PATCH, so a cordon of a rollout is never without its mark. The mark names the pool:
only a rollout of that pool takes the cordon back.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from ..._foreign import load_json
from ..._nodeconfig.well_known import ANNOTATION_CORDONED_BY
from .._nodes.node_view import NodeView

FIELD_MANAGER: Final = "configok-rollout"  # the owner of spec.unschedulable in the managedFields of a Node
_MAX_LENGTH = 1024


@dataclass(frozen=True)
class CordonMark:
    """The value of the annotation.

    pool: whose rollout has cordoned the Node. time: when, RFC 3339. reboot_from: the boot id that the Node had, if it
    has to be rebooted before it is uncordoned; "" for no reboot. keep_cordon: the cordon is an operator's, and stays.
    """

    pool: str
    time: str = ""
    reboot_from: str = ""
    keep_cordon: bool = False

    def encode(self) -> str:
        """Return the annotation's text."""
        value: dict[str, Any] = {"pool": self.pool, "time": self.time}
        if self.reboot_from:
            value["rebootFrom"] = self.reboot_from
        if self.keep_cordon:
            value["keepCordon"] = True
        return json.dumps(value, separators=(",", ":"))

    @classmethod
    def parse(cls, text: str) -> CordonMark | None:
        """Read the annotation's text. Return None for one that no rollout has written."""
        if not text or len(text) > _MAX_LENGTH:
            return None
        try:
            value = load_json(text)
        except ValueError:
            return None
        pool = value.get("pool") if isinstance(value, dict) else None
        if not isinstance(pool, str) or not pool:
            return None
        reboot_from = str(value.get("rebootFrom") or "")
        return cls(pool, str(value.get("time") or ""), reboot_from, value.get("keepCordon") is True)


def marking_pool(view: NodeView) -> str:
    """Return the pool whose rollout has marked a Node as cordoned, "" for none."""
    mark = CordonMark.parse(view.cordoned_by)
    return "" if mark is None else mark.pool


def own_cordons(views: Iterable[NodeView], pool: str) -> tuple[str, ...]:
    """Return the Nodes with the mark of a pool, also of an earlier run that was killed; sorted by name."""
    return tuple(sorted(view.name for view in views if marking_pool(view) == pool))


def is_reboot_pending(view: NodeView, pool: str) -> bool:
    """Return whether a Node has the mark of a pool and has not been rebooted yet, as the mark demands.

    So a run that was killed after the node took its config, and before the reboot, is continued by the next one.
    """
    mark = CordonMark.parse(view.cordoned_by)
    return mark is not None and mark.pool == pool and bool(mark.reboot_from) and mark.reboot_from == view.system.boot_id


def cordon_patch(mark: CordonMark, *, resource_version: str) -> dict[str, Any]:
    """Return the merge patch that marks a Node, and cordons it unless the mark keeps an operator's cordon."""
    metadata = {"annotations": {ANNOTATION_CORDONED_BY: mark.encode()}, "resourceVersion": resource_version}
    return {"metadata": metadata} if mark.keep_cordon else {"metadata": metadata, "spec": {"unschedulable": True}}


def uncordon_patch(*, resource_version: str, keep_cordon: bool, keep_mark: bool = False) -> dict[str, Any]:
    """Return the merge patch that takes back a cordon and its mark.

    keep_cordon: the cordon is not the mark's. keep_mark: it says what is still to be done.
    """
    metadata: dict[str, Any] = {"resourceVersion": resource_version}
    if not keep_mark:
        metadata["annotations"] = {ANNOTATION_CORDONED_BY: None}
    return {"metadata": metadata} if keep_cordon else {"metadata": metadata, "spec": {"unschedulable": None}}


def is_cordoned_by_others(node: Mapping[str, Any]) -> bool:
    """Return whether the managed fields of a complete Node object say that its cordon is not a rollout's.

    This is so when an administrator has uncordoned a marked Node, and has cordoned it again for another purpose.
    """
    managers = set()
    for entry in (node.get("metadata") or {}).get("managedFields") or ():
        spec = (entry.get("fieldsV1") or {}).get("f:spec") or {}
        if "f:unschedulable" in spec:
            managers.add(entry.get("manager"))
    return bool(managers) and FIELD_MANAGER not in managers
