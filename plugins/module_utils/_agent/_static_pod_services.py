# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Observes and restarts components that the kubelet runs as static Pods.

A manifest that is written is the restart. A child process writes it, because rendering needs the engine. No hook
reports when a container starts or ends, so each check records what is new in the kubelet's logs, and whether the
process has gone.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence

from .._componentconfig._options import ETCD
from ._agent_configuration import ComponentConfiguration
from ._idle_kubelet import IdleKubelet
from ._instance_addresses import API_SERVER
from ._interfaces import Clock, CommandRunner, ServiceManager, ServiceManagerError
from ._left_over_pods import LeftOverPods, Send, signal_sender
from ._log import log
from ._manifest_files import ManifestFiles
from ._manifest_note import (
    ManifestNote,
    Reload,
    WrittenManifest,
    read_manifest_note,
    write_manifest_note,
)
from ._pod_files import PodFiles, PodRun, newest_run
from ._pod_history import PodStart, record_pod_end, record_pod_start, was_replaced, with_reloaded_config
from ._reporting._crash_messages import readable
from ._restore_timer import ArmedTimer, RestoreTimer
from ._state.active_config import in_trial, unhealthy_reason
from ._state.health import Unit
from ._state.node_state import Moment
from ._state.start_history import BadConfig, End, is_crash
from ._store._durable_files import LOCK_WAIT, LockTimeout, locked
from ._store._store import Store, digest

_WRITE_TIMEOUT = 60.0  # seconds for the child; it needs less than two
_SNAPSHOT_TIMEOUT = 600.0  # seconds for the child that saves a snapshot first: 60 MB/s, and etcd has 8 GB at most


class StaticPods:
    """Implements the ServiceManager protocol for static Pods."""

    def __init__(
        self,
        components: Mapping[str, ComponentConfiguration],
        store: Store,
        clock: Clock,
        run: CommandRunner,
        argv: Sequence[str],
        *,
        files: PodFiles | None = None,
        epoch: Callable[[], float] = time.time,
        send: Send | None = None,
        can_show_reload: Callable[[], bool] = lambda: False,
        restart_kubelet: Callable[[], object] = lambda: None,
    ) -> None:
        """Create the service manager.

        components: those with a manifest. run: runs the child. argv: the child's words before its own arguments.
        files: what the kubelet and the kernel show. epoch: the time of day, in seconds since 1970. send: sends signals.
        can_show_reload: whether this node's API server shows which files it has read again. restart_kubelet: restarts
        the kubelet if it runs.
        """
        self._components = components
        self._store = store
        self._clock = clock
        self._run = run
        self._argv = tuple(argv)
        self._files = files or PodFiles()
        self._epoch = epoch
        self._can_show_reload = can_show_reload
        self._idle_kubelet = IdleKubelet(restart_kubelet)
        self._left_overs = LeftOverPods(send or signal_sender(self._files.is_running))
        self._alive: dict[str, tuple[str, str]] = {}  # by component: a start whose process was seen, the manifest then
        self._mutexes = {name: threading.Lock() for name in components}  # a check and its record are one

    def unit(self, component: str) -> Unit:
        """Return the present state of a component's Pod, and record what is new. Raises ServiceManagerError."""
        with self._mutexes[component]:
            return self._check(component)

    def _check(self, component: str) -> Unit:
        name = f"static Pod {component}"
        try:
            self._take_over_from_timer(component)
            note = self._without_lost(component, self._note(component))
            reason = note.reason_to_wait(self._config(component)) or note.foreign_file(ManifestFiles("/").read)
            config = note.written.config
            if reason and not note.pod:
                return Unit(name, "foreign", config=config, reason=reason)
            runs = self._without_replaced(component, note)
            run = newest_run(runs, epoch_of_boot=self._epoch() - self._clock.since_boot())
            if run is not None:
                self._record(component, run, runs, note)
                if run.process is not None and self._alive.get(component, ("", ""))[0] != run.invocation:
                    self._alive[component] = run.invocation, note.seen
            if reason or run is None:
                self._alive.pop(component, None)
                self._left_overs.forget(component)
            elif config == self._config(component):
                reason = self._end_left_over(component, run, runs, note)
            if not reason:
                self._check_kubelet(component, runs, note)
            self._confirm(component)
        except (OSError, LockTimeout) as error:
            raise ServiceManagerError(f"{name} was not seen: {error}") from error
        if run is None:
            return Unit(name, "foreign" if reason else "starting", config=config, reason=reason)
        process = run.process
        return Unit(
            name,
            "foreign" if reason else "starting" if process is None else "active",
            invocation=run.invocation,
            pid=None if process is None else process.pid,
            active_since=None if process is None else process.started,
            config=config,
            reason=reason,
        )

    def _without_replaced(self, component: str, note: ManifestNote) -> list[PodRun]:
        """Return the Pods of a component, without those that its present manifest has replaced and that have ended."""
        runs, boot_id = self._files.runs(note.pod, note.container, component), self._clock.boot_id()
        replaced_at = note.replaced_since_boot(boot_id)
        version = self._store.tracking_version(component, self._components[component].version)
        startups = self._store.read_startups(component, version) if replaced_at else []
        return [
            run
            for run in runs
            if run.process is not None
            or not was_replaced(startups, run.uid, run.attempt, replaced_at=replaced_at, boot_id=boot_id)
        ]

    def _check_kubelet(self, component: str, runs: Sequence[PodRun], note: ManifestNote) -> None:
        now = self._clock.since_boot()
        self._idle_kubelet.check(
            component,
            runs,
            replaced_at=note.replaced_since_boot(self._clock.boot_id()),
            grace=note.grace,
            now=now,
            epoch_of_boot=self._epoch() - now,
        )

    def _end_left_over(self, component: str, run: PodRun, runs: Sequence[PodRun], note: ManifestNote) -> str:
        return self._left_overs.end(
            component,
            run,
            runs,
            replaced_at=note.replaced_since_boot(self._clock.boot_id()),
            grace=note.grace,
            now=self._clock.since_boot(),
            ending_reason=lambda start: self._files.ending_reason(note.pod, note.container, start),
        )

    def restart(self, component: str) -> bool:
        """Write the manifest with the options in use; return False if a file that it reads again is all that differs.

        Raises ServiceManagerError.
        """
        before = self._manifest(component)
        self._ask(component, *(["--reload"] if component == API_SERVER and self._can_show_reload() else []))
        return self._manifest(component) != before

    def _manifest(self, component: str) -> str:
        """Return the SHA-256 of the manifest that was written last. Raises ServiceManagerError."""
        try:
            return read_manifest_note(self._store, component).written.manifest
        except OSError as error:
            raise ServiceManagerError(f"static Pod {component}: {error}") from error

    def version(self, component: str) -> str:
        """Return the version that the component's image names, "" if it names none or cannot be seen."""
        try:
            return self._components[component].version or self._note(component).version
        except (OSError, ServiceManagerError) as error:
            log.warning("the version of %s is not known: %s", component, error, extra={"component": component})
            return ""

    def _note(self, component: str) -> ManifestNote:
        """Return the note on a manifest as it is now."""
        manifest = self._components[component].manifest
        note = read_manifest_note(self._store, component)
        source = ManifestFiles("/").read(manifest)
        seen = "" if source is None else digest(source)
        is_known = note.seen == seen and bool(note.init or note.problem)
        if is_known and (not note.intended.manifest or not note.unwritten_files(ManifestFiles("/").read)):
            return note  # no write was interrupted
        self._ask(component, "--check")
        return read_manifest_note(self._store, component)

    def _without_lost(self, component: str, note: ManifestNote) -> ManifestNote:
        """Return the note; forget the options that the manifest has lost once no record of this node names them.

        A rollback to them would write them without a trial.
        """
        if not note.lost:
            return note
        with locked(self._store.lock, wait=LOCK_WAIT):
            note, records = read_manifest_note(self._store, component), self._store.read_records()
            known = [record.files.get(component) for record in (records.current, records.last_known_good) if record]
            if note.problem or note.written.config != self._config(component) or note.lost in known:
                return note
            note = note._replace(lost="")
            write_manifest_note(self._store, component, note)
        return note

    def _take_over_from_timer(self, component: str) -> None:
        """Record what the timer has taken back, before anything is decided from the manifest."""
        timer = RestoreTimer(self._store, component)
        if timer.restored() is None:
            return
        with locked(self._store.lock, wait=LOCK_WAIT):
            restored, note = timer.restored(), read_manifest_note(self._store, component)
            if restored is None:
                return
            self._mark_unconfirmed(component, restored, note)
            if note.prepared.manifest:
                write_manifest_note(self._store, component, self._taken_back(component, note, restored))
            timer.forget_restored()

    def _taken_back(self, component: str, note: ManifestNote, restored: ArmedTimer) -> ManifestNote:
        """Return the note for what the timer has put in place: a manifest, or a file that the component reads again."""
        before, after = {note.written.config, note.intended.config}, note.prepared
        now, boot_id = self._clock.since_boot(), self._clock.boot_id()
        tried = note.reload.since if note.reload.boot_id == boot_id else 0.0  # a process of this boot began with it
        content = after.reloaded.get(restored.manifest, "")
        reload = note.reload._replace(content=content, since=now, boot_id=boot_id, tried=tried)
        note = note._replace(written=after, intended=WrittenManifest(), prepared=WrittenManifest())
        if restored.manifest == self._components[component].manifest:
            return note.replaced(now, boot_id)._replace(reload=Reload())
        version = self._store.tracking_version(component, self._components[component].version)
        startups = self._store.read_startups(component, version)
        self._store.write_startups(component, version, with_reloaded_config(startups, before, after.config, now))
        return note._replace(reload=reload)

    def _confirm(self, component: str) -> None:
        """Move the deadline of the timer while options are on trial, since they were seen; disarm it afterwards."""
        timer = RestoreTimer(self._store, component)
        if timer.armed() is None:
            return
        with locked(self._store.lock, wait=LOCK_WAIT):
            records, note = self._store.read_records(), read_manifest_note(self._store, component)
            is_written = note.written.config == self._config(component)
            # A member of etcd whose rollback waits for the others is not restarted by the timer either.
            if in_trial(records.current, records.last_known_good) or (component == ETCD and not is_written):
                timer.confirm(self._clock.since_boot(), self._clock.boot_id())
            elif is_written:
                timer.disarm()
                write_manifest_note(self._store, component, note._replace(prepared=WrittenManifest()))

    def _mark_unconfirmed(self, component: str, restored: ArmedTimer, note: ManifestNote) -> None:
        """Mark a config as bad that the timer has taken back: the agent then rolls back as from any bad config."""
        log.error("the timer has restored %s", restored.manifest, extra={"component": component, "uid": restored.uid})
        records = self._store.read_records()
        current = records.current
        if current is None or current.source is None or not in_trial(current, records.last_known_good):
            return
        # The same options may be pinned under another uid meanwhile.
        if current.uid != restored.uid and note.written.config != self._config(component):
            return
        version = self._store.tracking_version(component, self._components[component].version)
        marks = self._store.read_bad_configs(component, version)
        probe = f"{component}: no agent has confirmed it, and the timer has restored the manifest before"
        within = float(restored.seconds)
        reason = unhealthy_reason(within, probe)
        name, now = current.source.name, self._clock.now()
        marks[current.source.uid] = BadConfig(now, reason, "NotHealthy", name, within=within, probe=probe)
        self._store.write_bad_configs(component, version, marks)

    def _is_served_since(self, since_boot: float) -> bool:
        """Return whether this node's API server has run since a time, so that no end after that is due to its restart.

        A leader ends when it cannot renew its Lease, and a start without an API server ends, too.
        """
        note = read_manifest_note(self._store, API_SERVER)
        runs = self._files.runs(note.pod, note.container, API_SERVER) if note.pod else []
        started = [run.process.started for run in runs if run.process is not None]
        is_stable = note.written.config == self._config(API_SERVER)
        return is_stable and bool(started) and max(started) <= since_boot

    def _config(self, component: str) -> str:
        return digest(self._store.read_config(component) or b"")

    def _ask(self, component: str, *options: str) -> None:
        timeout = _SNAPSHOT_TIMEOUT if component == ETCD and not options else _WRITE_TIMEOUT
        result = self._run([*self._argv, *options, component], timeout=timeout)
        if result.code != 0:
            cause = " ".join((result.err or result.out).split())[:300] or f"exit code {result.code}"
            raise ServiceManagerError(f"static Pod {component}: {cause}")

    def _record(self, component: str, run: PodRun, runs: Sequence[PodRun], note: ManifestNote) -> None:
        now = self._clock.since_boot()
        if run.process is None and run.logged_since < self._epoch() - now:
            return  # its logs are of the boot before
        moment = Moment(now, self._clock.boot_id(), self._clock.now())
        since = now if run.process is None else run.process.started
        has_rival = any(other.process is not None for other in runs if other.uid != run.uid)
        seen = PodStart(run.uid, run.attempt, since, has_rival, run.process is not None)
        with locked(self._store.lock, wait=LOCK_WAIT):
            version = self._store.tracking_version(component, self._components[component].version)
            startups = self._store.read_startups(component, version)
            # A manifest that has lost its options is known: it has none.
            config = "" if note.problem else note.written.config
            is_written = is_settled = note.written.config == self._config(component)
            if component != API_SERVER and API_SERVER in self._components:
                is_settled = is_settled and self._is_served_since(startups[-1].since_boot if startups else now)
            changed = record_pod_start(
                startups, seen, config=config, moment=moment, is_settled=is_settled, is_written=is_written
            )
            if changed is None and self._has_ended(component, run, note):
                changed = record_pod_end(startups, seen, config=config, moment=moment, is_settled=is_settled)
            if changed is None:
                return
            self._store.write_startups(component, version, changed)
            crashed = [start.invocation for start in changed if start.end is not None and _has_crashed(start.end, now)]
            if crashed:
                reason = readable(self._files.ending_reason(note.pod, note.container, crashed[-1]))
                note = read_manifest_note(self._store, component)
                write_manifest_note(self._store, component, note._replace(crashed=crashed[-1], crash_reason=reason))

    def _has_ended(self, component: str, run: PodRun, note: ManifestNote) -> bool:
        """Return whether the process of a start has gone, and not because its manifest is another one by now."""
        invocation, manifest = self._alive.get(component, ("", ""))
        if run.process is not None or invocation != run.invocation:
            return False  # it may be about to begin
        source = ManifestFiles("/").read(self._components[component].manifest)
        is_same = source is not None and digest(source) == note.seen == manifest
        return is_same and not note.reason_to_wait(self._config(component))


def _has_crashed(end: End, now: float) -> bool:
    """Return whether an end that is recorded now is a crash."""
    return end.since_boot == now and is_crash(end)


class ServiceManagers:
    """Implements the ServiceManager protocol for a node's components, each with its own service manager."""

    def __init__(self, managers: Mapping[str, ServiceManager]) -> None:
        """Use these service managers, by component."""
        self._managers = managers

    def unit(self, component: str) -> Unit:
        """Return the present state. Raises ServiceManagerError."""
        return self._managers[component].unit(component)

    def restart(self, component: str) -> bool:
        """Request a restart; return False if the component needs none. Raises ServiceManagerError."""
        return self._managers[component].restart(component)
