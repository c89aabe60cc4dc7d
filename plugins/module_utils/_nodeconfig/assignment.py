# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The config source and the assignment: the annotations that ask a node for a bundle."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Callable, NamedTuple, TypeVar

from .._foreign import InvalidText, load_json
from .strict_mapping import boolean, integer, unknown_fields
from .well_known import ANNOTATION_ASSIGNMENT, ANNOTATION_CONFIG_SOURCE

# A uid names a file on the node, so only the form that Kubernetes gives uids is accepted.
UID_PATTERN = re.compile(r"[0-9a-f-]{36}\Z")
_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\Z")
_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?\Z")
_PARTS = ("namespace", "name", "uid")
_Value = TypeVar("_Value")


class InvalidConfigSource(InvalidText):
    """A config source that is not a NodeConfigSource; the message is the cause that ConfigOK shows."""


def _invalid(problem: str) -> InvalidConfigSource:
    return InvalidConfigSource(f"invalid NodeConfigSource, {problem}")


class ConfigSource(NamedTuple):
    """A bundle, pinned: the namespace, name and uid of its ConfigMap."""

    namespace: str
    name: str
    uid: str

    @classmethod
    def from_dict(cls, value: Any) -> ConfigSource:
        """Read a decoded NodeConfigSource, ``{"configMap": {"namespace", "name", "uid"}}``.

        Raises InvalidConfigSource. The rules are those that Kubernetes had for Node.spec.configSource, but the uid is
        required, so that an assigned bundle is pinned.
        """
        if not isinstance(value, dict):
            raise _invalid("it must be a JSON object")
        subfields = sorted(key for key, part in value.items() if part is not None)
        if not subfields:
            raise _invalid("exactly one subfield must be non-nil, but all were nil")
        if len(subfields) > 1:
            raise _invalid(
                f"exactly one subfield must be non-nil, but {len(subfields)} were: {', '.join(subfields)[:200]}"
            )
        if subfields != ["configMap"]:
            raise _invalid(f"unknown subfield {subfields[0][:100]!r}, only configMap is known")
        reference = value["configMap"]
        if not isinstance(reference, dict):
            raise _invalid("configMap must be a JSON object")
        for part in _PARTS:
            if not isinstance(reference.get(part), str) or not reference[part]:
                raise _invalid(f"configMap.{part} must be set")
        unknown = unknown_fields(reference, _PARTS)
        if unknown:
            raise _invalid(f"unknown field configMap.{unknown[0][:100]}")
        if not _LABEL.match(reference["namespace"]):
            raise _invalid("configMap.namespace must be a DNS label")
        if not _SUBDOMAIN.match(reference["name"]):
            raise _invalid("configMap.name must be a DNS subdomain")
        if not UID_PATTERN.match(reference["uid"]):
            raise _invalid("configMap.uid must be 36 hexadecimal digits and hyphens")
        return cls(reference["namespace"], reference["name"], reference["uid"])

    @classmethod
    def parse(cls, text: str) -> ConfigSource:
        """Read the annotation's bare JSON. Raises InvalidConfigSource."""
        try:
            value = load_json(text)
        except ValueError as error:
            raise _invalid(f"it is not JSON: {str(error)[:200]}") from error
        return cls.from_dict(value)

    def to_dict(self) -> dict[str, Any]:
        """Return the NodeConfigSource as it is stored and reported."""
        return {"configMap": {"namespace": self.namespace, "name": self.name, "uid": self.uid}}

    def encode(self) -> str:
        """Return the annotation's value: the same source always gives the same text."""
        return json.dumps(self.to_dict(), separators=(",", ":"))


MAX_ID = 2**53 - 1  # the highest id that can be chosen freely: every JSON reader keeps it exactly
LAST_ID = 2**63 - 1  # the highest id at all
_LONGEST_SOAK = 30 * 24 * 3600  # seconds; the longest duration that a pool file can set
_HEADROOM = 2**20  # how far above the answered id the next one may be, if it is beyond MAX_ID


class InvalidAssignment(InvalidText):
    """An assignment annotation that cannot be read; the message is the cause that ConfigOK shows."""


class Assignment(NamedTuple):
    """One act of assigning: an id that only grows on a Node, and what goes with it.

    forget_bad: whether the node forgets a bad mark. confirm_after: for how many seconds the config must have been good
    before the agent confirms the assignment; None if no client waits for that.
    """

    id: int
    forget_bad: bool = False
    confirm_after: float | None = None

    @classmethod
    def parse(cls, text: str, *, answered: int = 0) -> Assignment:
        """Read the annotation: ``7`` or ``{"id": 7, "forgetBad": true, "confirmAfter": 120}``.

        Raises InvalidAssignment.

        answered: the highest id that the node has answered, which bounds the next one.
        """
        try:
            value: Any = load_json(text)
        except ValueError as error:
            raise InvalidAssignment(f"invalid assignment, it is not JSON: {str(error)[:200]}") from error
        fields: dict[str, Any] = value if isinstance(value, dict) else {"id": value}
        unknown = unknown_fields(fields, ("id", "forgetBad", "confirmAfter"))
        if unknown:
            raise InvalidAssignment(f"invalid assignment, unknown field {unknown[0][:100]!r}")
        return cls(
            _convert("the id", fields.get("id"), integer(1, _max_id(answered))),
            _convert("forgetBad", fields.get("forgetBad", False), boolean),
            _convert("confirmAfter", fields["confirmAfter"], _seconds) if "confirmAfter" in fields else None,
        )

    def encode(self) -> str:
        """Return the annotation's value."""
        if not self.forget_bad and self.confirm_after is None:
            return str(self.id)
        value: dict[str, Any] = {"id": self.id}
        if self.forget_bad:
            value["forgetBad"] = True
        if self.confirm_after is not None:
            whole = int(self.confirm_after)
            value["confirmAfter"] = whole if whole == self.confirm_after else self.confirm_after
        return json.dumps(value, separators=(",", ":"))


def _convert(name: str, value: Any, convert: Callable[[Any], _Value]) -> _Value:
    try:
        return convert(value)
    except ValueError as error:
        raise InvalidAssignment(f"invalid assignment, {name} {error}") from error


def _seconds(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= _LONGEST_SOAK:
        raise ValueError(f"must be a number of seconds from 0 to {_LONGEST_SOAK}")
    return float(value)


def _max_id(answered: int) -> int:
    """Return the highest id that a node accepts after the one that it has answered.

    An id of MAX_ID that was set by hand must leave room for the ids that follow it. Beyond MAX_ID only ids close to an
    answered one are accepted, so the room cannot be used up by hand either.
    """
    return max(MAX_ID, min(answered + _HEADROOM, LAST_ID))


def next_id(annotations: Mapping[str, str], answered: int) -> int:
    """Return an id that the node accepts, above every id that it was assigned or has answered.

    annotations: the Node's; an assignment that the node does not accept is ignored. answered: the highest id in the
    node's own status, 0 for none.
    """
    assigned_id = 0
    if ANNOTATION_ASSIGNMENT in annotations:
        try:
            assigned_id = Assignment.parse(annotations[ANNOTATION_ASSIGNMENT], answered=answered).id
        except InvalidAssignment:
            assigned_id = 0
    following = max(assigned_id, answered) + 1
    return following if following <= _max_id(answered) else answered + 1


def assignment_patch(
    source: ConfigSource | None, assignment: Assignment, *, resource_version: str | None = None
) -> dict[str, Any]:
    """Return the merge patch of a Node that assigns ``source`` (None: the init config) under ``assignment``.

    Both annotations are in one PATCH, so a node never sees one without the other.
    """
    metadata: dict[str, Any] = {
        "annotations": {
            ANNOTATION_CONFIG_SOURCE: None if source is None else source.encode(),
            ANNOTATION_ASSIGNMENT: assignment.encode(),
        }
    }
    if resource_version is not None:
        metadata["resourceVersion"] = resource_version
    return {"metadata": metadata}
