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
import os
from collections.abc import Mapping
from typing import Any

from ..._componentconfig._schema._path_fields import resolve_paths
from .._agent_configuration import ComponentConfiguration
from .._state._records import ConfigRecord
from ._store import Store, digest

__all__ = [
    "UndecodableConfig",
    "STATE_FIELDS",
    "config_for_record",
    "decode_values",
    "default_document",
    "field_paths",
    "fingerprint",
    "init_config_bytes",
    "init_config_hash",
    "keep_rendered",
    "render_init_config_now",
    "noted_fields",
    "policy_of",
    "read_own_config",
    "render_config",
    "render_init_config",
    "resolve_relative_paths",
    "read_or_restore",
    "same_config_files",
    "stale_state_files",
    "state_file_keys",
    "fingerprint_of",
]

_KINDS = {
    "kubelet": ("kubelet.config.k8s.io/v1beta1", "KubeletConfiguration"),
    "kube-proxy": ("kubeproxy.config.k8s.io/v1alpha1", "KubeProxyConfiguration"),
}


_FIELDS_NOTED = 1000  # of a file; a whole KubeletConfiguration has 160
_LONGEST_PATH = 300


class UndecodableConfig(ValueError):
    """A document or an instance config that cannot be decoded; the text is one sentence."""


def decode_values(text: str, what: str) -> Any:
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
    from ..._componentconfig._exceptions import ConfigError

    try:
        return decode_document(text, file=what).data
    except ConfigError as error:
        raise UndecodableConfig(str(error)) from error


def render_config(document: str, instance: str | None) -> bytes:
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
        raise UndecodableConfig("the document and the instance config must both be objects")
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


def render_init_config(component: str, data: bytes, directory: str) -> bytes:
    """Return what the component reads for an init config that stands in ``directory``.

    Its own bytes where it has no relative path (nearly always). Otherwise a copy with the paths resolved: a component
    resolves against the path that it was given, so neither a plain copy nor a link would mean the original directory.
    """
    try:
        values = decode_values(data.decode(), "the init config")
    except (UndecodableConfig, UnicodeDecodeError, ImportError):
        return data  # judged elsewhere: the component gets what the node was provisioned with
    absolute = resolve_relative_paths(component, values, directory)
    return data if absolute == values else json.dumps(absolute, indent=2, ensure_ascii=False).encode() + b"\n"


def resolve_relative_paths(component: str, values: Any, directory: str) -> Any:
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


# State file of the kubelet -> the field with its policy, the policy that keeps no state (the default), the fields that
# matter under any other, each as a path.
_STATE_FILES: Mapping[str, tuple[str, str, tuple[tuple[str, ...], ...]]] = {
    "cpu_manager_state": (
        "cpuManagerPolicy",
        "none",
        (
            ("cpuManagerPolicyOptions",),
            ("reservedSystemCPUs",),
            ("kubeReserved", "cpu"),
            ("systemReserved", "cpu"),
        ),
    ),
    "memory_manager_state": (
        "memoryManagerPolicy",
        "None",
        (
            ("reservedMemory",),
            ("kubeReserved", "memory"),
            ("systemReserved", "memory"),
            ("evictionHard", "memory.available"),
        ),
    ),
}
STATE_FIELDS: Mapping[str, str] = {name: field for name, (field, _none, _fields) in _STATE_FILES.items()}


# The map whose default a config replaces as a whole, and the switch that adds the default's keys to it.
_DEFAULTED = "evictionHard"
_ADDS_DEFAULT = "mergeDefaultEvictionSettings"


def state_file_keys(component: str, config: Any) -> dict[str, dict[str, str]]:
    """Return, for each state file of the component, the policy of a decoded config and a key that changes when the
    config makes the file fatal."""
    if component != "kubelet":
        return {}
    fields = config if isinstance(config, Mapping) else {}
    keys = {}
    for name, (field, none, others) in _STATE_FILES.items():
        policy = str(fields.get(field) or none)
        values = [] if policy == none else [_at(fields, path) for path in others]
        text = json.dumps([policy, values], sort_keys=True, default=str)
        keys[name] = {"policy": policy, "key": hashlib.sha256(text.encode()).hexdigest()[:16]}
    return keys


def _at(fields: Mapping[str, Any], path: tuple[str, ...]) -> Any:
    value: Any = fields
    for part in path:
        value = value.get(part) if isinstance(value, Mapping) else None
    if value is None and isinstance(fields.get(_DEFAULTED), Mapping) and path[0] == _DEFAULTED:
        return None if fields.get(_ADDS_DEFAULT) else ""  # switched off, and not the default
    return value or None


def policy_of(state: bytes | None) -> str:
    """Return the policy that a state file says it was written under, "" where it does not say."""
    try:
        found = json.loads(state or b"")
    except (ValueError, RecursionError):
        return ""
    return str(found.get("policyName") or "") if isinstance(found, dict) else ""


def stale_state_files(
    before: Mapping[str, Mapping[str, str]], after: Mapping[str, Mapping[str, str]], written: Mapping[str, str]
) -> list[str]:
    """Return the state files that were written under another config than ``after``.

    before: the keys of the config that the component ran with. written: the policy in each file. What is not known
    says nothing.
    """
    stale = []
    for name, key in sorted(after.items()):
        known, policy = before.get(name), written.get(name)
        if (known is not None and known != key) or (policy and policy != key.get("policy")):
            stale.append(name)
    return stale


_INIT = "init"
_FINGERPRINT = "fingerprint"


def keep_rendered(component: str, store: Store, data: bytes) -> str:
    """Keep a file and a note on it; return its hash. Raises OSError."""
    name = store.write_rendered(component, data)
    if _FINGERPRINT not in store.read_note(component, name):
        store.write_note(component, name, _note(component, data))
    return name


def _note(component: str, data: bytes) -> dict[str, Any]:
    try:
        values = decode_values(data.decode(), "the file")
    except (UndecodableConfig, UnicodeDecodeError, ImportError):
        return {_FINGERPRINT: digest(data)}
    return {
        _FINGERPRINT: fingerprint(values),
        "state": state_file_keys(component, values),
        "fields": noted_fields(values),
    }


def fingerprint_of(component: str, store: Store, name: str) -> str:
    """Return the fingerprint of the values in a file with this hash; the hash itself where it cannot be had."""
    noted = store.read_note(component, name).get(_FINGERPRINT) if name else ""
    if noted is None:  # by an agent whose notes took an empty value for an absent one
        data = store.read_rendered(component, name)
        noted = name if data is None else _note(component, data)[_FINGERPRINT]
    return str(noted)


def same_config_files(component: str, store: Store, one: str, other: str) -> bool:
    """Return whether two files, by their hashes, hold the same values."""
    return one == other or fingerprint_of(component, store, one) == fingerprint_of(component, store, other)


def read_or_restore(component: ComponentConfiguration, store: Store, record: ConfigRecord, name: str) -> bytes | None:
    """Return the file that a record names, by its hash; where it is lost, from what the component reads now or from
    the checkpoint. None where it cannot be had."""
    data = store.read_rendered(component.name, name)
    if data is not None:
        return data
    data = store.read_config(component.name)
    if data is not None and digest(data) == name:
        return _kept_again(component.name, store, data)
    bundle = store.read_checkpoint(record.source) if record.source is not None else None
    if bundle is None or component.name not in bundle.documents:
        return None
    try:
        data = render_config(bundle.documents[component.name], read_own_config(component.instance_config))
    except (UndecodableConfig, OSError, ImportError):
        return None
    return _kept_again(component.name, store, data) if digest(data) == name else None


def _kept_again(component: str, store: Store, data: bytes) -> bytes:
    """Keep what was lost, before the next change writes over the last place that has it."""
    try:
        keep_rendered(component, store, data)
    except OSError:
        pass  # a disk that is full now: it is usable without, and the next reader tries again
    return data


def read_own_config(path: str) -> str | None:
    """Return the text of one of this node's own config files, None where none is configured. Raises OSError."""
    if not path:
        return None
    with open(path, "rb") as file:
        return file.read().decode("utf-8", "replace")


def config_for_record(component: ComponentConfiguration, store: Store, record: ConfigRecord) -> bytes | None:
    """Return what the component is to read under a record; None where that cannot be had."""
    name = record.files.get(component.name)
    return init_config_bytes(component, store) if name is None else read_or_restore(component, store, record, name)


def init_config_bytes(component: ComponentConfiguration, store: Store) -> bytes | None:
    """Return what the component reads when it uses the init config: rendered once for each content of the file.

    Where the init config cannot be read, what it was before; None where that was never known: the component's file
    then stays as it is. Built-in defaults only where no init config was provided.
    """
    note = store.read_note(component.name, _INIT)
    rendered = str(note.get("rendered") or "")
    if not component.init_config:
        return default_document(component.name)
    data = _read(component.init_config)
    if data is None:
        return store.read_rendered(component.name, rendered) if rendered else None
    if rendered and note.get("source") == digest(data):
        known = store.read_rendered(component.name, rendered)
        if known is not None:
            return known
    result = _render_init(component, data)
    name = keep_rendered(component.name, store, result)
    store.write_note(component.name, _INIT, {"source": digest(data), "rendered": name})
    return result


def render_init_config_now(component: ComponentConfiguration) -> bytes | None:
    """Return what the component would read for its init config as that is now; writes nothing, so switches nothing."""
    data = _read(component.init_config)
    return None if data is None else _render_init(component, data)


def _read(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None


def _render_init(component: ComponentConfiguration, data: bytes) -> bytes:
    return render_init_config(component.name, data, os.path.dirname(os.path.abspath(component.init_config)))


def init_config_hash(component: ComponentConfiguration, store: Store) -> str:
    """Return the hash of the file that stands for the init config since it was last switched to; "" if it never was."""
    if not component.init_config:
        return digest(default_document(component.name))
    return str(store.read_note(component.name, _INIT).get("rendered") or "")
