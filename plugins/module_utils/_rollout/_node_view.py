# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a rollout knows of one Node: a small, immutable picture of it. Private to configok.node."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .._nodeconfig._assignment import Assignment, ConfigSource, InvalidAssignment, InvalidConfigSource
from .._nodeconfig._config_status import Cause, ConfigStatus, parse_status, read_condition
from .._nodeconfig._untrusted import sanitize
from .._nodeconfig._well_known import (
    ANNOTATION_ASSIGNMENT,
    ANNOTATION_CONFIG_SOURCE,
    ANNOTATION_CONFIG_STATUS,
    CONDITION_CONFIG_OK,
)

__all__ = [
    "COVER_FIELDS",
    "NodeView",
    "describe_drift",
    "parse_assignment_id",
    "parse_source",
    "node_view",
    "reduce_node",
]

_INSTANCE_TYPE = ("node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type")
_LONGEST_WORDS = 1024  # characters: an agent says 512 at most
_ZONE = ("topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone")

# What of a Node a view is made of: the rest of it (images, volumes, managed fields) is most of its size.
_METADATA = ("name", "uid", "resourceVersion", "labels", "deletionTimestamp")
_ANNOTATIONS = (ANNOTATION_ASSIGNMENT, ANNOTATION_CONFIG_SOURCE, ANNOTATION_CONFIG_STATUS)
_CONDITIONS = ("Ready", CONDITION_CONFIG_OK)

# The names that a policy's canary.cover may use beside the keys of labels.
COVER_FIELDS = ("kubeletVersion", "osImage", "instanceType", "zone", "architecture")


@dataclass(frozen=True)
class NodeView:
    """A Node as one read saw it.

    ready: True, False, None where the condition says Unknown or is missing. given: the id of the assignment annotation,
    0 for none. config_ok: "True", "False", "Unknown", "" for a Node without the condition. status_error: why the
    annotation with the status cannot be read, "" where it can.
    """

    name: str
    uid: str
    resource_version: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    kubelet_version: str = ""
    os_image: str = ""
    architecture: str = ""
    ready: bool | None = None
    ready_reason: str = ""
    deleting: bool = False
    source: ConfigSource | None = None
    source_error: str = ""
    assigned_id: int = 0
    config_ok: str = ""
    reason: str = ""
    message: str = ""
    status: ConfigStatus | None = None
    status_error: str = ""

    @property
    def has_agent(self) -> bool:
        """Return whether an agent has ever said something here."""
        return bool(self.config_ok) and self.status is not None

    @property
    def instance_type(self) -> str:
        """Return the instance type of the Node's labels, "" for none."""
        return _first(self.labels, _INSTANCE_TYPE)

    @property
    def zone(self) -> str:
        """Return the zone of the Node's labels, "" for none."""
        return _first(self.labels, _ZONE)

    @property
    def answered_id(self) -> int:
        """Return the id of the assignment that the agent's last status answers, 0 for none."""
        return 0 if self.status is None else self.status.assignment

    @property
    def active(self) -> ConfigSource | None:
        """Return the config source that the node says it uses, None for the init config."""
        return None if self.status is None else self.status.active

    @property
    def report(self) -> str:
        """Return what the agent says, in its own words: effect and cause."""
        if self.status_error:
            return f"its annotation {ANNOTATION_CONFIG_STATUS} cannot be read: {self.status_error}"
        if not self.config_ok:
            return "no ConfigOK condition"
        return f"ConfigOK is {self.config_ok}: {self.message}: {self.reason}" if self.message else self.reason

    def attribute(self, name: str) -> str:
        """Return what a canary's cover calls name: one of COVER_FIELDS, or the value of a label."""
        if name == "kubeletVersion":
            return self.kubelet_version
        if name == "osImage":
            return self.os_image
        if name == "instanceType":
            return self.instance_type
        if name == "zone":
            return self.zone
        if name == "architecture":
            return self.architecture
        return self.labels.get(name, "")

    def is_assigned(self, source: ConfigSource | None) -> bool:
        """Return whether the Node is assigned source (None: the init config), and need not be told so again.

        An annotation that was lost assigns nothing: the node goes on with what it uses, and says so.
        """
        # An id below what the node has answered means that the annotations were lost: they are written anew.
        if self.source_error or self.source != source or self.assigned_id < self.answered_id:
            return False
        if source is not None or self.status is None or self.assigned_id > self.answered_id:
            return True
        # A node that takes an absent annotation for a lost one has to be told that it is meant so, under a new id. That
        # it still uses a bundle tells as much, where something more urgent is the cause that it names.
        return self.active is None and self.status.cause != Cause.ASSIGNMENT_LOST

    def has_answered(self, source: ConfigSource | None) -> bool:
        """Return whether the Node is assigned source (None: the init config) and has said something to that."""
        return (
            self.status is not None
            and not self.source_error
            and self.source == source
            and self.answered_id == self.assigned_id
        )

    def is_on(self, source: ConfigSource | None) -> bool:
        """Return whether the Node is assigned source (None: the init config) and says that it uses it and is fine."""
        return self.has_answered(source) and self.config_ok == "True" and self.active == source


def describe_drift(view: NodeView, source: ConfigSource | None) -> str:
    """Return how a node that had passed on source has drifted: it is assigned something else; "" where it has not."""
    if view.source == source and not view.source_error:
        return ""
    if view.source_error:
        return f"it had passed, then somebody assigned it something that cannot be read (assignment {view.assigned_id})"
    if not view.assigned_id:
        return "it had passed, and is assigned nothing now: its Node was registered again, or somebody removed that"
    name = sanitize(view.source.name) if view.source else "the init config"
    return f"it had passed, then somebody else assigned it {name} (assignment {view.assigned_id})"


def _first(labels: Mapping[str, str], keys: tuple[str, ...]) -> str:
    return next((labels[key] for key in keys if labels.get(key)), "")


def parse_source(annotations: Mapping[str, str]) -> tuple[ConfigSource | None, str]:
    """Return the config source of a Node's annotations (None: the init config), and what is wrong with it or ""."""
    text = annotations.get(ANNOTATION_CONFIG_SOURCE)
    if text is None:
        return None, ""
    try:
        return ConfigSource.parse(text), ""
    except InvalidConfigSource as error:
        return None, str(error)


def parse_assignment_id(annotations: Mapping[str, str], answered_id: int) -> int:
    """Return the id of a Node's assignment annotation, 0 where there is none that a node accepts.

    answered: the id that the node's status answers.
    """
    try:
        return Assignment.parse(annotations[ANNOTATION_ASSIGNMENT], answered=answered_id).id
    except (KeyError, InvalidAssignment):
        return 0


def reduce_node(node: Mapping[str, Any]) -> dict[str, Any]:
    """Return a Node object with only what node_view reads, so that thousands can be kept."""
    metadata = node.get("metadata") or {}
    annotations = metadata.get("annotations") or {}
    status = node.get("status") or {}
    return {
        "metadata": {
            **{key: metadata[key] for key in _METADATA if key in metadata},
            "annotations": {key: annotations[key] for key in _ANNOTATIONS if key in annotations},
        },
        "status": {
            "nodeInfo": status.get("nodeInfo"),
            "conditions": [one for one in status.get("conditions") or () if one.get("type") in _CONDITIONS],
        },
    }


def node_view(node: Mapping[str, Any]) -> NodeView:
    """Return the view of a Node object, whole or metadata only (then without conditions and versions)."""
    metadata = node.get("metadata") or {}
    annotations = metadata.get("annotations") or {}
    status = node.get("status") or {}
    info = status.get("nodeInfo") or {}
    condition = read_condition(node) or {}
    source, source_error = parse_source(annotations)
    config_status, status_error = parse_status(node)
    ready: bool | None = None
    ready_reason = "no Ready condition"
    for one in status.get("conditions") or ():
        if one.get("type") == "Ready":
            ready = {"True": True, "False": False}.get(one.get("status", ""))
            ready_reason = sanitize(one.get("message") or one.get("reason") or "", _LONGEST_WORDS)
    return NodeView(
        name=str(metadata.get("name", "")),
        uid=str(metadata.get("uid", "")),
        resource_version=str(metadata.get("resourceVersion", "")),
        labels=dict(metadata.get("labels") or {}),
        kubelet_version=sanitize(info.get("kubeletVersion", ""), _LONGEST_WORDS),
        os_image=sanitize(info.get("osImage", ""), _LONGEST_WORDS),
        architecture=sanitize(info.get("architecture", ""), _LONGEST_WORDS),
        ready=ready,
        ready_reason=ready_reason,
        deleting=bool(metadata.get("deletionTimestamp")),
        source=source,
        source_error=source_error,
        assigned_id=parse_assignment_id(annotations, config_status.assignment if config_status else 0),
        config_ok=sanitize(condition.get("status", ""), _LONGEST_WORDS),
        reason=sanitize(condition.get("reason", ""), _LONGEST_WORDS),
        message=sanitize(condition.get("message", ""), _LONGEST_WORDS),
        status=config_status,
        status_error=sanitize(status_error, _LONGEST_WORDS),
    )
