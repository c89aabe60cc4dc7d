# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Apply options to an init manifest."""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .._componentconfig import ConfigError
from .._componentconfig._codec.yaml_text import encode
from .._componentconfig.component_options import (
    DIRECTORY,
    Options,
    OptionsFile,
    flag_texts,
    with_options,
    without_reloaded,
)
from .manifest import OPTIONS_ANNOTATION, Manifest, read_manifest
from .mounts import HostPath, added_mounts, volume_of

_HASH_LENGTH = 16
_REMARK = "# Rendered by configok-agent from the init manifest and the options of a bundle: change these instead.\n"


class RenderedManifest(NamedTuple):
    """A manifest with options, and the files that its flags name.

    options_hash: of the options, "" if there are none; the manifest is the init manifest then. directory: where the
    files belong, "" without options. files: their contents by name. reloaded: the names of those that the component
    reads again while it runs, with the flag of each: the manifest is the same for any content that it takes so.
    """

    manifest: Manifest
    options_hash: str = ""
    directory: str = ""
    files: Mapping[str, bytes] = {}
    reloaded: Mapping[str, str] = {}


def render(
    init: Manifest,
    options: Options,
    *,
    host_paths: Sequence[HostPath] = (),
    root: str = DIRECTORY,
    reloads_at: int | None = None,
) -> RenderedManifest:
    """Return the manifest that runs a component with options, and the files that it names.

    It is the same for options that ask for the same, and has nothing of the node in it. options: without findings.
    host_paths: what the node's own config allows to be mounted. root: the directory with one for each component.
    reloads_at: the minor whose component takes some files while it runs; None if each file asks for a restart.
    Raises ConfigError for a value that a command line cannot hold, and for an init manifest whose arguments the
    component does not take.
    """
    if not options.flags and not options.files:
        return RenderedManifest(init)
    lasting = options if reloads_at is None else without_reloaded(options, reloads_at)
    options_hash = hash_options(lasting)
    directory = f"{root}/{options.component}/{options_hash}"
    placed = place_files(options, directory)
    pod = copy.deepcopy(dict(init.pod))
    container = pod["spec"]["containers"][init.container_index]
    set_arguments(init, container, with_options(placed, init.arguments))
    for index, mount in enumerate(added_mounts(init, placed, host_paths)):
        volume, of_container = volume_of(index, mount)
        _append(pod["spec"], "volumes", volume)
        _append(container, "volumeMounts", of_container)
    annotations = {**(pod["metadata"].get("annotations") or {}), OPTIONS_ANNOTATION: options_hash}
    pod["metadata"] = {"annotations": {}, **pod["metadata"]} | {"annotations": annotations}
    files = {file.name: file_bytes(file) for file in options.files if file.content is not None}
    reloaded = {
        file.name: file.flag for file, kept in zip(options.files, lasting.files) if file.content is not kept.content
    }
    manifest = write_manifest(init.file, pod, remark=_REMARK)
    return RenderedManifest(manifest, options_hash, directory, files, reloaded)


def write_manifest(file: str, pod: Mapping[str, Any], *, remark: str = "") -> Manifest:
    """Return a manifest of a decoded Pod, read again from its bytes: only what the kubelet can read is ever written.

    Raises ConfigError.
    """
    source = (remark + encode(pod, indents_lists=False)).encode()
    manifest = read_manifest(source, file)
    if manifest.pod != pod:
        raise ConfigError(f"{file}: cannot be written as it is read")
    return manifest


def set_arguments(manifest: Manifest, container: dict[str, Any], arguments: Sequence[str]) -> None:
    """Replace the arguments of the component in its container, which has its command line in up to two fields."""
    kept = list(manifest.words[: manifest.program_index + 1])
    of_command = len(container.get("command") or ())
    if len(kept) < of_command:
        container["command"] = [*kept, *arguments]
        container.pop("args", None)
    elif container.get("args"):
        container["args"] = [*kept[of_command:], *arguments]
    else:
        container["command"] = [*kept, *arguments]


def _append(owner: dict[str, Any], field: str, item: Any) -> None:
    owner[field] = [*(owner.get(field) or ()), item]


def place_files(options: Options, directory: str) -> Options:
    """Return options whose files with content are in a directory."""
    files = (file if file.content is None else file._replace(path=f"{directory}/{file.name}") for file in options.files)
    return options._replace(files=tuple(files))


def file_bytes(file: OptionsFile) -> bytes:
    """Return the bytes of a file with content: a text as it is, a document with its keys in order."""
    if isinstance(file.content, str):
        return file.content.encode()
    return encode(_in_order(file.content)).encode()


def _in_order(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _in_order(value[key]) for key in sorted(value)}
    return [_in_order(item) for item in value] if isinstance(value, list) else value


def hash_options(options: Options) -> str:
    """Return the hash of what options ask for: of nothing of the node, and the same in any order of keys."""
    flags = {
        name: None if value is None else flag_texts(options.component, name, value)
        for name, value in options.flags.items()
    }
    files = {
        file.name: {"flag": file.flag, "path": file.path}
        if file.content is None
        else {"flag": file.flag, "content": file.content}
        for file in options.files
    }
    text = json.dumps({"component": options.component, "flags": flags, "files": files}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:_HASH_LENGTH]
