# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The config source: a reference to a bundle, as the annotation on a Node carries it. Private to configok.node."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from ._annotation_json import load_json

__all__ = ["UID_PATTERN", "ConfigSource", "InvalidConfigSource"]

# A uid names a file on the node, so nothing else than the form that Kubernetes gives uids is ever accepted.
UID_PATTERN = re.compile(r"[0-9a-f-]{36}\Z")
_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\Z")
_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?\Z")
_PARTS = ("namespace", "name", "uid")


class InvalidConfigSource(ValueError):
    """A config source that is not a NodeConfigSource; its text is the cause that ConfigOK shows."""


def _invalid(what: str) -> InvalidConfigSource:
    return InvalidConfigSource(f"invalid NodeConfigSource, {what}")


class ConfigSource(NamedTuple):
    """A bundle, pinned: the namespace, name and uid of its ConfigMap."""

    namespace: str
    name: str
    uid: str

    @classmethod
    def from_dict(cls, value: Any) -> ConfigSource:
        """Read a decoded NodeConfigSource, ``{"configMap": {"namespace", "name", "uid"}}``.

        Raises InvalidConfigSource. The rules are those that Kubernetes had for Node.spec.configSource, with the uid
        required: what is assigned is pinned.
        """
        if not isinstance(value, dict):
            raise _invalid("it must be a JSON object")
        given = sorted(key for key, part in value.items() if part is not None)
        if not given:
            raise _invalid("exactly one subfield must be non-nil, but all were nil")
        if len(given) > 1:
            raise _invalid(f"exactly one subfield must be non-nil, but {len(given)} were: {', '.join(given)[:200]}")
        if given != ["configMap"]:
            raise _invalid(f"unknown subfield {given[0][:100]!r}, only configMap is known")
        reference = value["configMap"]
        if not isinstance(reference, dict):
            raise _invalid("configMap must be a JSON object")
        for part in _PARTS:
            if not isinstance(reference.get(part), str) or not reference[part]:
                raise _invalid(f"configMap.{part} must be set")
        unknown = sorted(str(key) for key in reference if key not in _PARTS)
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
