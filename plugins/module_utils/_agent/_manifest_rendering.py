# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Renders the manifest of a component for a file of options, in the forms that it may have.

Where a component reads a file again while it runs, the manifest is the same for each content that it takes so. If that
cannot be shown, the manifest of this content alone is written instead, which restarts the component.

Only the command ``static-pod`` imports this file: it needs the engine, which the daemon does without.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from .._componentconfig import ConfigError
from .._componentconfig._codec.document import decode
from .._componentconfig._scalars.field_path import Path, format_path
from .._componentconfig._schema.kinds import find_kind
from .._componentconfig._schema.releases import minor_of, newest_minor
from .._componentconfig.compare import Change, effective_values, is_same_value
from .._componentconfig.component_options import ETCD, Options, read_options
from .._static_pods.manifest import Manifest, read_manifest
from .._static_pods.rendered_manifest import RenderedManifest, render
from ._agent_configuration import ComponentConfiguration
from ._manifest_files import ManifestFiles
from ._manifest_note import FileChange, ManifestNote, WrittenManifest
from ._store._rendered_files import default_document
from ._store._store import Store, digest
from ._validation._validate_on_node import allowed_host_paths


class CannotWrite(Exception):
    """Nothing was written; the text is one sentence that says why."""


class Rendering(NamedTuple):
    """The manifests of one file of options.

    lasting: is the same for each content of a file that the component reads again. whole: is of this content alone.
    config: SHA-256 of the file of options.
    """

    lasting: RenderedManifest
    whole: RenderedManifest
    config: str

    def in_place(self, note: ManifestNote) -> RenderedManifest | None:
        """Return the one that the agent has written, None if it is neither."""
        forms = (self.lasting, self.whole)
        return next((form for form in forms if form.manifest.digest == note.written.manifest), None)

    def written(self, form: RenderedManifest) -> WrittenManifest:
        """Return what is noted of one of them once it is in place."""
        return WrittenManifest(form.manifest.digest, self.config, contents(form))


def contents(form: RenderedManifest) -> dict[str, str]:
    """Return the SHA-256 of each file that is read again, by path."""
    return {f"{form.directory}/{name}": digest(form.files[name]) for name in form.reloaded}


class ManifestRendering:
    """Renders options for the init manifest of one component."""

    def __init__(self, component: ComponentConfiguration, store: Store, files: ManifestFiles, *, root: str) -> None:
        """Use a component. files: of its manifest. root: has the directories of all components for their files."""
        self._component = component
        self._store = store
        self._files = files
        self._root = root
        self.host_paths = allowed_host_paths(component)

    def no_options(self) -> str:
        """Return the SHA-256 of the file of options that asks for nothing."""
        return digest(default_document(self._component.name, has_options=True))

    def init(self, note: ManifestNote) -> Manifest:
        """Return the init manifest of a note that has one."""
        return read_manifest(note.init.encode(), self._component.manifest)

    def options(self, config: bytes | None) -> Options:
        """Return the options of a file, none without one. Raises CannotWrite."""
        if config is None:
            return read_options({"component": self._component.name})
        try:
            data = decode(config, file=self._store.config_path(self._component.name)).data
        except ConfigError as error:
            raise CannotWrite(str(error)) from error
        return read_options(data if isinstance(data, dict) else {})

    def render(self, init: Manifest, config: bytes | None) -> Rendering:
        """Return the manifests of a file of options. Raises CannotWrite, OSError."""
        options, minor = self.options(config), self._minor(init)
        try:
            whole = render(init, options, host_paths=self.host_paths, root=self._root)
            lasting = (
                whole
                if minor is None
                else self._kept(
                    render(init, options, host_paths=self.host_paths, root=self._root, reloads_at=minor), minor
                )
            )
        except ConfigError as error:
            raise CannotWrite(str(error)) from error
        return Rendering(lasting if lasting.reloaded else whole, whole, digest(config or b""))

    def _minor(self, init: Manifest) -> int | None:
        version = self._component.version or (init.release if init.component != ETCD else "")
        try:
            return minor_of(version) if version else None
        except ConfigError:
            return None

    def _kept(self, form: RenderedManifest, minor: int) -> RenderedManifest:
        """Return a manifest whose files stay as they are if they mean the same: no component reports such a change."""
        kept = dict(form.files)
        for path in contents(form):
            name = path.rpartition("/")[2]
            present = self._files.read(path)
            if present is not None and not _differences(present, kept[name], path, minor):
                kept[name] = present
        return form._replace(files=kept)

    def change(self, form: RenderedManifest, note: ManifestNote) -> FileChange | None:
        """Return the change of the file that is all that changes, None if more than one does.

        form: is in place. No API server reports that it has read a content that differs in its apiVersion alone.
        """
        before, after = note.written.reloaded, contents(form)
        changed = [path for path in after if before.get(path) != after[path]]
        if len(changed) != 1 or changed[0] not in before:
            return None
        path, content = changed[0], form.files[changed[0].rpartition("/")[2]]
        differences = _differences(self._files.read(path) or b"", content, path, newest_minor())
        if {change.field_path for change in differences} == {("apiVersion",)}:
            return None
        return FileChange(path, before[path], after[path])


def _differences(before: bytes, after: bytes, path: str, minor: int) -> list[Change]:
    """Return the fields in which two contents of a file differ to the component; one if they cannot be read."""
    try:
        old, new = (effective_values(decode(content, file=path).data, {}, minor) for content in (before, after))
    except ConfigError:
        return [] if before == after else [Change("", before, after)]
    kind = find_kind(new.get("apiVersion"), new.get("kind"))
    return [change for change in _changes(old, new, ()) if kind is None or not is_same_value(change, kind, minor)]


def _changes(before: object, after: object, path: Path) -> Iterator[Change]:
    """Yield the fields that differ, also those of the items of lists, whose paths have no indices."""
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for name in {**before, **after}:
            yield from _changes(before.get(name), after.get(name), (*path, name))
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for old, new in zip(before, after):
            yield from _changes(old, new, path)
    elif before != after:
        yield Change(format_path(path), before, after, path)
