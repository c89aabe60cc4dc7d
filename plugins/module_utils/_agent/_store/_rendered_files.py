# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Renders the file that a component reads, and keeps it under its hash with a note.

The file is a bundle's document with this node's instance config laid over it, or the init config. A document is
rendered before its adoption, so that prestart seldom needs the engine or a YAML library: they are imported only when
YAML must be decoded. The note has what is compared later: a fingerprint of the values, the fields, keys of state files.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from typing import Any

from ..._componentconfig import ConfigError
from ..._componentconfig._codec.plain_values import HEAD_FIELDS, fingerprint, json_values, merge
from ..._componentconfig._codec.plain_values import decode_values as decode_config_values
from ..._componentconfig._options import OPTIONS_HEAD
from ..._componentconfig._schema.path_fields import resolve_paths
from ..._foreign import load_json
from .._agent_configuration import ComponentConfiguration
from .._state.records import ConfigRecord
from ._store import Store, digest

_KINDS = {
    "kubelet": ("kubelet.config.k8s.io/v1beta1", "KubeletConfiguration"),
    "kube-proxy": ("kubeproxy.config.k8s.io/v1alpha1", "KubeProxyConfiguration"),
}


_MAX_FIELDS = 1000  # in a note; a whole KubeletConfiguration has 160
_MAX_PATH = 300  # characters of a field in a note


class UndecodableConfig(ValueError):
    """A document or an instance config that cannot be decoded; the text is one sentence."""


def decode_values(text: str, what: str) -> Any:
    """Decode a YAML or JSON text as Kubernetes does. what: how the error names it. Raises UndecodableConfig."""
    try:
        return decode_config_values(text, what)
    except ConfigError as error:
        raise UndecodableConfig(str(error)) from error


def config_fields(data: bytes | None) -> Mapping[str, Any]:
    """Return the fields of a config file as Kubernetes decodes them, {} if it is missing or holds no config."""
    try:
        values = decode_values((data or b"").decode("utf-8", "replace"), "the config")
    except UndecodableConfig:
        return {}
    return values if isinstance(values, Mapping) else {}


def _decode_strict(text: str, what: str) -> Any:
    # Imported here because prestart must load neither the engine nor YAML. The engine decodes, so that the values are
    # those that were validated: PyYAML reads 1:20, 4.1e1, n and dates differently from Kubernetes.
    from ..._componentconfig._codec.document import decode as decode_document

    try:
        return decode_document(text, file=what).data
    except ConfigError as error:
        raise UndecodableConfig(str(error)) from error


def render_config(document: str, instance: str | None) -> bytes:
    """Return a document with the instance config laid over it, as JSON, or the document's own bytes without one.

    Raises UndecodableConfig.
    """
    if instance is None or not instance.strip():
        return document.encode()
    values = _decode_strict(document, "the document")
    own = _decode_strict(instance, "the instance config")
    if not isinstance(values, dict) or not isinstance(own, dict):
        raise UndecodableConfig("the document and the instance config must both be objects")
    own = {key: value for key, value in own.items() if key not in HEAD_FIELDS}
    return json.dumps(json_values(merge([values, own])), indent=2, ensure_ascii=False).encode() + b"\n"


def field_paths(values: Any, above: str = "") -> list[str]:
    """Return the dotted paths of the fields that a decoded config sets; a list or an empty map is one field.

    above: the path of ``values`` in the config. apiVersion and kind are left out.
    """
    if not isinstance(values, Mapping) or (above and not values):
        return [above] if above else []
    paths: list[str] = []
    for key, value in values.items():
        if value is not None and not (above == "" and key in HEAD_FIELDS):
            paths += field_paths(value, f"{above}.{key}" if above else str(key))
    return paths


def render_init_config(component: str, data: bytes, directory: str) -> bytes:
    """Return what the component reads for an init config in ``directory``: its bytes, or JSON with absolute paths.

    A component resolves relative paths against its own file, so that a plain copy would change their meaning. An init
    config seldom has any.
    """
    try:
        values = decode_values(data.decode(), "the init config")
    except (UndecodableConfig, UnicodeDecodeError, ImportError):
        return data  # the component gets the file as provisioned, and reports what is wrong with it
    absolute = resolve_relative_paths(component, values, directory)
    return data if absolute == values else json.dumps(absolute, indent=2, ensure_ascii=False).encode() + b"\n"


def resolve_relative_paths(component: str, values: Any, directory: str) -> Any:
    """Resolve the relative paths of a decoded config against a directory, as the component does it."""
    _version, kind = _KINDS.get(component, ("", ""))
    if isinstance(values, Mapping) and isinstance(values.get("kind"), str):
        kind = values["kind"]  # a component may have any name
    return resolve_paths(values, kind, directory)


def default_document(component: str, *, has_options: bool = False) -> bytes:
    """Return the smallest document for a component: what it reads on a node without an init config.

    has_options: whether that is a document of options, since the component is a static Pod.
    """
    if has_options:
        return (json.dumps({**OPTIONS_HEAD, "component": component}) + "\n").encode()
    version, kind = _KINDS.get(component, ("", ""))
    return (json.dumps({"apiVersion": version, "kind": kind} if kind else {}) + "\n").encode()


# State file of the kubelet -> the field with its policy, the policy without a state (the default), and the fields that
# matter under any other policy, each as a path.
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
POLICY_FIELDS: Mapping[str, str] = {name: field for name, (field, _stateless, _fields) in _STATE_FILES.items()}


# Lists whose default is not empty. Where the kubelet has --config-dir, an empty one means its default from 1.32 on.
LISTS_WITH_DEFAULT = ("enforceNodeAllocatable",)


# The map whose default a config replaces as a whole, and the switch that adds the default's keys to it.
_DEFAULTED = "evictionHard"
_ADDS_DEFAULT = "mergeDefaultEvictionSettings"


def state_file_keys(component: str, config: Any) -> dict[str, dict[str, str]]:
    """Return, by state file of the component, the policy of a decoded config and a key of all that matters to it.

    The component exits over a state file that was written under another key.
    """
    if component != "kubelet":
        return {}
    fields = config if isinstance(config, Mapping) else {}
    keys = {}
    for name, (field, stateless, paths) in _STATE_FILES.items():
        policy = str(fields.get(field) or stateless)
        values = [] if policy == stateless else [_value_at(fields, path) for path in paths]
        text = json.dumps([policy, values], sort_keys=True, default=str)
        keys[name] = {"policy": policy, "key": hashlib.sha256(text.encode()).hexdigest()[:16]}
    return keys


def _value_at(fields: Mapping[str, Any], path: tuple[str, ...]) -> Any:
    value: Any = fields
    for part in path:
        value = value.get(part) if isinstance(value, Mapping) else None
    if value is None and isinstance(fields.get(_DEFAULTED), Mapping) and path[0] == _DEFAULTED:
        return None if fields.get(_ADDS_DEFAULT) else ""  # the config's own map replaces the default
    return value or None


def policy_in_state_file(state: bytes | None) -> str:
    """Return the policy that the content of a state file names, "" if it names none."""
    try:
        content = load_json(state or b"")
    except ValueError:
        return ""
    return str(content.get("policyName") or "") if isinstance(content, dict) else ""


def stale_state_files(
    before: Mapping[str, Mapping[str, str]], after: Mapping[str, Mapping[str, str]], written: Mapping[str, str]
) -> list[str]:
    """Return the state files that were written under a config different from ``after``.

    before, after: from state_file_keys(), of the config that the component ran with and of the next one. written: the
    policy in each state file. A file of which neither is known counts as current.
    """
    stale = []
    for name, key in sorted(after.items()):
        known, policy = before.get(name), written.get(name)
        if (known is not None and known != key) or (policy and policy != key.get("policy")):
            stale.append(name)
    return stale


_INIT = "init"  # the name of the note on the init config
_FINGERPRINT = "fingerprint"


def keep_rendered(component: str, store: Store, data: bytes) -> str:
    """Keep a rendered file with its note, and return its hash. Raises OSError."""
    name = store.write_rendered(component, data)
    if _FINGERPRINT not in store.read_note(component, name):
        store.write_note(component, name, _build_note(component, data))
    return name


def _build_note(component: str, data: bytes) -> dict[str, Any]:
    try:
        values = decode_values(data.decode(), "the file")
    except (UndecodableConfig, UnicodeDecodeError, ImportError):
        return {_FINGERPRINT: digest(data)}
    return {
        _FINGERPRINT: fingerprint(values),
        "state": state_file_keys(component, values),
        "fields": [path for path in field_paths(values) if len(path) <= _MAX_PATH][:_MAX_FIELDS],
        "empty": [name for name in LISTS_WITH_DEFAULT if isinstance(values, Mapping) and values.get(name) == []],
    }


def fingerprint_of(component: str, store: Store, name: str) -> str:
    """Return the fingerprint of the values in the file with this hash, or the hash itself if the file is lost."""
    recorded = store.read_note(component, name).get(_FINGERPRINT) if name else ""
    if recorded is None:  # the note is lost
        data = store.read_rendered(component, name)
        recorded = name if data is None else _build_note(component, data)[_FINGERPRINT]
    return str(recorded)


def same_values(component: str, store: Store, first: str, second: str) -> bool:
    """Return whether two files, by their hashes, have the same values."""
    return first == second or fingerprint_of(component, store, first) == fingerprint_of(component, store, second)


def read_or_restore(component: ComponentConfiguration, store: Store, record: ConfigRecord, name: str) -> bytes | None:
    """Return a record's file for a component by its hash, None if it is lost.

    It is restored from the file that the component reads now, or rendered again from the checkpoint.
    """
    data = store.read_rendered(component.name, name)
    if data is not None:
        return data
    data = store.read_config(component.name)
    if data is not None and digest(data) == name:
        return _keep_restored(component.name, store, data)
    bundle = store.read_checkpoint(record.source) if record.source is not None else None
    if bundle is None or component.name not in bundle.documents:
        return None
    try:
        data = render_config(bundle.documents[component.name], read_own_config(component.instance_config))
    except (UndecodableConfig, OSError, ImportError):
        return None
    return _keep_restored(component.name, store, data) if digest(data) == name else None


def _keep_restored(component: str, store: Store, data: bytes) -> bytes:
    """Keep a restored file before the next change overwrites its last copy."""
    try:
        keep_rendered(component, store, data)
    except OSError:
        pass  # the disk may be full; the file can be used anyway, and the next reader tries again
    return data


def read_own_config(path: str) -> str | None:
    """Return the text of one of this node's own config files, None if none is configured. Raises OSError."""
    if not path:
        return None
    with open(path, "rb") as file:
        return file.read().decode("utf-8", "replace")


def config_for_record(component: ComponentConfiguration, store: Store, record: ConfigRecord) -> bytes | None:
    """Return what the component reads under a record, None if that is lost. Raises OSError."""
    name = record.files.get(component.name)
    return init_config_bytes(component, store) if name is None else read_or_restore(component, store, record, name)


def init_config_bytes(component: ComponentConfiguration, store: Store) -> bytes | None:
    """Return what the component reads when it uses the init config: rendered once for each content of that.

    Of an init config that cannot be read, the latest rendering is returned, or None without one. The built-in defaults
    are returned only if no init config is provided. Raises OSError.
    """
    note = store.read_note(component.name, _INIT)
    rendered = str(note.get("rendered") or "")
    if not component.init_config:
        return default_document(component.name, has_options=bool(component.manifest))
    data = _read(component.init_config)
    if data is None:
        return store.read_rendered(component.name, rendered) if rendered else None
    if rendered and note.get("source") == digest(data):
        latest = store.read_rendered(component.name, rendered)
        if latest is not None:
            return latest
    result = _render_init(component, data)
    name = keep_rendered(component.name, store, result)
    store.write_note(component.name, _INIT, {"source": digest(data), "rendered": name})
    return result


def render_init_config_now(component: ComponentConfiguration) -> bytes | None:
    """Return what the component would read for the present init config, None without one; write nothing."""
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
    """Return the hash of the latest rendering of the init config, "" if it was never rendered."""
    if not component.init_config:
        return digest(default_document(component.name, has_options=bool(component.manifest)))
    return str(store.read_note(component.name, _INIT).get("rendered") or "")
