# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Shows by the metrics of this node's API server whether it uses a file that it was to read again, and still does."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import NamedTuple

from .._componentconfig._flags.kubelet_flags import parse_flags
from .._componentconfig._options import RELOADED_FILES
from .._kube.api_errors import KubeError, ServerError, TooManyRequests, Unreachable, UnusableAnswer
from .._static_pods.reload_metrics import ReloadMetrics, ReloadState, read_reload_metrics, reload_state
from ._instance_addresses import API_SERVER
from ._instance_client import InstanceClients
from ._interfaces import Clock
from ._log import log
from ._manifest_note import SHOWN_WITHIN, ManifestNote, Reload, read_manifest_note
from ._state.active_config import in_trial
from ._state.health import ProbeResult, Unit
from ._store._store import Store
from ._validation._shadowed_fields import read_command_line

_METRICS = "/metrics"
_SILENCE = 2.0  # seconds
_LONGEST = 5.0  # seconds for all of them: less than a probe may take
_PAUSE = 1.0  # seconds between two readings at least: the metrics of a large cluster have megabytes
_PART = 0.1  # of the time since a file was written, after which it is asked for again
_UNANSWERED = 10.0  # seconds after which a content that was in use before is not judged without metrics
_TRIED_FOR = 130.0  # seconds after a failure in which an API server may try the same content once more, and fail
_COMPARE_EVERY = 60.0  # seconds, once it is shown: an API server itself looks at its files once a minute


class _Comparison(NamedTuple):
    """The last look at what a start uses of these files, in seconds since boot. path: of one with another content."""

    invocation: str = ""
    files: Mapping[str, str] = {}
    at: float = 0.0
    path: str = ""


class ReloadProof:
    """Asks this node's API server, which alone knows what it has read."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        clients: InstanceClients,
        *,
        epoch: Callable[[], float] = time.time,
        command_line: Callable[[int], Sequence[str]] = read_command_line,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Use the notes of a store. epoch: the time of day, in seconds since 1970. command_line: of a process."""
        self._store = store
        self._clock = clock
        self._clients = clients
        self._epoch = epoch
        self._command_line = command_line
        self._sleep = sleep
        self._url = ""
        self._closed = self._asked = Reload()
        self._answer: ProbeResult | None = None
        self._read_at = float("-inf")
        self._compared = _Comparison()

    def can_show(self) -> bool:
        """Return whether the API server that was probed last lets this node read its metrics.

        If it does not, a file is read again by a restart, which a busy API server does not justify: it is asked twice.
        """
        if not self._url:
            log.info("no reload of a file can be shown: the API server was not probed since this agent started")
            return False
        problem = ""
        for attempt in range(2):
            try:
                busy = self._busy_flag(self._read(RELOADED_FILES))
                if busy:
                    problem = f"the API server may still ask for the content of {busy} before"
                    break
                return True
            except (Unreachable, UnusableAnswer, ServerError, TooManyRequests) as error:
                problem = str(error)
                self._sleep(0.0 if attempt else _PAUSE)
            except (KubeError, OSError) as error:
                problem = str(error)
                break
        log.info("no reload of a file can be shown: %s", problem)
        return False

    def _busy_flag(self, known: Mapping[str, ReloadMetrics]) -> str:
        """Return the flag of a file that was refused a short time ago and is not known to be in use, "" without one.

        It is asked for again each minute, for a minute: how that ends would count for the next content. Raises OSError.
        """
        now, reload = self._epoch(), read_manifest_note(self._store, API_SERVER).reload
        for flag, metrics in known.items():
            is_in_use = bool(metrics.in_use) and (flag, metrics.in_use) == (reload.flag, reload.content)
            if not is_in_use and metrics.failed > max(metrics.succeeded, now - _TRIED_FOR):
                return flag
        return ""

    def __call__(self, url: str, unit: Unit) -> ProbeResult | None:
        """Return a failure while another content of a file than the one on disk is in use, None otherwise.

        url: any address of the instance. unit: the API server; one that has started since has read the file then.
        Raises OSError.
        """
        self._url = url
        note, now, started = read_manifest_note(self._store, API_SERVER), self._clock.since_boot(), unit.active_since
        reload = note.reload
        if not self._is_open(note, unit):
            return self._standing(note, unit, now)
        pause = max(_PAUSE, _PART * min(now - reload.since, SHOWN_WITHIN))
        if reload != self._asked or now - self._read_at >= pause:
            self._asked, self._read_at = reload, now
            self._answer = self._result(reload, now, is_older=started is not None and started < reload.tried)
        return self._answer

    def _is_open(self, note: ManifestNote, unit: Unit) -> bool:
        """Return whether the process is to read a file again and has not shown that it has."""
        reload, started = note.reload, unit.active_since
        is_written = bool(reload.path) and note.written.reloaded.get(reload.path) == reload.content
        if not is_written or reload == self._closed or reload.boot_id != self._clock.boot_id():
            return False
        return started is None or started <= reload.since

    def _standing(self, note: ManifestNote, unit: Unit, now: float) -> ProbeResult | None:
        """Return a failure if the process no longer uses what is on disk: its next start may fail with that.

        Before 1.34 no metric shows that.
        """
        reloaded = note.written.reloaded
        if not reloaded or unit.pid is None:
            return None
        if (self._compared.invocation, self._compared.files) != (unit.invocation, reloaded):
            self._compared = _Comparison(unit.invocation, reloaded, now)
        elif now - self._compared.at >= (_PAUSE if self._compared.path else _COMPARE_EVERY):
            self._compared = self._compared._replace(at=now, path=self._other_content(reloaded, unit.pid))
        path = self._compared.path
        detail = f"it uses another content of {path} than the one on disk, which its next start reads"
        return ProbeResult(False, detail) if path else None

    def _other_content(self, reloaded: Mapping[str, str], pid: int) -> str:
        """Return the path of a file of which another content is in use, "" without one, or if no metrics are read."""
        flags = dict(parse_flags(self._command_line(pid)))
        paths = {flag: flags[flag] for flag in RELOADED_FILES if flags.get(flag, "") in reloaded}
        try:
            metrics = self._read(paths) if paths else {}
        except KubeError as error:
            log.info("whether %s is still in use is not judged: %s", " and ".join(paths.values()), error)
            return ""
        others = (path for flag, path in paths.items() if metrics[flag].in_use not in ("", reloaded[path]))
        return next(others, "")

    def _result(self, reload: Reload, now: float, *, is_older: bool) -> ProbeResult | None:
        """Return what the metrics say. is_older: whether the process is older than the content that is taken back."""
        boot = self._epoch() - now
        tried = boot + reload.tried if is_older else None
        state, reason = ReloadState.OPEN, ""
        try:
            metrics = self._read([reload.flag])
            state = reload_state(metrics[reload.flag], content=reload.content, since=boot + reload.since, tried=tried)
        except KubeError as error:
            reason = f": {error}"
        if state is ReloadState.IN_USE:
            self._closed = reload
            return None
        if state is ReloadState.REFUSED:
            return ProbeResult(False, f"it refuses {reload.path}, and keeps the content before", is_final=True)
        if reason and now - reload.since > _UNANSWERED and not self._must_be_shown(reload):
            log.warning("whether %s is in use is not judged%s", reload.path, reason)
            self._closed = reload
            return None
        is_late = now - reload.since > SHOWN_WITHIN
        return ProbeResult(False, f"it has not shown that it uses {reload.path}{reason}", is_final=is_late)

    def _must_be_shown(self, reload: Reload) -> bool:
        """Return whether a content is on trial, and was not in use before it. Raises OSError."""
        records = self._store.read_records()
        return not reload.tried and in_trial(records.current, records.last_known_good)

    def _read(self, flags: Iterable[str]) -> dict[str, ReloadMetrics]:
        """Return the metrics of the files of these flags. Raises KubeError, also if they take too long."""
        with closing(self._clients.at(self._url).stream(_METRICS, read_timeout=_SILENCE)) as lines:
            return read_reload_metrics(self._in_time(lines), flags)

    def _in_time(self, lines: Iterable[bytes]) -> Iterator[bytes]:
        ends = self._clock.since_boot() + _LONGEST
        for line in lines:
            yield line
            if self._clock.since_boot() > ends:
                raise UnusableAnswer(f"the answer takes more than {_LONGEST:g} s", where=f"GET {_METRICS}")
