# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read what a running component says of itself: the feature gates in its metrics, and the kubelet's /configz."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from ..._foreign import load_json
from .. import ConfigError
from .._codec.plain_values import HEAD_FIELDS
from .._scalars.field_path import dotted
from .._scalars.secrets import secret_paths
from .._schema._feature_gates import Stage
from .._schema.kinds import KUBELET_CONFIGURATION
from ._changes import kind_of_defaults
from ._help_text import GateDefault

_MAX_CHARACTERS = 32 * 1024 * 1024  # the metrics of kube-apiserver in a large cluster
_METRIC = re.compile(r"kubernetes_feature_enabled\{([^{}]{1,400})\}[ \t]+([0-9.eE+-]{1,20})(?:[ \t]+-?[0-9]{1,20})?")
_BUILD = re.compile(r"^kubernetes_build_info\{([^{}]{1,2000})\}", re.MULTILINE)
_LABEL = re.compile(r'(\w{1,40})="([^"\\]{0,200})"')
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]{0,100}")
_STAGES: Mapping[str, Stage] = {"ALPHA": "Alpha", "BETA": "Beta", "": "GA", "GA": "GA", "DEPRECATED": "Deprecated"}
_OF_LATER_RELEASE = "PRE-ALPHA"  # a gate that the release does not have, as it is there when another one is emulated
_VALUES = {0.0: False, 1.0: True}


def parse_metrics(text: str) -> dict[str, GateDefault]:
    """Return the stage of each feature gate in the text of /metrics, and whether it is on.

    Raises ConfigError for a text without `kubernetes_feature_enabled`, and for a sample that cannot be read.
    """
    if len(text) > _MAX_CHARACTERS:
        raise ConfigError(f"metrics of more than {_MAX_CHARACTERS} characters are not read")
    gates: dict[str, GateDefault] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.startswith("kubernetes_feature_enabled{"):
            continue
        match = _METRIC.fullmatch(line.rstrip())
        labels = dict(_LABEL.findall(match.group(1))) if match else {}
        name, stage = labels.get("name", ""), _STAGES.get(labels.get("stage", "?"))
        value = _VALUES.get(_number(match.group(2))) if match else None
        if labels.get("stage") == _OF_LATER_RELEASE:
            continue
        if not _NAME.fullmatch(name) or stage is None or value is None:
            raise ConfigError(f"line {number} of the metrics is not a sample of kubernetes_feature_enabled")
        if gates.setdefault(name, GateDefault(stage, value)) != GateDefault(stage, value):
            raise ConfigError(f"the metrics have the gate {name} twice: give those of one component")
    if not gates:
        raise ConfigError("the metrics have no kubernetes_feature_enabled: give /metrics of a component from 1.26 on")
    return gates


def version_in_metrics(text: str) -> str:
    """Return the version in `kubernetes_build_info` of the text of /metrics, "" without it."""
    match = _BUILD.search(text[:_MAX_CHARACTERS])
    return dict(_LABEL.findall(match.group(1))).get("git_version", "") if match is not None else ""


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return -1.0


def parse_configz(text: str) -> dict[str, Any]:
    """Return the fields of the kubelet's /configz by path, without secrets. Raises ConfigError for another text."""
    if len(text) > _MAX_CHARACTERS:
        raise ConfigError(f"a /configz of more than {_MAX_CHARACTERS} characters is not read")
    try:
        data = load_json(text)
    except ValueError:
        raise ConfigError("the /configz is not JSON") from None
    config = data.get("kubeletconfig") if isinstance(data, dict) else None
    if not isinstance(config, dict) or not config:
        raise ConfigError("the /configz has no kubeletconfig: give the JSON of a kubelet's /configz")
    kind = kind_of_defaults(KUBELET_CONFIGURATION)
    fields = kind.fields if kind is not None else {}
    shown = {key: value for key, value in config.items() if key not in HEAD_FIELDS}
    secrets = {dotted(path) for path in secret_paths(shown)}
    return {path: value for path, value in leaf_fields(shown, fields).items() if not _has_any(path, secrets)}


def _has_any(path: str, secrets: Iterable[str]) -> bool:
    return any(secret == path or secret.startswith(f"{path}.") for secret in secrets)


def leaf_fields(data: Mapping[str, Any], fields: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return the fields of a document by path with dots; a list and a map are one field each, as is an unknown field.

    fields: the entries of the kind's fields. prefix: what each path begins with.
    """
    result: dict[str, Any] = {}
    for name, value in data.items():
        entry = fields.get(name, {})
        if entry.get("type") == "object" and isinstance(value, dict) and "fields" in entry:
            result.update(leaf_fields(value, entry["fields"], f"{prefix}{name}."))
        else:
            result[f"{prefix}{name}"] = value
    return result
