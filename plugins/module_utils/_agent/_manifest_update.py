# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Brings the manifest of a static-Pod component in line with its file of options.

Only the command ``static-pod`` imports this file: it needs the engine, which the daemon does without.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import NamedTuple

from .._componentconfig import ConfigError
from .._componentconfig.component_options import ETCD
from .._static_pods.manifest import OPTIONS_ANNOTATION, InvalidManifest, Manifest, read_manifest
from .._static_pods.manifest_changes import ManifestChange, classify_change
from .._static_pods.manifest_folder import unusable_reasons
from .._static_pods.rendered_manifest import RenderedManifest
from ._agent_configuration import AgentConfiguration
from ._etcd_guard import EtcdGuard
from ._hold import HoldFile
from ._interfaces import Clock
from ._manifest_files import ManifestChanged, ManifestFiles
from ._manifest_note import (
    ManifestNote,
    Reload,
    WrittenManifest,
    read_manifest_note,
    write_manifest_note,
)
from ._manifest_rendering import CannotWrite, ManifestRendering, Rendering, contents
from ._pod_history import with_config_in_use, with_reloaded_config
from ._restore_timer import GRACE, ArmedTimer, RestoreTimer
from ._state.active_config import in_trial
from ._state.node_state import Records
from ._state.records import LOCAL_CONFIG, ConfigRecord
from ._store._durable_files import LOCK_WAIT, locked
from ._store._rendered_files import config_for_record
from ._store._store import Store, digest

_ANSWER_HOLDS = 15.0  # seconds in which an answer of the guard counts: it asks several members, and the lock may wait


class _Asked(NamedTuple):
    """That the guard lets the component restart: for which file of options, and when it was asked, since boot."""

    config: str
    since_boot: float


class ManifestUpdate:
    """The check of a component's manifest, and the write that brings it in line with its options."""

    def __init__(
        self,
        configuration: AgentConfiguration,
        component: str,
        store: Store,
        clock: Clock,
        *,
        root: str,
        guard: EtcdGuard | None = None,
    ) -> None:
        """Use the component's manifest. root: has the directories of all components for the files of options.

        guard: of a component that runs as one of several members.
        """
        self._guard = guard
        self._hold = HoldFile(configuration.run_directory)
        self._component = configuration.components[component]
        self._store = store
        self._clock = clock
        self._node_name = configuration.node_name
        self._seconds = int(configuration.health.timeout + GRACE)
        self._timer = RestoreTimer(store, component)
        self._files = ManifestFiles(os.path.dirname(self._component.manifest))
        self._directory = f"{root}/{component}"
        self._rendering = ManifestRendering(self._component, store, self._files, root=root)

    def check(self) -> ManifestNote:
        """Note what the manifest is now, and return the note. Raises LockTimeout, OSError."""
        with locked(self._store.lock, wait=LOCK_WAIT):
            note = self._check()
            write_manifest_note(self._store, self._component.name, note)
        return note

    def write(self, *, can_reload: bool = False) -> bool:
        """Write the manifest with the options in use, which restarts the component; return whether anything changes.

        can_reload: whether the component can show that it has read a file again. A change of one such file is that of
        the file alone then. Raises CannotWrite, LockTimeout, OSError.
        """
        asked = self._ask_guard()
        name = self._component.name
        with locked(self._store.lock, wait=LOCK_WAIT):
            note = self._check()
            write_manifest_note(self._store, name, note)
            config = self._store.read_config(name)
            if config is None:
                raise CannotWrite(f"{self._store.config_path(name)} is not there")
            self._require_record()
            reason = note.reason_to_wait(digest(config)) or note.foreign_file(self._files.read)
            if reason:
                raise CannotWrite(reason)
            rendering = self._rendering.render(self._rendering.init(note), config)
            present = rendering.in_place(note)
            if present is not None and rendering.written(present).reloaded == note.written.reloaded:
                self._note_same(note._replace(written=rendering.written(present), lost=""))
                return False
            self._require_no_hold()
            self._remove_unused()
            reload = self._reload_in(note, rendering, present) if can_reload and present is not None else None
            if present is not None and reload is not None:
                self._reload(note, present, reload, rendering.written(present))
            else:
                form = rendering.lasting
                if contents(form).keys() & note.written.reloaded.keys():  # what runs would read the files of both
                    form = rendering.whole
                self._require_asked(asked, rendering.config)
                self._restart(note, form, rendering.written(form))
        return True

    def _ask_guard(self) -> _Asked | None:
        """Ask whether the other members can do without this one, and save its data before; None without a guard.

        Without the lock, which others need meanwhile. Raises CannotWrite, LockTimeout, OSError.
        """
        if self._guard is None:
            return None
        with locked(self._store.lock, wait=LOCK_WAIT):
            note, config = self._check(), self._store.read_config(self._component.name)
            if config is None or note.reason_to_wait(digest(config)):
                return None  # the write fails, with a reason
            rendering, is_fallback = self._rendering.render(self._rendering.init(note), config), self._is_fallback()
            is_rollback = is_fallback and self._timer.armed() is not None
        if rendering.in_place(note) is not None:
            return None
        self._require_no_hold()  # no snapshot for a restart that will not be
        asked_at = self._clock.since_boot()
        self._require_spared(self._guard, rendering.lasting, is_fallback=is_fallback)
        if not is_rollback:  # which must be quick, and one was saved before
            reason = self._guard.save_snapshot()
            if reason:
                raise CannotWrite(reason)
            asked_at = self._clock.since_boot()
            self._require_spared(self._guard, rendering.lasting, is_fallback=is_fallback)
        return _Asked(rendering.config, asked_at)

    def _require_spared(self, guard: EtcdGuard, form: RenderedManifest, *, is_fallback: bool) -> None:
        """Raise CannotWrite if the other members cannot do without this one."""
        reason = guard.reason_to_keep(form.manifest.arguments, is_fallback=is_fallback)
        if reason:
            raise CannotWrite(reason)

    def _require_asked(self, asked: _Asked | None, config: str) -> None:
        """Raise CannotWrite unless the guard was asked for these options, a moment ago."""
        if self._guard is None:
            return
        if asked is None or asked.config != config or self._clock.since_boot() - asked.since_boot > _ANSWER_HOLDS:
            raise CannotWrite("the answer of the other members is for other options, or too old: they are asked again")

    def _is_fallback(self) -> bool:
        """Return whether the options in use are ones that worked before."""
        records = self._store.read_records()
        return not in_trial(records.current, records.last_known_good)

    def _restart(self, note: ManifestNote, form: RenderedManifest, intended: WrittenManifest) -> None:
        note = note.replaced(self._clock.since_boot(), self._clock.boot_id())
        note, prepared = self._armed(note._replace(intended=intended, reload=Reload()))
        write_manifest_note(self._store, self._component.name, note)
        self._replace(form, before=note.written.manifest)
        self._note_written(note._replace(seen=intended.manifest, prepared=prepared))

    def _reload_in(self, note: ManifestNote, rendering: Rendering, form: RenderedManifest) -> Reload | None:
        """Return the note on the file that is all that changes, and that the component reads again; None without one.

        form: is in place.
        """
        change = self._rendering.change(form, note)
        if change is None:
            return None
        good = self._last_known_good(self._store.read_records())
        is_same = good is not None and good.lasting.manifest.digest == form.manifest.digest
        files = contents(good.lasting) if good is not None and is_same else None
        flag = form.reloaded[os.path.basename(change.path)]
        return note.next_reload(change, flag, files, self._clock.since_boot(), self._clock.boot_id())

    def _reload(self, note: ManifestNote, form: RenderedManifest, reload: Reload, intended: WrittenManifest) -> None:
        """Replace a file that the component reads again."""
        before = note.written.reloaded[reload.path]
        note, prepared = self._armed(note._replace(intended=intended, reload=reload), reload)
        write_manifest_note(self._store, self._component.name, note)
        try:
            self._files.replace_file(reload.path, form.files[os.path.basename(reload.path)], before=before)
        except ManifestChanged as error:
            raise CannotWrite(str(error)) from error
        self._note_reloaded(note.written.config, intended.config)
        self._note_written(note._replace(prepared=prepared))

    def _note_written(self, note: ManifestNote) -> None:
        """Note that what was intended is in place."""
        note = note._replace(written=note.intended, intended=WrittenManifest(), lost="")
        write_manifest_note(self._store, self._component.name, note)
        if not note.prepared.manifest:
            self._timer.disarm()

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
                init = self._rendering.init(note)
                changes = init.digest != note.written.manifest
                if changes:
                    self._require_no_hold()
                    if self._guard is not None:  # the daemon does not run, so that none waits for the lock
                        self._require_spared(self._guard, RenderedManifest(init), is_fallback=True)
                    self._replace(RenderedManifest(init), before=note.written.manifest)
            self._timer.forget_restored()
            self._files.remove_leftovers()
            self._remove_unused()
            with suppress(OSError):  # a manifest of another program may name what is in it
                os.rmdir(self._directory)
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
        self._files.remove_directories(self._directory)

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

    def _armed(self, note: ManifestNote, reload: Reload | None = None) -> tuple[ManifestNote, WrittenManifest]:
        """Arm the timer if the options in use are on trial; return what it puts in place, which the note has, too.

        Without a trial, that is nothing, and the note has what is armed until the options are written. reload: of the
        file that is all that differs from the manifest in place.
        """
        records, name = self._store.read_records(), self._component.name
        current = records.current
        if current is None or not current.covers(name) or not in_trial(current, _good_record(records)):
            return note, WrittenManifest()
        good = self._last_known_good(records)
        if good is None:
            raise CannotWrite(f"the options of {name} before these are lost, so there is nothing to take back")
        boot_id = self._clock.boot_id()
        if not boot_id:
            raise CannotWrite("the kernel's boot id cannot be read, so that no timer can be armed for a trial")
        form, file, written = good.lasting, self._component.manifest, note.intended.manifest
        if reload is not None:
            file, written = reload.path, reload.content
            prepared = self._files.prepare_file(file, form.files[os.path.basename(file)])
        else:
            used = {**note.written.reloaded, **note.intended.reloaded}
            if any(used.get(path, content) != content for path, content in contents(form).items()):
                form = good.whole
            prepared = self._files.prepare(form)
        deadline = int(self._clock.since_boot()) + self._seconds
        self._timer.arm(ArmedTimer(deadline, self._seconds, boot_id, written, file, prepared, current.uid or ""))
        return note._replace(prepared=good.written(form)), good.written(form)

    def _last_known_good(self, records: Records) -> Rendering | None:
        """Return the manifests of the options that a trial falls back to, None if they are lost."""
        config = config_for_record(self._component, self._store, _good_record(records))
        if config is None:
            return None
        note = read_manifest_note(self._store, self._component.name)
        return self._rendering.render(self._rendering.init(note), config)

    def _note_same(self, note: ManifestNote) -> None:
        """Note that the manifest in place runs another file of options, which asks for the same."""
        name = self._component.name
        before = read_manifest_note(self._store, name).written.config
        if before != note.written.config:
            version = self._store.tracking_version(name, self._component.version)
            startups = self._store.read_startups(name, version)
            self._store.write_startups(name, version, with_config_in_use(startups, before, note.written.config))
        write_manifest_note(self._store, name, note)

    def _note_reloaded(self, before: str, config: str) -> None:
        """Note that the running process is to use another file of options from now on."""
        version = self._store.tracking_version(self._component.name, self._component.version)
        startups = self._store.read_startups(self._component.name, version)
        changed = with_reloaded_config(startups, {before}, config, self._clock.since_boot())
        self._store.write_startups(self._component.name, version, changed)

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
        if self._is_in_place(note.intended, seen):  # the power was cut before the note
            if note.intended.manifest == note.written.manifest:
                self._note_reloaded(note.written.config, note.intended.config)
            note = note._replace(written=note.intended, lost="")
        elif self._is_in_place(note.prepared, seen) and self._timer.restored() is not None:
            note = note._replace(written=note.prepared, prepared=WrittenManifest())
        note = note._replace(intended=WrittenManifest())
        if not note.init:
            return self._take_over(note, source)
        if note.written.manifest != seen:
            return self._classify(note, source)
        return note._replace(problem="")

    def _is_in_place(self, written: WrittenManifest, seen: str) -> bool:
        files = written.reloaded.items()
        return written.manifest == seen and all(digest(self._files.read(file) or b"") == sha for file, sha in files)

    def _take_over(self, note: ManifestNote, source: bytes) -> ManifestNote:
        manifest = read_manifest(source, self._component.manifest)
        if manifest.component != self._component.name:
            return note._replace(problem=f"{self._component.manifest}: it does not run {self._component.name}")
        if manifest.applied_options:
            return note._replace(problem=f"{self._component.manifest}: options of another agent are applied to it")
        reasons = unusable_reasons(manifest)
        if reasons:
            return note._replace(problem=reasons[0])
        written = WrittenManifest(note.seen, self._rendering.no_options())
        return self._described(note, manifest)._replace(written=written)

    def _described(self, note: ManifestNote, init: Manifest) -> ManifestNote:
        namespace, _slash, name = init.name.partition("/")
        return note._replace(
            init=init.source.decode(),
            pod=f"{namespace}_{name}-{self._node_name}",
            container=str(init.container["name"]),
            version=f"v{init.release}" if init.release and init.component != ETCD else "",
            grace=max(init.grace, note.grace) if note.init else init.grace,
            problem="",
        )

    def _classify(self, note: ManifestNote, source: bytes) -> ManifestNote:
        init, no_options = self._rendering.init(note), self._rendering.no_options()
        config = self._store.read_rendered(self._component.name, note.written.config)
        if config is None and note.written.config != no_options:
            return note._replace(problem=f"{self._component.manifest}: the options that it was written with are lost")
        options, rendering = self._rendering.options(config), self._rendering.render(init, config)
        written = rendering.in_place(note) or rendering.lasting
        host_paths = self._rendering.host_paths
        difference = classify_change(source, written, init=init, options=options, host_paths=host_paths)
        if difference.init is None:
            return note._replace(problem=difference.reason)
        note = self._described(note, difference.init)
        if difference.change is ManifestChange.OPTIONS_LOST:
            return note._replace(written=WrittenManifest(note.seen, no_options), lost=note.written.config)
        return note._replace(written=note.written._replace(manifest=note.seen))


def _good_record(records: Records) -> ConfigRecord:
    return records.last_known_good or LOCAL_CONFIG
