# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Brings the manifest of a static-Pod component in line with its file of options.

Only the command ``static-pod`` imports this file: it needs the engine, which the daemon does without.
"""

from __future__ import annotations

import os
from contextlib import suppress

from .._componentconfig import ConfigError
from .._componentconfig._codec.document import decode
from .._componentconfig.component_options import Options, read_options
from .._static_pods.manifest import OPTIONS_ANNOTATION, InvalidManifest, Manifest, read_manifest
from .._static_pods.manifest_changes import ManifestChange, classify_change
from .._static_pods.manifest_folder import unusable_reasons
from .._static_pods.rendered_manifest import RenderedManifest, render
from ._agent_configuration import AgentConfiguration
from ._hold import HoldFile
from ._interfaces import Clock
from ._manifest_files import ManifestChanged, ManifestFiles
from ._manifest_note import ManifestNote, WrittenManifest, read_manifest_note, write_manifest_note
from ._pod_history import with_config_in_use
from ._restore_timer import GRACE, ArmedTimer, RestoreTimer
from ._state.active_config import in_trial
from ._state.records import LOCAL_CONFIG
from ._store._durable_files import LOCK_WAIT, locked
from ._store._rendered_files import config_for_record, default_document
from ._store._store import Store, digest
from ._validation._validate_on_node import allowed_host_paths


class CannotWrite(Exception):
    """Nothing was written; the text is one sentence that says why."""


class ManifestUpdate:
    """The check of a component's manifest, and the write that brings it in line with its options."""

    def __init__(
        self, configuration: AgentConfiguration, component: str, store: Store, clock: Clock, *, root: str
    ) -> None:
        """Use the component's manifest. root: has the directories of all components for the files of options."""
        self._root = root
        self._hold = HoldFile(configuration.run_directory)
        self._component = configuration.components[component]
        self._store = store
        self._clock = clock
        self._node_name = configuration.node_name
        self._seconds = int(configuration.health.timeout + GRACE)
        self._timer = RestoreTimer(store, component)
        self._files = ManifestFiles(os.path.dirname(self._component.manifest))
        self._host_paths = allowed_host_paths(self._component)

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
            self._require_record()
            reason = note.reason_to_wait(digest(config))
            if reason:
                raise CannotWrite(reason)
            rendered = self._render(self._init(note), self._options(config))
            intended = WrittenManifest(rendered.manifest.digest, digest(config))
            if intended.manifest == note.written.manifest:
                self._note_same(note._replace(written=intended, lost=""))
                return False
            self._require_no_hold()
            self._remove_unused()
            note = note.replaced(self._clock.since_boot(), self._clock.boot_id())
            note = self._armed(note._replace(intended=intended))
            write_manifest_note(self._store, name, note)
            self._replace(rendered, before=note.written.manifest)
            note = note._replace(written=intended, intended=WrittenManifest(), seen=intended.manifest, lost="")
            write_manifest_note(self._store, name, note)
            if not note.prepared.manifest:
                self._timer.disarm()
        return True

    def restore_init(self) -> bool:
        """Put the init manifest back and forget it, for an agent that is removed; return whether that is a change.

        The daemon must not run. Raises CannotWrite, LockTimeout, OSError.
        """
        name, changes = self._component.name, False
        with locked(self._store.lock, wait=LOCK_WAIT):
            note = self._check()
            if note.problem:
                self._require_no_options(note)
            elif note.init:
                init = self._init(note)
                changes = init.digest != note.written.manifest
                if changes:
                    self._require_no_hold()
                    self._replace(RenderedManifest(init), before=note.written.manifest)
            self._timer.forget_restored()
            self._files.remove_leftovers()
            self._remove_unused()
            with suppress(OSError):  # a manifest of another program may name what is in it
                os.rmdir(f"{self._root}/{name}")
            write_manifest_note(self._store, name, ManifestNote())
        return changes

    def _require_no_hold(self) -> None:
        now = self._clock.since_boot()
        hold = self._hold.read(now)
        if hold is not None:
            raise CannotWrite(hold.sentence(now))

    def _require_no_options(self, note: ManifestNote) -> None:
        """Raise CannotWrite if a manifest that is to be left alone has options of ours."""
        source = self._files.read(self._component.manifest) or b""
        if OPTIONS_ANNOTATION.encode() in source:
            raise CannotWrite(f"options are applied to it, and it is left alone: {note.problem}")

    def _remove_unused(self) -> None:
        """Remove the files of options that no manifest of the folder names."""
        self._files.remove_directories(f"{self._root}/{self._component.name}")

    def _replace(self, rendered: RenderedManifest, *, before: str) -> None:
        try:
            self._files.replace(rendered, before=before)
        except ManifestChanged as error:
            raise CannotWrite(str(error)) from error

    def _require_record(self) -> None:
        """Raise CannotWrite if the options in the store are not those that the node is to use."""
        records, name = self._store.read_records(), self._component.name
        current = records.current
        if current is None and not records.never_written:
            raise CannotWrite("the record of the config in use is damaged, so its options are not written")
        bad = self._store.read_bad_configs(name, self._store.tracking_version(name, self._component.version))
        if current is not None and in_trial(current, records.last_known_good) and current.uid in bad:
            raise CannotWrite("the options on trial are bad, so they are not written")

    def _armed(self, note: ManifestNote) -> ManifestNote:
        """Return the note with what the timer puts in place if the options in use are on trial; arm the timer."""
        records, name = self._store.read_records(), self._component.name
        current, good = records.current, records.last_known_good or LOCAL_CONFIG
        if current is None or not in_trial(current, good) or not current.covers(name):
            return note._replace(prepared=WrittenManifest())
        config = config_for_record(self._component, self._store, good)
        if config is None:
            raise CannotWrite(f"the options of {name} before these are lost, so there is nothing to take back")
        before = self._render(self._init(note), self._options(config))
        path, boot_id = self._files.prepare(before), self._clock.boot_id()
        if not boot_id:
            raise CannotWrite("the kernel's boot id cannot be read, so that no timer can be armed for a trial")
        armed = ArmedTimer(
            int(self._clock.since_boot()) + self._seconds,
            self._seconds,
            boot_id,
            note.intended.manifest,
            self._component.manifest,
            path,
            current.uid or "",
        )
        self._timer.arm(armed)
        return note._replace(prepared=WrittenManifest(before.manifest.digest, digest(config)))

    def _note_same(self, note: ManifestNote) -> None:
        """Note that the manifest in place runs another file of options, which asks for the same."""
        name = self._component.name
        before = read_manifest_note(self._store, name).written.config
        if before != note.written.config:
            version = self._store.tracking_version(name, self._component.version)
            startups = self._store.read_startups(name, version)
            self._store.write_startups(name, version, with_config_in_use(startups, before, note.written.config))
        write_manifest_note(self._store, name, note)

    def _check(self) -> ManifestNote:
        note = read_manifest_note(self._store, self._component.name)
        source = self._files.read(self._component.manifest)
        if source is None:
            return note._replace(seen="", problem=f"{self._component.manifest} is not there")
        try:
            return self._checked(note, source)
        except (CannotWrite, ConfigError, InvalidManifest, UnicodeDecodeError) as error:
            return note._replace(seen=digest(source), problem=str(error))

    def _checked(self, note: ManifestNote, source: bytes) -> ManifestNote:
        seen = digest(source)
        note = note._replace(seen=seen)
        if note.intended.manifest == seen:  # the power was cut before the note
            note = note._replace(written=note.intended, lost="")
        elif note.prepared.manifest == seen and self._timer.restored() is not None:
            note = note._replace(written=note.prepared, prepared=WrittenManifest())
        note = note._replace(intended=WrittenManifest())
        if not note.init:
            return self._take_over(note, source)
        if note.written.manifest == seen:
            return note._replace(problem="")
        return self._classify(note, source)

    def _take_over(self, note: ManifestNote, source: bytes) -> ManifestNote:
        manifest = read_manifest(source, self._component.manifest)
        if manifest.component != self._component.name:
            return note._replace(problem=f"{self._component.manifest}: it does not run {self._component.name}")
        if manifest.applied_options:
            return note._replace(problem=f"{self._component.manifest}: options of another agent are applied to it")
        reasons = unusable_reasons(manifest)
        if reasons:
            return note._replace(problem=reasons[0])
        return self._described(note, manifest)._replace(written=WrittenManifest(note.seen, self._no_options()))

    def _described(self, note: ManifestNote, init: Manifest) -> ManifestNote:
        namespace, _slash, name = init.name.partition("/")
        return note._replace(
            init=init.source.decode(),
            pod=f"{namespace}_{name}-{self._node_name}",
            container=str(init.container["name"]),
            version=f"v{init.release}" if init.release else "",
            grace=max(init.grace, note.grace) if note.init else init.grace,
            problem="",
        )

    def _classify(self, note: ManifestNote, source: bytes) -> ManifestNote:
        init = self._init(note)
        config = self._store.read_rendered(self._component.name, note.written.config)
        if config is None and note.written.config != self._no_options():
            return note._replace(problem=f"{self._component.manifest}: the options that it was written with are lost")
        options = self._options(config)
        written = self._render(init, options)
        difference = classify_change(source, written, init=init, options=options, host_paths=self._host_paths)
        if difference.init is None:
            return note._replace(problem=difference.reason)
        note = self._described(note, difference.init)
        if difference.change is ManifestChange.OPTIONS_LOST:
            return note._replace(written=WrittenManifest(note.seen, self._no_options()), lost=note.written.config)
        return note._replace(written=note.written._replace(manifest=note.seen))

    def _no_options(self) -> str:
        return digest(default_document(self._component.name, has_options=True))

    def _init(self, note: ManifestNote) -> Manifest:
        return read_manifest(note.init.encode(), self._component.manifest)

    def _render(self, init: Manifest, options: Options) -> RenderedManifest:
        try:
            return render(init, options, host_paths=self._host_paths, root=self._root)
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
