# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records starts and ends of a static Pod's container, which no hook reports, from one check to the next.

Pure. The record has the shape of a unit's, so that crashes are counted in one way.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from ._state.node_state import Moment
from ._state.start_history import MAX_STARTUPS, End, Start, append_start

_CRASHED = End(result="exit-code", exit_code="exited")  # by itself; its exit status is not in the kubelet's logs
_REPLACED = End(result="success", exit_code="killed")  # by the kubelet, for another manifest
_HAD_NO_PORT = End(result="success", exit_code="exited")  # the process of an older Pod still had it


class PodStart(NamedTuple):
    """The newest start of a component's container.

    uid: of its Pod. attempt: how many starts of it came before. since_boot: when it was, as far as that is known, in
    seconds. has_rival: whether a process of another Pod of the component runs. is_alive: whether its own does.
    """

    uid: str
    attempt: int
    since_boot: float
    has_rival: bool = False
    is_alive: bool = False

    @property
    def invocation(self) -> str:
        """The name of the start."""
        return f"{self.uid}/{self.attempt}"


def record_pod_start(
    startups: Sequence[Start],
    seen: PodStart,
    *,
    config: str,
    moment: Moment,
    is_settled: bool = True,
    is_written: bool = True,
) -> list[Start] | None:
    """Return the startups with the start that was seen and the ends before it; None if nothing is new.

    Starts of a Pod before the first one that was seen are left out: an older Pod of the same manifest has the same uid.
    config: SHA-256 of the file of options that the manifest has, "" for one that the agent has not written. is_settled:
    False while what ends is not charged to the options. is_written: whether the manifest has those in use.
    """
    last = startups[-1] if startups else None
    if last is not None and last.boot_id != moment.boot_id:
        last = None  # a boot ends every process, which does not count as a crash
    uid, attempt = _parse(last.invocation) if last is not None else ("", -1)
    is_same_pod = uid == seen.uid
    if is_same_pod and seen.attempt <= attempt:
        if last is not None and last.end is not None and seen.is_alive and seen.attempt == attempt:
            return [*startups[:-1], last._replace(end=None)]  # it was not seen for a moment
        return None  # a log that is being rotated is missing for a moment
    read = last.config if last is not None and is_same_pod else config
    is_charged = is_settled and is_same_pod and read == config != ""
    result = list(startups)
    # The kubelet replaces a Pod whose manifest is the same after an upgrade of its own.
    if last is not None and (last.end is None or (not is_same_pod and is_written and last.config == config)):
        result[-1] = last._replace(end=_end(seen, moment, is_charged=is_charged))
    for missed in range(max(attempt + 1, seen.attempt - MAX_STARTUPS), seen.attempt) if is_same_pod else ():
        end = _end(seen, moment, is_charged=is_charged)
        result = append_start(result, _start(f"{seen.uid}/{missed}", seen, read, moment)._replace(end=end))
    return append_start(result, _start(seen.invocation, seen, read, moment))


def record_pod_end(
    startups: Sequence[Start], seen: PodStart, *, config: str, moment: Moment, is_settled: bool = True
) -> list[Start] | None:
    """Return the startups with the end of the start that was seen, whose process has gone; None if nothing is new.

    The kubelet starts the next one after a pause, which may last minutes. An end that is not charged to the options is
    recorded with the next start only. The arguments are those of record_pod_start.
    """
    last = startups[-1] if startups else None
    if last is None or last.end is not None or (last.invocation, last.boot_id) != (seen.invocation, moment.boot_id):
        return None
    if not is_settled or not config or last.config != config:
        return None
    return [*startups[:-1], last._replace(end=_end(seen, moment, is_charged=True))]


def was_replaced(startups: Sequence[Start], uid: str, attempt: int, *, replaced_at: float, boot_id: str) -> bool:
    """Return whether a Pod without a process ran before its manifest was replaced, and has not started since.

    However new its log is: while the Pod takes its time to end, a kubelet removes its logs, and then has the runtime
    begin another one. attempt: the newest that the logs show. replaced_at: in seconds since the boot of boot_id, 0 if
    the manifest was not replaced since then. A start that was not recorded was not replaced.
    """
    starts = [(*_parse(start.invocation), start.since_boot) for start in startups if start.boot_id == boot_id]
    own = [(number, since) for known, number, since in starts if known == uid]
    if not own:
        return False
    number, since = own[-1]
    return attempt <= number and since < replaced_at


def with_config_in_use(startups: Sequence[Start], before: str, config: str) -> list[Start]:
    """Return the startups for a manifest that is the same with another file of options. before, config: SHA-256."""
    return [start._replace(config=config) if start.config == before else start for start in startups]


def with_reloaded_config(startups: Sequence[Start], before: Collection[str], config: str, now: float) -> list[Start]:
    """Return the startups for a process that reads another file of options while it runs, from now on.

    before, config: SHA-256; before has each that it may have read. now: in seconds since boot, so that an end counts
    for the options that it has by then.
    """
    last = startups[-1] if startups else None
    if last is None or last.config not in before:
        return list(startups)
    return [*startups[:-1], last._replace(config=config, since_boot=now)]


def _end(seen: PodStart, moment: Moment, *, is_charged: bool) -> End:
    """Return how a start before the one that was seen has ended. is_charged: whether it ran the options in use."""
    end = _REPLACED if not is_charged else _HAD_NO_PORT if seen.has_rival else _CRASHED
    return end._replace(since_boot=moment.now, time=moment.time)


def _start(invocation: str, seen: PodStart, config: str, moment: Moment) -> Start:
    return Start(invocation, moment.boot_id, seen.since_boot, moment.time, config)


def _parse(invocation: str) -> tuple[str, int]:
    """Return the uid and the attempt of a start's name."""
    uid, _slash, attempt = invocation.partition("/")
    return uid, int(attempt) if attempt.isascii() and attempt.isdigit() else -1
