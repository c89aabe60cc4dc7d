# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Brings the manifest of a static-Pod component in line with its file of options.

Only the command ``static-pod`` imports this file: it needs the engine, which the daemon does without.
"""

from __future__ import annotations

import os
import re

from .._componentconfig import ConfigError
from .._componentconfig._codec.document import decode
from .._componentconfig.component_options import Options, read_options
from .._static_pods.manifest import InvalidManifest, Manifest, read_manifest
from .._static_pods.manifest_changes import ManifestChange, classify_change
from .._static_pods.manifest_folder import unusable_reasons
from .._static_pods.rendered_manifest import RenderedManifest, render
from ._agent_configuration import ComponentConfiguration
from ._manifest_files import ManifestChanged, ManifestFiles
from ._manifest_note import ManifestNote, WrittenManifest, read_manifest_note, write_manifest_note
from ._pod_history import with_config_in_use
from ._store._durable_files import LOCK_WAIT, locked
from ._store._store import Store, digest
from ._validation._validate_on_node import allowed_host_paths

_TAG = re.compile(r":(v?[0-9]+\.[0-9]+\.[0-9]+)[^:/@]*(@[^/]*)?\Z")


class CannotWrite(Exception):
    """Nothing was written; the text is one sentence that says why."""


class ManifestUpdate:
    """The check of a component's manifest, and the write that brings it in line with its options."""

    def __init__(self, component: ComponentConfiguration, store: Store, *, node_name: str) -> None:
        """Use the component's manifest."""
        self._component = component
        self._store = store
        self._node_name = node_name
        self._files = ManifestFiles(os.path.dirname(component.manifest))
        self._host_paths = allowed_host_paths(component)

    def check(self) -> ManifestNote:
        """Note what the manifest is now, and return the note. Raises LockTimeout, OSError."""
        with locked(self._store.lock, wait=LOCK_WAIT):
            note = self._check()
            write_manifest_note(self._store, self._component.name, note)
        return note

    def write(self) -> bool:
        """Write the manifest with the options in use, which restarts the component; return whether it has changed.

        Raises CannotWrite, LockTimeout, OSError.
        """
        name = self._component.name
        with locked(self._store.lock, wait=LOCK_WAIT):
            note = self._check()
            write_manifest_note(self._store, name, note)
            config = self._store.read_config(name)
            if config is None:
                raise CannotWrite(f"{self._store.config_path(name)} is not there")
            reason = note.reason_to_wait(digest(config))
            if reason:
                raise CannotWrite(reason)
            note = note._replace(lost="")
            rendered = self._render(self._init(note), self._options(config))
            intended = WrittenManifest(rendered.manifest.digest, digest(config))
            if intended.manifest == note.written.manifest:
                self._note_same(note._replace(written=intended))
                return False
            note = note._replace(intended=intended)
            write_manifest_note(self._store, name, note)
            try:
                self._files.replace(rendered, before=note.written.manifest)
            except ManifestChanged as error:
                raise CannotWrite(str(error)) from error
            note = note._replace(written=intended, intended=WrittenManifest(), seen=intended.manifest)
            write_manifest_note(self._store, name, note)
        return True

    def _note_same(self, note: ManifestNote) -> None:
        """Note that the manifest in place runs another file of options, which asks for the same."""
        before, name = read_manifest_note(self._store, self._component.name).written.config, self._component.name
        write_manifest_note(self._store, name, note)
        if before and before != note.written.config:
            version = self._store.tracking_version(name, self._component.version)
            startups = self._store.read_startups(name, version)
            self._store.write_startups(name, version, with_config_in_use(startups, note.written.config))

    def _check(self) -> ManifestNote:
        note = read_manifest_note(self._store, self._component.name)
        source = self._files.read(self._component.manifest)
        if source is None:
            return note._replace(seen="", problem=f"{self._component.manifest} is not there")
        seen = digest(source)
        note = note._replace(seen=seen)
        if note.intended.manifest == seen:  # the power was cut before the note
            note = note._replace(written=note.intended)
        note = note._replace(intended=WrittenManifest())
        if not note.init:
            return self._take_over(note, source)
        if note.written.manifest == seen:
            return note._replace(problem="")
        return self._classify(note, source)

    def _take_over(self, note: ManifestNote, source: bytes) -> ManifestNote:
        try:
            manifest = read_manifest(source, self._component.manifest)
        except InvalidManifest as error:
            return note._replace(problem=str(error))
        if manifest.component != self._component.name:
            return note._replace(problem=f"{self._component.manifest}: it does not run {self._component.name}")
        if manifest.applied_options:
            return note._replace(problem=f"{self._component.manifest}: options of another agent are applied to it")
        reasons = unusable_reasons(manifest)
        if reasons:
            return note._replace(problem=reasons[0])
        return self._described(note, manifest)._replace(written=WrittenManifest(note.seen))

    def _described(self, note: ManifestNote, init: Manifest) -> ManifestNote:
        namespace, _slash, name = init.name.partition("/")
        match = _TAG.search(init.image)
        return note._replace(
            init=init.source.decode(),
            pod=f"{namespace}_{name}-{self._node_name}",
            container=str(init.container["name"]),
            version=("v" + match[1].lstrip("v")) if match else "",
            problem="",
        )

    def _classify(self, note: ManifestNote, source: bytes) -> ManifestNote:
        init = self._init(note)
        config = self._store.read_rendered(self._component.name, note.written.config) if note.is_written else None
        if note.is_written and config is None:
            return note._replace(problem=f"{self._component.manifest}: the options that it was written with are lost")
        options = self._options(config)
        written = self._render(init, options)
        difference = classify_change(source, written, init=init, options=options, host_paths=self._host_paths)
        if difference.init is None:
            return note._replace(problem=difference.reason)
        note = self._described(note, difference.init)
        is_lost = difference.change is ManifestChange.OPTIONS_LOST
        lost = f"{self._component.manifest}: it was rewritten without the options in use" if is_lost else ""
        return note._replace(written=note.written._replace(manifest=note.seen), lost=lost)

    def _init(self, note: ManifestNote) -> Manifest:
        return read_manifest(note.init.encode(), self._component.manifest)

    def _render(self, init: Manifest, options: Options) -> RenderedManifest:
        try:
            return render(init, options, host_paths=self._host_paths)
        except ConfigError as error:
            raise CannotWrite(str(error)) from error

    def _options(self, config: bytes | None) -> Options:
        if config is None:
            return read_options({"component": self._component.name})
        try:
            data = decode(config, file=self._store.config_path(self._component.name)).data
        except ConfigError as error:
            raise CannotWrite(str(error)) from error
        return read_options(data if isinstance(data, dict) else {})
