# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The fields that the real server's types have, and how it writes them back.

Private to configok.node: no compatibility is promised.
Fields that a type does not have are dropped, wrong types refused, times brought into their one form, empty fields left
out or written as zero: as a round trip through the real server's types does.
"""

from __future__ import annotations

import base64
import binascii
import datetime
import re
from collections.abc import Mapping
from typing import Any, Union

from .resources import Resource

__all__ = ["Mismatch", "round_trip"]

# A field is written `name` (left out when empty), `name!` (always written) or `name*` (written if it is set).
# Its shape: the name of a scalar, a mapping of fields, or a list with the shape of its items.
Shape = Union[str, Mapping[str, Any], list]  # type: ignore[type-arg]  # the shape would name itself

_OWNER = {"apiVersion!": "string", "kind!": "string", "name!": "string", "uid!": "string",
          "controller*": "boolean", "blockOwnerDeletion*": "boolean"}  # fmt: skip
_METADATA = {
    "name": "string", "generateName": "string", "namespace": "string", "uid": "string", "resourceVersion": "string",
    "creationTimestamp!": "time", "deletionTimestamp*": "time", "deletionGracePeriodSeconds*": "integer",
    "labels": "strings by key", "annotations": "strings by key", "ownerReferences": [_OWNER], "finalizers": ["string"],
}  # fmt: skip
_REFERENCE = dict.fromkeys(("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"), "string")
_NODE_INFO = dict.fromkeys(
    ("machineID!", "systemUUID!", "bootID!", "kernelVersion!", "osImage!", "containerRuntimeVersion!",
     "kubeletVersion!", "kubeProxyVersion!", "operatingSystem!", "architecture!"), "string",
)  # fmt: skip
_RULE = {"verbs!": ["string"], "apiGroups": ["string"], "resources": ["string"], "resourceNames": ["string"],
         "nonResourceURLs": ["string"]}  # fmt: skip
_SUBJECT = {"kind!": "string", "apiGroup": "string", "name!": "string", "namespace": "string"}
_ROLE_REF = {"apiGroup!": "string", "kind!": "string", "name!": "string"}

_SHAPES: dict[str, dict[str, Any]] = {
    "Node": {
        "spec!": {
            "podCIDR": "string", "podCIDRs": ["string"], "providerID": "string", "unschedulable": "boolean",
            "externalID": "string",
            "taints": [{"key!": "string", "value": "string", "effect!": "string", "timeAdded*": "time"}],
        },
        "status!": {
            "capacity": "quantities", "allocatable": "quantities", "phase": "string",
            "conditions": [{
                "type!": "string", "status!": "string", "lastHeartbeatTime!": "time", "lastTransitionTime!": "time",
                "reason": "string", "message": "string",
            }],
            "addresses": [{"type!": "string", "address!": "string"}],
            "daemonEndpoints!": {"kubeletEndpoint!": {"Port!": "integer"}},
            "nodeInfo!": _NODE_INFO,
            "images": [{"names": ["string"], "sizeBytes": "integer"}],
            "volumesInUse": ["string"],
            "volumesAttached": [{"name!": "string", "devicePath!": "string"}],
        },
    },
    "Namespace": {"spec!": {"finalizers": ["string"]}, "status!": {"phase": "string"}},
    "ConfigMap": {"data": "strings by key", "binaryData": "bytes by key", "immutable*": "boolean"},
    "Event": {
        "involvedObject!": _REFERENCE, "reason": "string", "message": "string",
        "source!": {"component": "string", "host": "string"},
        "firstTimestamp!": "time", "lastTimestamp!": "time", "count": "integer", "type": "string",
        "eventTime!": "micro time", "series*": {"count": "integer", "lastObservedTime!": "micro time"},
        "action": "string", "related*": _REFERENCE, "reportingComponent!": "string", "reportingInstance!": "string",
    },
    "Lease": {
        "spec!": {
            "holderIdentity*": "string", "leaseDurationSeconds*": "integer", "acquireTime*": "micro time",
            "renewTime*": "micro time", "leaseTransitions*": "integer",
        },
    },
    "Role": {"rules!": [_RULE]},
    "ClusterRole": {"rules!": [_RULE]},
    "RoleBinding": {"subjects": [_SUBJECT], "roleRef!": _ROLE_REF},
    "ClusterRoleBinding": {"subjects": [_SUBJECT], "roleRef!": _ROLE_REF},
}  # fmt: skip

_TIME = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)", re.ASCII)
_ZERO: dict[str, Any] = {"string": "", "integer": 0, "boolean": False}


class Mismatch(Exception):
    """A value of a wrong type."""


def round_trip(resource: Resource, item: Mapping[str, Any], old: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the object as the real server would write it back. Raises Mismatch for a value of a wrong type.

    Parts that are the very same as in `old`, which has been through this before, are taken over unseen.
    """
    result: dict[str, Any] = {"kind": resource.kind, "apiVersion": resource.api_version}
    shape = {"metadata!": _METADATA, **_SHAPES[resource.kind]}
    result.update(_struct(shape, item, old or {}, ""))
    return result


def _struct(shape: Mapping[str, Any], value: Any, old: Any, path: str) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise Mismatch(f"{path or 'the body'} is not an object")
    old = old if isinstance(old, Mapping) else {}
    result: dict[str, Any] = {}
    for field, below in shape.items():
        name = field.rstrip("!*")
        field_value = value.get(name)
        if field_value is not None and field_value is old.get(name):
            result[name] = field_value
            continue
        written = _value(below, field_value, old.get(name), f"{path}.{name}" if path else name)
        if field.endswith("*"):
            if field_value is not None:
                result[name] = written
        elif field.endswith("!") or written:
            result[name] = written
    return result


def _value(shape: Shape, value: Any, old: Any, path: str) -> Any:
    if isinstance(shape, Mapping):
        return _struct(shape, {} if value is None else value, old, path)
    if value is None:
        return _ZERO.get(shape) if isinstance(shape, str) else None
    if isinstance(shape, list):
        if not isinstance(value, list):
            raise Mismatch(f"{path} is not a list")
        return [_value(shape[0], item, None, f"{path}[{index}]") for index, item in enumerate(value)]
    return _SCALARS[shape](value, path)


def _string(value: Any, path: str) -> str:
    if not isinstance(value, str):
        raise Mismatch(f"{path} is not a string")
    return value


def _integer(value: Any, path: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise Mismatch(f"{path} is not an integer")
    return value


def _boolean(value: Any, path: str) -> bool:
    if not isinstance(value, bool):
        raise Mismatch(f"{path} is not a boolean")
    return value


def _mapping(value: Any, path: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise Mismatch(f"{path} is not an object")
    return value


def _strings_by_key(value: Any, path: str) -> dict[str, str]:
    fields = _mapping(value, path)
    return {key: "" if text is None else _string(text, f"{path}.{key}") for key, text in fields.items()}


def _bytes_by_key(value: Any, path: str) -> dict[str, str]:
    strings = _strings_by_key(value, path)
    for key, text in strings.items():
        try:
            base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError):
            raise Mismatch(f"{path}.{key} is not base64") from None
    return strings


def _quantities(value: Any, path: str) -> dict[str, str]:
    return {key: str(quantity) for key, quantity in _mapping(value, path).items()}


def _utc(value: Any, path: str) -> tuple[str, str]:
    match = _TIME.fullmatch(_string(value, path))
    if match is None:
        raise Mismatch(f'{path}: parsing time "{value}" as "2006-01-02T15:04:05Z07:00": cannot parse')
    base, fraction, zone = match.groups()
    try:
        moment = datetime.datetime.fromisoformat(base + ("+00:00" if zone == "Z" else zone))
    except ValueError:
        raise Mismatch(f'{path}: parsing time "{value}": out of range') from None
    return moment.astimezone(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S"), fraction or ""


def _time(value: Any, path: str) -> str:
    return _utc(value, path)[0] + "Z"


def _micro_time(value: Any, path: str) -> str:
    base, fraction = _utc(value, path)
    if len(fraction) != 7:
        raise Mismatch(f'{path}: parsing time "{value}" as "2006-01-02T15:04:05.000000Z07:00": cannot parse')
    return f"{base}{fraction}Z"


_SCALARS = {
    "string": _string,
    "integer": _integer,
    "boolean": _boolean,
    "strings by key": _strings_by_key,
    "bytes by key": _bytes_by_key,
    "quantities": _quantities,
    "time": _time,
    "micro time": _micro_time,
}
