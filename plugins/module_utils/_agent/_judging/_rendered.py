# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The files that components may be told to read, kept under their hashes, with notes on them. Private to configok.node.

A file is rendered once, at adoption; prestart only copies bytes. Beside each file stands a note: a fingerprint of its
decoded values (two files of the same values need no restart), keys of the state files it would make fatal, and which
fields it sets (flags may win over them).
"""

from __future__ import annotations

import os
from typing import Any

from .._basis._configuration import ComponentConfiguration
from .._storage._records import Record
from .._storage._state_files import state_keys
from .._storage._store import Store, digest
from ._render import NotRendered, decode, default_document, fingerprint, noted_fields, render, render_init

__all__ = [
    "config_bytes",
    "init_bytes",
    "init_hash",
    "keep",
    "next_init_bytes",
    "read_own",
    "restore",
    "same_config_files",
    "values_of",
]

_INIT = "init"
_FINGERPRINT = "fingerprint"


def keep(component: str, store: Store, data: bytes) -> str:
    """Keep a file and a note on it; return its hash. Raises OSError."""
    name = store.write_rendered(component, data)
    if _FINGERPRINT not in store.read_note(component, name):
        store.write_note(component, name, _note(component, data))
    return name


def _note(component: str, data: bytes) -> dict[str, Any]:
    try:
        values = decode(data.decode(), "the file")
    except (NotRendered, UnicodeDecodeError, ImportError):
        return {_FINGERPRINT: digest(data)}
    return {
        _FINGERPRINT: fingerprint(values),
        "state": state_keys(component, values),
        "fields": noted_fields(values),
    }


def values_of(component: str, store: Store, name: str) -> str:
    """Return the fingerprint of the values in a file with this hash; the hash itself where it cannot be had."""
    noted = store.read_note(component, name).get(_FINGERPRINT) if name else ""
    if noted is None:  # by an agent whose notes took an empty value for an absent one
        data = store.read_rendered(component, name)
        noted = name if data is None else _note(component, data)[_FINGERPRINT]
    return str(noted)


def same_config_files(component: str, store: Store, one: str, other: str) -> bool:
    """Return whether two files, by their hashes, hold the same values."""
    return one == other or values_of(component, store, one) == values_of(component, store, other)


def restore(component: ComponentConfiguration, store: Store, record: Record, name: str) -> bytes | None:
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
        data = render(bundle.documents[component.name], read_own(component.instance_config))
    except (NotRendered, OSError, ImportError):
        return None
    return _kept_again(component.name, store, data) if digest(data) == name else None


def _kept_again(component: str, store: Store, data: bytes) -> bytes:
    """Keep what was lost, before the next change writes over the last place that has it."""
    try:
        keep(component, store, data)
    except OSError:
        pass  # a disk that is full now: it is usable without, and the next reader tries again
    return data


def read_own(path: str) -> str | None:
    """Return the text of one of this node's own config files, None where none is configured. Raises OSError."""
    if not path:
        return None
    with open(path, "rb") as file:
        return file.read().decode("utf-8", "replace")


def config_bytes(component: ComponentConfiguration, store: Store, record: Record) -> bytes | None:
    """Return what the component is to read under a record; None where that cannot be had."""
    name = record.files.get(component.name)
    return init_bytes(component, store) if name is None else restore(component, store, record, name)


def init_bytes(component: ComponentConfiguration, store: Store) -> bytes | None:
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
    name = keep(component.name, store, result)
    store.write_note(component.name, _INIT, {"source": digest(data), "rendered": name})
    return result


def next_init_bytes(component: ComponentConfiguration) -> bytes | None:
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
    return render_init(component.name, data, os.path.dirname(os.path.abspath(component.init_config)))


def init_hash(component: ComponentConfiguration, store: Store) -> str:
    """Return the hash of the file that stands for the init config since it was last switched to; "" if it never was."""
    if not component.init_config:
        return digest(default_document(component.name))
    return str(store.read_note(component.name, _INIT).get("rendered") or "")
