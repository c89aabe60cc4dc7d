# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The annotation configok.dev/machine: what the last run has set for a Machine. Pure.

It is read from the cluster, where a run is not the only writer. So it is bounded and strict, and a label that
a node must not change about itself is never removed because of it.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from ..._foreign import InvalidText, load_json
from .._objects.cluster_values import cluster_values
from .._objects.providers import host_fields
from .._objects.types import Cluster, ProviderConfig, Runtime

_MAX_LENGTH: Final = 16 * 1024
_MAX_ENTRIES: Final = 256
_KEY = re.compile(r"([A-Za-z0-9]([-A-Za-z0-9_.]{0,250}[A-Za-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?\Z")
_TAINT = re.compile(rf"{_KEY.pattern[:-2]}:(NoSchedule|PreferNoSchedule|NoExecute)\Z")
_NAME = re.compile(r"[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?\Z")
_KIND = re.compile(r"[A-Za-z][A-Za-z0-9]{0,62}\Z")
_HASH = re.compile(r"([0-9a-f]{10})?\Z")
_VERSION = re.compile(r"([0-9A-Za-z][0-9A-Za-z.~+:_-]{0,127})?\Z")
# A Machine may name a runtime without its version.
_RUNTIME = re.compile(r"([a-z][a-z0-9-]{0,62}( [0-9A-Za-z][0-9A-Za-z.~+:_-]{0,127})?)?\Z")
_PREVIOUS: Final = {"kubelet": _VERSION, "runtime": _RUNTIME, "providerHash": _HASH, "clusterHash": _HASH}


class InvalidMachineAnnotation(InvalidText):
    """An annotation that no run has written; the message says why in one sentence."""


def provider_hash(config: ProviderConfig) -> str:
    """Return the hash of what a provider's config makes of a host."""
    return _hash({"apiVersion": config.api_version, "kind": config.kind, "fields": host_fields(config)})


def cluster_hash(cluster: Cluster | None) -> str:
    """Return the hash of what a Cluster declares for the init configs of its machines, "" for nothing."""
    values = {} if cluster is None else cluster_values(cluster)
    return _hash(values) if values else ""


def _hash(value: Mapping[str, Any]) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:10]


@dataclass(frozen=True)
class MachineAnnotation:
    """What the last run has declared and installed.

    labels: keys; taints: "key:effect". kubelet, runtime: the versions that were installed, "" and None if the Machine
    declares none. cluster_hash: of the Cluster's values in the init config. previous: what a rollback returns to: the
    versions before the last change, with the keys kubelet and runtime, as texts, and the hashes that have changed.
    """

    machine: str
    provider: str
    provider_hash: str
    labels: tuple[str, ...] = ()
    taints: tuple[str, ...] = ()
    kubelet: str = ""
    runtime: Runtime | None = None
    previous: Mapping[str, str] = field(default_factory=dict)
    cluster_hash: str = ""

    def encode(self) -> str:
        """Return the annotation's value: the same state always gives the same text."""
        value: dict[str, Any] = {
            "machine": self.machine,
            "provider": self.provider,
            "providerHash": self.provider_hash,
            "labels": sorted(self.labels),
            "taints": sorted(self.taints),
        }
        if self.cluster_hash:
            value["clusterHash"] = self.cluster_hash
        if self.kubelet:
            value["kubelet"] = self.kubelet
        if self.runtime is not None:
            value["runtime"] = str(self.runtime)
        previous = {
            name: text
            for name, pattern in _PREVIOUS.items()
            if (text := self.previous.get(name, "")) and pattern.match(text)
        }
        if previous:
            value["previous"] = previous
        return json.dumps(value, separators=(",", ":"))

    @classmethod
    def parse(cls, text: str) -> MachineAnnotation:
        """Read the annotation; fields that a newer version adds are ignored. Raises InvalidMachineAnnotation."""
        if len(text) > _MAX_LENGTH:
            raise InvalidMachineAnnotation(f"it has {len(text)} characters, at most {_MAX_LENGTH} are allowed")
        try:
            value = load_json(text)
        except ValueError as error:
            raise InvalidMachineAnnotation(f"it is not JSON: {str(error)[:200]}") from error
        if not isinstance(value, dict):
            raise InvalidMachineAnnotation("it must be a JSON object")
        previous = value.get("previous", {})
        if not isinstance(previous, dict):
            raise InvalidMachineAnnotation("previous must be a JSON object")
        return cls(
            machine=_matching(value, "machine", _NAME),
            provider=_matching(value, "provider", _KIND),
            provider_hash=_matching(value, "providerHash", _HASH),
            labels=_list(value, "labels", _KEY),
            taints=_list(value, "taints", _TAINT),
            kubelet=_matching(value, "kubelet", _VERSION),
            runtime=_runtime(_matching(value, "runtime", _RUNTIME)),
            cluster_hash=_matching(value, "clusterHash", _HASH),
            previous={
                name: text for name, pattern in _PREVIOUS.items() if (text := _matching(previous, name, pattern))
            },
        )


NO_ANNOTATION = MachineAnnotation("", "", "")
"""What is known of a machine that no run has changed."""


def _matching(value: Mapping[str, Any], name: str, pattern: re.Pattern[str]) -> str:
    text = value.get(name, "")
    if not isinstance(text, str) or not pattern.match(text):
        raise InvalidMachineAnnotation(f"its field {name} cannot be used")
    return text


def _list(value: Mapping[str, Any], name: str, pattern: re.Pattern[str]) -> tuple[str, ...]:
    entries = value.get(name, [])
    if not isinstance(entries, list) or len(entries) > _MAX_ENTRIES:
        raise InvalidMachineAnnotation(f"its field {name} must be a list of at most {_MAX_ENTRIES} entries")
    for entry in entries:
        if not isinstance(entry, str) or not pattern.match(entry):
            raise InvalidMachineAnnotation(f"its field {name} has an entry that cannot be used")
    return tuple(entries)


def _runtime(text: str) -> Runtime | None:
    name, _space, version = text.partition(" ")
    return Runtime(name, version) if name else None
