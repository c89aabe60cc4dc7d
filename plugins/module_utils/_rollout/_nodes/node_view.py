# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a rollout knows of one Node: a small, immutable view. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..._nodeconfig.assignment import Assignment, ConfigSource, InvalidAssignment, InvalidConfigSource
from ..._nodeconfig.config_status import Cause, ConfigStatus, parse_status, read_condition
from ..._nodeconfig.well_known import (
    ANNOTATION_ASSIGNMENT,
    ANNOTATION_CONFIG_SOURCE,
    ANNOTATION_CONFIG_STATUS,
    ANNOTATION_CORDONED_BY,
    ANNOTATION_MACHINE,
    CONDITION_CONFIG_OK,
)
from ..._text import sanitize
from .._gates.answers import GateAnswer

_INSTANCE_TYPE = ("node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type")
_MAX_TEXT = 1024  # characters: an agent writes 512 at most
_ZONE = ("topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone")

# The parts of a Node that a view needs: the others (images, volumes, managed fields) are most of its size.
_METADATA = ("name", "uid", "resourceVersion", "labels", "deletionTimestamp")
_ANNOTATIONS = (
    ANNOTATION_ASSIGNMENT,
    ANNOTATION_CONFIG_SOURCE,
    ANNOTATION_CONFIG_STATUS,
    ANNOTATION_CORDONED_BY,
    ANNOTATION_MACHINE,
)
_CONDITIONS = ("Ready", CONDITION_CONFIG_OK)
_LEAVING_TAINTS = (
    # What autoscalers put on a Node whose host they are about to remove. No node can set them itself (NodeRestriction).
    "ToBeDeletedByClusterAutoscaler",
    "DeletionCandidateOfClusterAutoscaler",
    "karpenter.sh/disrupted",
    "karpenter.sh/disruption",  # before Karpenter 1.0
)


class NodeSystem(NamedTuple):
    """What a Node says of its machine: versions, operating system and boot; "" for what it does not say.

    runtime: name and version of the container runtime, ("", "") if the Node does not say. boot_id: changes with each
    boot.
    """

    kubelet_version: str = ""
    os_image: str = ""
    architecture: str = ""
    runtime: tuple[str, str] = ("", "")
    boot_id: str = ""


class AssignedConfig(NamedTuple):
    """What a Node is assigned by its annotations.

    source: None for the init config. error: why the source cannot be read, "" for no error. id: of the assignment, 0
    for none. confirm_after: the seconds after which the agent is to confirm it, None if it need not.
    """

    source: ConfigSource | None = None
    error: str = ""
    id: int = 0
    confirm_after: float | None = None


class AgentAnswer(NamedTuple):
    """What the agent of a Node has reported: the condition ConfigOK, and its status.

    config_ok: "True", "False", "Unknown", "" for a Node without the condition. status_error: why the annotation with
    the status cannot be read, "" for no error.
    """

    config_ok: str = ""
    reason: str = ""
    message: str = ""
    status: ConfigStatus | None = None
    status_error: str = ""


@dataclass(frozen=True)
class NodeView:
    """The state of a Node at one time.

    ready: True, False, or None when the condition is Unknown or missing. unschedulable: whether it is cordoned.
    cordoned_by: the text of the annotation that marks a rollout's cordon, "" for none. gate_answers: of the policy's
    gates that look at the Node. taints: (key, value, effect). machine: the text of the annotation that a run for
    Machines writes, "" for none.
    """

    name: str
    uid: str
    resource_version: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    system: NodeSystem = NodeSystem()
    ready: bool | None = None
    ready_reason: str = ""
    deleting: bool = False
    assigned: AssignedConfig = AssignedConfig()
    answer: AgentAnswer = AgentAnswer()
    unschedulable: bool = False
    cordoned_by: str = ""
    gate_answers: tuple[GateAnswer, ...] = ()
    taints: tuple[tuple[str, str, str], ...] = ()
    machine: str = ""

    @property
    def has_agent(self) -> bool:
        """Return whether an agent has ever reported from this Node."""
        return bool(self.answer.config_ok) and self.answer.status is not None

    @property
    def leaving_taint(self) -> str:
        """Return the taint by which an autoscaler says that it removes the host, "" for none."""
        return next((key for key, _value, _effect in self.taints if key in _LEAVING_TAINTS), "")

    @property
    def leaving(self) -> str:
        """Return why the Node is on its way out, in a sentence, "" if it is not."""
        if self.deleting:
            return "it is being deleted"
        taint = self.leaving_taint
        return f"it is on its way out: an autoscaler has tainted it with {taint}" if taint else ""

    @property
    def is_down(self) -> bool:
        """Return whether the pool lacks the node: it is not Ready, and no autoscaler is removing it for good."""
        return self.ready is not True and not self.leaving_taint

    @property
    def zone(self) -> str:
        """Return the zone in the Node's labels, "" for none."""
        return _first_label(self.labels, _ZONE)

    @property
    def answered_id(self) -> int:
        """Return the id of the assignment that the agent's last status answers, 0 for none."""
        return 0 if self.answer.status is None else self.answer.status.assignment

    @property
    def confirmed_id(self) -> int:
        """Return the id of the assignment that the agent has confirmed, 0 for none."""
        return 0 if self.answer.status is None else self.answer.status.confirmed or 0

    @property
    def active(self) -> ConfigSource | None:
        """Return the config source that the node reports to use, None for the init config."""
        return None if self.answer.status is None else self.answer.status.active

    @property
    def cause(self) -> str:
        """Return the cause in the agent's status, "" without one."""
        return "" if self.answer.status is None else self.answer.status.cause

    @property
    def in_trial(self) -> bool:
        """Return whether the node reports that its config is in its trial."""
        return self.answer.status is not None and self.answer.status.in_trial

    @property
    def is_untrusting(self) -> bool:
        """Return whether the node refuses what it is assigned because no signer that it trusts vouches for it."""
        return self.answer.config_ok == "False" and self.cause == Cause.UNTRUSTED

    @property
    def is_in_doubt(self) -> bool:
        """Return whether the node itself doubts that a failure is the fault of what it is assigned."""
        return self.answer.config_ok != "True" and self.cause == Cause.SUSPECT

    @property
    def waits_for_host(self) -> bool:
        """Return whether the node does not adopt what it is assigned, because any restart would fail on its host."""
        return self.answer.config_ok == "Unknown" and self.cause == Cause.HOST_NOT_READY

    @property
    def is_settled(self) -> bool:
        """Return whether the node has adopted or refused what it is assigned, and does not move."""
        return self.has_answered(self.assigned.source) and self.answer.config_ok in ("True", "False")

    @property
    def report(self) -> str:
        """Return the agent's report on its config: effect and cause."""
        if self.answer.status_error:
            return f"its annotation {ANNOTATION_CONFIG_STATUS} cannot be read: {self.answer.status_error}"
        if not self.answer.config_ok:
            return "no ConfigOK condition"
        return (
            f"ConfigOK is {self.answer.config_ok}: {self.answer.message}: {self.answer.reason}"
            if self.answer.message
            else self.answer.reason
        )

    def attribute(self, name: str) -> str:
        """Return the value of an attribute that a canary covers: one of COVER_FIELDS, or a label."""
        read = _COVERED.get(name)
        return self.labels.get(name, "") if read is None else read(self)

    def is_assigned(self, source: ConfigSource | None) -> bool:
        """Return whether the Node is assigned source (None: the init config) and needs no new assignment.

        A lost annotation assigns nothing: the node keeps what it uses, and reports the loss.
        """
        # An id below the one that the node has answered means that the annotations were lost: they are written again.
        if self.assigned.error or self.assigned.source != source or self.assigned.id < self.answered_id:
            return False
        if source is not None or self.answer.status is None or self.assigned.id > self.answered_id:
            return True
        # A node that takes an absent annotation for a lost one needs a new id to know that the absence is meant. A node
        # that still uses a bundle does so too, even when it reports another, more urgent cause.
        return self.active is None and self.answer.status.cause != Cause.ASSIGNMENT_LOST

    def has_answered(self, source: ConfigSource | None) -> bool:
        """Return whether the Node is assigned source (None: the init config) and has answered that assignment."""
        return (
            self.answer.status is not None
            and not self.assigned.error
            and self.assigned.source == source
            and self.answered_id == self.assigned.id
        )

    def is_on(self, source: ConfigSource | None) -> bool:
        """Return whether the Node is assigned source (None: the init config), uses it, and reports ConfigOK True."""
        return self.has_answered(source) and self.answer.config_ok == "True" and self.active == source


def _first_label(labels: Mapping[str, str], keys: tuple[str, ...]) -> str:
    return next((labels[key] for key in keys if labels.get(key)), "")


_COVERED: Mapping[str, Callable[[NodeView], str]] = {
    "kubeletVersion": lambda view: view.system.kubelet_version,
    "osImage": lambda view: view.system.os_image,
    "instanceType": lambda view: _first_label(view.labels, _INSTANCE_TYPE),
    "zone": lambda view: view.zone,
    "architecture": lambda view: view.system.architecture,
}
COVER_FIELDS = tuple(_COVERED)
"""The names that a policy's canary.cover may use in addition to the keys of labels."""


def parse_source(annotations: Mapping[str, str]) -> tuple[ConfigSource | None, str]:
    """Return the config source in a Node's annotations (None: the init config), and its error or ""."""
    text = annotations.get(ANNOTATION_CONFIG_SOURCE)
    if text is None:
        return None, ""
    try:
        return ConfigSource.parse(text), ""
    except InvalidConfigSource as error:
        return None, str(error)


def parse_assignment(annotations: Mapping[str, str], answered_id: int) -> Assignment:
    """Return the assignment in a Node's annotations, with the id 0 without one that a node accepts.

    answered_id: the id that the node's status answers.
    """
    try:
        return Assignment.parse(annotations[ANNOTATION_ASSIGNMENT], answered=answered_id)
    except (KeyError, InvalidAssignment):
        return Assignment(0)


def reduce_node(node: Mapping[str, Any]) -> dict[str, Any]:
    """Return a Node object with only the parts that node_view reads, so that thousands fit into memory."""
    metadata = node.get("metadata") or {}
    annotations = metadata.get("annotations") or {}
    spec = node.get("spec") or {}
    status = node.get("status") or {}
    return {
        "metadata": {
            **{key: metadata[key] for key in _METADATA if key in metadata},
            "annotations": {key: annotations[key] for key in _ANNOTATIONS if key in annotations},
        },
        "spec": {
            **({"unschedulable": True} if spec.get("unschedulable") is True else {}),
            **({"taints": spec["taints"]} if spec.get("taints") else {}),
        },
        "status": {
            "nodeInfo": status.get("nodeInfo"),
            "conditions": [
                condition for condition in status.get("conditions") or () if condition.get("type") in _CONDITIONS
            ],
        },
    }


def node_view(node: Mapping[str, Any]) -> NodeView:
    """Return the view of a Node object, complete or metadata only (then without conditions and versions)."""
    metadata = node.get("metadata") or {}
    annotations = metadata.get("annotations") or {}
    status = node.get("status") or {}
    info = status.get("nodeInfo") or {}
    config_ok = read_condition(node) or {}
    source, source_error = parse_source(annotations)
    config_status, status_error = parse_status(node)
    assignment = parse_assignment(annotations, config_status.assignment if config_status else 0)
    ready: bool | None = None
    ready_reason = "no Ready condition"
    for condition in status.get("conditions") or ():
        if condition.get("type") == "Ready":
            ready = {"True": True, "False": False}.get(condition.get("status", ""))
            ready_reason = sanitize(condition.get("message") or condition.get("reason") or "", _MAX_TEXT)
    return NodeView(
        name=str(metadata.get("name", "")),
        uid=str(metadata.get("uid", "")),
        resource_version=str(metadata.get("resourceVersion", "")),
        labels=dict(metadata.get("labels") or {}),
        system=NodeSystem(
            kubelet_version=sanitize(info.get("kubeletVersion", ""), _MAX_TEXT),
            os_image=sanitize(info.get("osImage", ""), _MAX_TEXT),
            architecture=sanitize(info.get("architecture", ""), _MAX_TEXT),
            runtime=_parse_runtime(info.get("containerRuntimeVersion", "")),
            boot_id=sanitize(info.get("bootID", ""), _MAX_TEXT),
        ),
        ready=ready,
        ready_reason=ready_reason,
        deleting=bool(metadata.get("deletionTimestamp")),
        assigned=AssignedConfig(source, source_error, assignment.id, assignment.confirm_after),
        answer=AgentAnswer(
            config_ok=sanitize(config_ok.get("status", ""), _MAX_TEXT),
            reason=sanitize(config_ok.get("reason", ""), _MAX_TEXT),
            message=sanitize(config_ok.get("message", ""), _MAX_TEXT),
            status=config_status,
            status_error=sanitize(status_error, _MAX_TEXT),
        ),
        unschedulable=(node.get("spec") or {}).get("unschedulable") is True,
        cordoned_by=str(annotations.get(ANNOTATION_CORDONED_BY) or ""),
        taints=tuple(
            (str(taint.get("key") or ""), str(taint.get("value") or ""), str(taint.get("effect") or ""))
            for taint in (node.get("spec") or {}).get("taints") or ()
        ),
        machine=str(annotations.get(ANNOTATION_MACHINE) or ""),
    )


def _parse_runtime(text: Any) -> tuple[str, str]:
    """Return name and version of a container runtime: containerd://1.7.24 is ("containerd", "1.7.24")."""
    name, _separator, version = sanitize(text or "", _MAX_TEXT).partition("://")
    return name, version[1:] if version[:1] == "v" else version
