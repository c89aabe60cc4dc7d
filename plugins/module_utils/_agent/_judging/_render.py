# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a component reads: the bundle's document with this node's own fields laid over it. Private to configok.node.

The engine and a YAML library are imported only when YAML must be decoded, which prestart avoids: files are rendered
at adoption.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from ..._componentconfig._schema._path_fields import resolve_paths

__all__ = [
    "NotRendered",
    "decode",
    "default_document",
    "field_paths",
    "fingerprint",
    "noted_fields",
    "render",
    "render_init",
    "resolved",
]

_KINDS = {
    "kubelet": ("kubelet.config.k8s.io/v1beta1", "KubeletConfiguration"),
    "kube-proxy": ("kubeproxy.config.k8s.io/v1alpha1", "KubeProxyConfiguration"),
}


_FIELDS_NOTED = 1000  # of a file; a whole KubeletConfiguration has 160
_LONGEST_PATH = 300


class NotRendered(ValueError):
    """A document or an instance config that cannot be decoded; the text is one sentence."""


def decode(text: str, what: str) -> Any:
    """Return the values in a YAML or JSON text as Kubernetes reads them. Raises NotRendered."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass  # not JSON, so YAML
    from ..._componentconfig._codec._plain_values import json_values

    return json_values(_decode_strictly(text, what))


def _decode_strictly(text: str, what: str) -> Any:
    # Not at the top: prestart must pay neither for the engine nor for YAML. What is written and compared is what was
    # judged: PyYAML reads 1:20, 4.1e1, n and dates otherwise than Kubernetes does.
    from ..._componentconfig._codec._document import decode as decode_document

    try:
        return decode_document(text, file=what).data
    except ValueError as error:
        raise NotRendered(str(error)) from error


def render(document: str, instance: str | None) -> bytes:
    """Return the file's bytes: the document itself where there is no instance config, else JSON. Raises NotRendered."""
    if instance is None or not instance.strip():
        return document.encode()
    from ..._componentconfig._codec._plain_values import (
        json_values,
        merge,
    )  # not at the top: only a node with an instance config needs it

    values = _decode_strictly(document, "the document")
    own = _decode_strictly(instance, "the instance config")
    if not isinstance(values, dict) or not isinstance(own, dict):
        raise NotRendered("the document and the instance config must both be objects")
    own = {key: value for key, value in own.items() if key not in ("apiVersion", "kind")}
    return json.dumps(json_values(merge([values, own])), indent=2, ensure_ascii=False).encode() + b"\n"


def field_paths(values: Any, above: str = "") -> list[str]:
    """Return the paths of the fields that a decoded config sets, with dots; a list or an empty map is one field."""
    if not isinstance(values, Mapping) or (above and not values):
        return [above] if above else []
    found: list[str] = []
    for key, value in values.items():
        if value is not None and not (above == "" and key in ("apiVersion", "kind")):
            found += field_paths(value, f"{above}.{key}" if above else str(key))
    return found


def noted_fields(values: Any) -> list[str]:
    """Return the paths of the fields that a decoded config sets, as many and as long as a note can hold."""
    return [path for path in field_paths(values) if len(path) <= _LONGEST_PATH][:_FIELDS_NOTED]


def render_init(component: str, data: bytes, directory: str) -> bytes:
    """Return what the component reads for an init config that stands in ``directory``.

    Its own bytes where it has no relative path (nearly always). Otherwise a copy with the paths resolved: a component
    resolves against the path that it was given, so neither a plain copy nor a link would mean the original directory.
    """
    try:
        values = decode(data.decode(), "the init config")
    except (NotRendered, UnicodeDecodeError, ImportError):
        return data  # judged elsewhere: the component gets what the node was provisioned with
    absolute = resolved(component, values, directory)
    return data if absolute == values else json.dumps(absolute, indent=2, ensure_ascii=False).encode() + b"\n"


def resolved(component: str, values: Any, directory: str) -> Any:
    """Return a decoded config with its relative paths resolved against a directory, as the component does it."""
    _version, kind = _KINDS.get(component, ("", ""))
    if isinstance(values, Mapping) and isinstance(values.get("kind"), str):
        kind = values["kind"]  # a component may have any name
    return resolve_paths(values, kind, directory)


def default_document(component: str) -> bytes:
    """Return the smallest document: what a node without an init config starts with."""
    version, kind = _KINDS.get(component, ("", ""))
    return (json.dumps({"apiVersion": version, "kind": kind} if kind else {}) + "\n").encode()


def fingerprint(values: Any) -> str:
    """Return a hash that is the same for the same decoded values, whatever their order and writing.

    Nothing counts as absent: an empty value or null may switch a default off, and only the engine knows where not.
    """
    text = json.dumps(values, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
