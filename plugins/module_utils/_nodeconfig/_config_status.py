# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a node answers: condition, structured status and labels, in one PATCH. Private to configok.node."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from ._assignment import LAST_ID, ConfigSource, InvalidConfigSource
from ._config_ok import ConfigOk
from ._untrusted import load_json
from ._well_known import ANNOTATION_CONFIG_STATUS, CONDITION_CONFIG_OK, LABEL_CONFIG, LABEL_CONFIG_OK

__all__ = ["ComponentStatus", "ConfigStatus", "read_condition", "read_status", "status_patch", "parse_status"]


class ComponentStatus(NamedTuple):
    """What a node says of one component."""

    version: str = ""  # the component's, as "v1.35.2"
    config: str = ""  # SHA-256 of the file that the component reads, first 10 hexadecimal digits
    state: str = ""  # "healthy" | "failing" | "stopped" | "unknown"
    note: str = ""  # for people: drift of the init config, for one
    shadowed: tuple[str, ...] = ()  # fields that a flag or a drop-in wins over, each with that: "maxPods (--max-pods)"


class ConfigStatus(NamedTuple):
    """The structured status of a node (annotation ``configok.dev/config-status``).

    The three sources are None for the local config; ``assignment`` is the id that this status answers, 0 for none.
    """

    assignment: int = 0
    assigned: ConfigSource | None = None
    active: ConfigSource | None = None
    last_known_good: ConfigSource | None = None
    error: str = ""
    cause: str = ""
    in_trial: bool = False
    components: Mapping[str, ComponentStatus] = {}
    ignored: tuple[str, ...] = ()  # keys of the bundle for components that this node does not run
    agent_version: str = ""
    local_config: str = ""  # hash of what this node has of its own, "" where the agent does not say

    def encode(self) -> str:
        """Return the annotation's value: the same status always gives the same text."""
        value: dict[str, Any] = {
            "assignment": self.assignment,
            "assigned": _encode_source(self.assigned),
            "active": _encode_source(self.active),
            "lastKnownGood": _encode_source(self.last_known_good),
            "error": self.error,
            "cause": self.cause,
            "inTrial": self.in_trial,
            "components": {
                name: {key: value for key, value in sorted(component._asdict().items()) if value}
                for name, component in sorted(self.components.items())
            },
            "ignored": list(self.ignored),
            "agentVersion": self.agent_version,
            "localConfig": self.local_config,
        }
        return json.dumps(value, separators=(",", ":"))

    @classmethod
    def parse(cls, text: str) -> ConfigStatus:
        """Read the annotation; what a newer agent adds is ignored. Raises ValueError when it is not a status."""
        try:
            value = load_json(text)
        except ValueError as error:
            raise ValueError(f"the config-status is not JSON: {str(error)[:200]}") from error
        if not isinstance(value, dict):
            raise ValueError("the config-status must be a JSON object")
        assignment = value.get("assignment", 0)
        if isinstance(assignment, bool) or not isinstance(assignment, int) or not 0 <= assignment < LAST_ID:
            raise ValueError(f"the config-status must have an assignment from 0 to {LAST_ID - 1}")
        components = value.get("components")
        return cls(
            assignment=assignment,
            assigned=_decode_source(value.get("assigned")),
            active=_decode_source(value.get("active")),
            last_known_good=_decode_source(value.get("lastKnownGood")),
            error=_text(value.get("error")),
            cause=_text(value.get("cause")),
            in_trial=value.get("inTrial") is True,
            components={
                _text(name): ComponentStatus(
                    **{key: _text(part.get(key)) for key in ("version", "config", "state", "note")},
                    shadowed=_texts(part.get("shadowed")),
                )
                for name, part in (components.items() if isinstance(components, dict) else ())
                if isinstance(part, dict)
            },
            ignored=_texts(value.get("ignored")),
            agent_version=_text(value.get("agentVersion")),
            local_config=_text(value.get("localConfig")),
        )


def _text(value: Any) -> str:
    """Return a text that can be encoded as UTF-8 ("" for anything else): half a surrogate pair in JSON is none."""
    return value.encode(errors="replace").decode() if isinstance(value, str) else ""


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(_text(one) for one in value) if isinstance(value, list) else ()


def _encode_source(source: ConfigSource | None) -> dict[str, Any] | None:
    return None if source is None else source.to_dict()


def _decode_source(value: Any) -> ConfigSource | None:
    if value is None:
        return None
    try:
        return ConfigSource.from_dict(value)
    except InvalidConfigSource as error:
        raise ValueError(str(error)) from error


def read_condition(node: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the ConfigOK condition of a Node, None when it has none."""
    status = node.get("status")
    conditions = status.get("conditions") if isinstance(status, dict) else None
    for condition in conditions if isinstance(conditions, list) else ():
        if isinstance(condition, dict) and condition.get("type") == CONDITION_CONFIG_OK:
            return condition
    return None


def read_status(node: Mapping[str, Any]) -> ConfigStatus | None:
    """Return the structured status of a Node, None when it has none that can be read."""
    return parse_status(node)[0]


def parse_status(node: Mapping[str, Any]) -> tuple[ConfigStatus | None, str]:
    """Return the structured status of a Node or None, and what is wrong with the annotation ("": nothing)."""
    text = ((node.get("metadata") or {}).get("annotations") or {}).get(ANNOTATION_CONFIG_STATUS)
    if not text:
        return None, ""
    try:
        return ConfigStatus.parse(text), ""
    except (ValueError, TypeError) as error:
        return None, str(error)


def status_patch(
    verdict: ConfigOk, status: ConfigStatus, label: str, *, now: str, since: str | None = None
) -> dict[str, Any]:
    """Return the strategic-merge patch of ``nodes/<name>/status`` that says everything at once.

    label: the bundle's name, "init" or "default". now, since: RFC 3339 times of this write and of the last change
    of the condition's status (None: now). One write for condition, annotation and labels was checked on a real API
    server, as the node's own identity.
    """
    verdict = verdict.cut()
    return {
        "metadata": {
            "annotations": {ANNOTATION_CONFIG_STATUS: status.encode()},
            "labels": {LABEL_CONFIG: label, LABEL_CONFIG_OK: verdict.status},
        },
        "status": {
            "conditions": [
                {
                    "type": CONDITION_CONFIG_OK,
                    "status": verdict.status,
                    "reason": verdict.reason,
                    "message": verdict.message,
                    "lastHeartbeatTime": now,
                    "lastTransitionTime": since or now,
                }
            ]
        },
    }
