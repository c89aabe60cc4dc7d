# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The structured status of a node, and its ConfigOK condition as read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from .._foreign import load_json
from .assignment import LAST_ID, ConfigSource
from .well_known import ANNOTATION_CONFIG_STATUS, CONDITION_CONFIG_OK

ConfigOkStatus = Literal["True", "False", "Unknown"]  # the status of the condition
ComponentState = Literal["healthy", "failing", "stopped", "unknown"]


class Cause:
    """The causes that this version reports with ConfigOK. A newer agent may report others."""

    GOOD = "Good"
    INIT = "Init"
    DEFAULT = "Default"
    ADOPTING = "Adopting"
    INVALID_CONFIG_SOURCE = "InvalidConfigSource"
    FETCH_FAILED = "FetchFailed"
    HOST_NOT_READY = "HostNotReady"
    ASSIGNMENT_LOST = "AssignmentLost"
    STALE_ASSIGNMENT = "StaleAssignment"
    INVALID_CONFIG = "InvalidConfig"
    UNTRUSTED = "Untrusted"
    KNOWN_BAD = "KnownBad"
    CRASH_LOOP = "CrashLoop"
    NOT_HEALTHY = "NotHealthy"
    SUSPECT = "Suspect"
    FAILING = "Failing"
    UNIT_STOPPED = "UnitStopped"
    NOT_READ = "NotRead"
    FILES_UNUSABLE = "FilesUnusable"
    OPTED_OUT = "OptedOut"


class ComponentStatus(NamedTuple):
    """The status of one component of a node."""

    version: str = ""  # the component's, as "v1.35.2"
    config: str = ""  # SHA-256 of the file that the component reads, first 10 hexadecimal digits
    state: str = ""  # a ComponentState, or what a newer agent reports
    note: str = ""  # human-readable, for example drift of the init config
    # Fields that a flag or a drop-in overrides, each with its origin: "maxPods (--max-pods)".
    shadowed: tuple[str, ...] = ()


class SignerStatus(NamedTuple):
    """A key that vouches for a bundle. name: the comment of the trusted key, or the key id of a certificate."""

    fingerprint: str = ""
    name: str = ""


class TrustStatus(NamedTuple):
    """Which bundles a node trusts, and who vouches for the one that it uses.

    mode: a TrustMode, or what a newer agent reports; "" if the node's trust policy cannot be read. floors: by pool, or
    pool@cluster, the lowest sequence that the node accepts. signers: of the bundle in use, as they were when it was
    adopted. problem: why the policy cannot be read, why the bundle in use is not trusted although it was adopted (mode
    warn), or that the policy names no cluster.
    """

    mode: str = ""
    floors: Mapping[str, int] = {}
    signers: tuple[SignerStatus, ...] = ()
    problem: str = ""


class ConfigStatus(NamedTuple):
    """The structured status of a node (annotation ``configok.dev/config-status``).

    A source of None means the local config; ``assignment`` is the id that this status answers, 0 for none. confirmed:
    the id of the assignment whose config was good for as long as the assignment asks for, 0 for none; None if the agent
    does not report it.
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
    local_config: str = ""  # hash of this node's local config, "" if the agent does not report it
    trust: TrustStatus | None = None  # None while the node's trust policy is off
    confirmed: int | None = 0

    def encode(self) -> str:
        """Return the annotation's value: the same status always gives the same text."""
        value: dict[str, Any] = {
            "assignment": self.assignment,
            "confirmed": self.confirmed,
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
        if self.trust is not None:
            floors, signers = dict(sorted(self.trust.floors.items())), [part._asdict() for part in self.trust.signers]
            value["trust"] = {**self.trust._asdict(), "floors": floors, "signers": signers}
        return json.dumps(value, separators=(",", ":"))

    @classmethod
    def parse(cls, text: str) -> ConfigStatus:
        """Read the annotation; fields that a newer agent adds are ignored. Raises ValueError if it is not a status."""
        try:
            value = load_json(text)
        except ValueError as error:
            raise ValueError(f"the config-status is not JSON: {str(error)[:200]}") from error
        if not isinstance(value, dict):
            raise ValueError("the config-status must be a JSON object")
        assignment, confirmed = value.get("assignment", 0), value.get("confirmed")
        if not _is_id(assignment):
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
            trust=_decode_trust(value.get("trust")),
            confirmed=confirmed if _is_id(confirmed) else None,
        )


def _is_id(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < LAST_ID


def _text(value: Any) -> str:
    """Return a text that can be encoded as UTF-8, "" for another type: JSON may hold half a surrogate pair."""
    return value.encode(errors="replace").decode() if isinstance(value, str) else ""


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(_text(part) for part in value) if isinstance(value, list) else ()


def _decode_trust(value: Any) -> TrustStatus | None:
    """Return what a node reports; parts that are not what they should be are left out."""
    if not isinstance(value, dict):
        return None
    floors, signers = value.get("floors"), value.get("signers")
    return TrustStatus(
        mode=_text(value.get("mode")),
        floors={
            _text(audience): floor
            for audience, floor in (floors.items() if isinstance(floors, dict) else ())
            if isinstance(floor, int) and not isinstance(floor, bool) and 0 < floor < LAST_ID
        },
        signers=tuple(
            SignerStatus(_text(signer.get("fingerprint")), _text(signer.get("name")))
            for signer in (signers if isinstance(signers, list) else ())
            if isinstance(signer, dict)
        ),
        problem=_text(value.get("problem")),
    )


def _encode_source(source: ConfigSource | None) -> dict[str, Any] | None:
    return None if source is None else source.to_dict()


def _decode_source(value: Any) -> ConfigSource | None:
    return None if value is None else ConfigSource.from_dict(value)


def read_condition(node: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the ConfigOK condition of a Node, or None if it has none."""
    status = node.get("status")
    conditions = status.get("conditions") if isinstance(status, dict) else None
    for condition in conditions if isinstance(conditions, list) else ():
        if isinstance(condition, dict) and condition.get("type") == CONDITION_CONFIG_OK:
            return condition
    return None


def read_status(node: Mapping[str, Any]) -> ConfigStatus | None:
    """Return the structured status of a Node, or None if it has none or an unreadable one."""
    return parse_status(node)[0]


def parse_status(node: Mapping[str, Any]) -> tuple[ConfigStatus | None, str]:
    """Return the structured status of a Node or None, and the error of the annotation ("" for none)."""
    text = ((node.get("metadata") or {}).get("annotations") or {}).get(ANNOTATION_CONFIG_STATUS)
    if not text:
        return None, ""
    try:
        return ConfigStatus.parse(text), ""
    except (ValueError, TypeError) as error:
        return None, str(error)
