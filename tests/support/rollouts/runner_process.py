# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A runner as a process of its own, which may be killed or frozen, and whose requests may fail."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from ansible_collections.configok.node.plugins.module_utils._kube.api_client import Client, Interrupt
from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import Unreachable
from ansible_collections.configok.node.plugins.module_utils._kube.credentials import Credentials
from ansible_collections.configok.node.plugins.module_utils._kube.retry import ONCE, PATIENT
from ansible_collections.configok.node.plugins.module_utils._kube.transport import ClientSettings, Lines, Timing
from ansible_collections.configok.node.plugins.module_utils._kube.transport import Response as Answer
from embedded_apiserver.server import EmbeddedApiServer
from support.rollouts.faulty_clients import Killed
from support.rollouts.local_transport import LocalTransport
from support.rollouts.timeline import Timeline
from support.rollouts.virtual_clock import VirtualClock
from support.rollouts.world import World

__all__ = ["Fault", "Faults", "Killed", "RunnerProcess"]

# A status with which a request is refused, or: no answer within 30 s, to a request that did not, or did, take effect;
# a connection that breaks at once, likewise.
Fault = Literal[409, 429, 500, 503, 504, "not received", "lost", "slowly not received", "slowly lost"]
_TIMEOUT = 30.0


@dataclass(frozen=True)
class Faults:
    """What happens to a process and its requests. Writes and requests are counted from 1.

    kill_at: the write at which the process is killed; 0: never. after: whether that write took effect. lose: writes
    whose answer is lost. requests: faults by request. outages: times, in seconds since the process began, at which the
    server goes away, and for how long. freezes: likewise, when the process stops for a while. patient: whether the
    client sends requests again by itself.
    """

    kill_at: int = 0
    after: bool = False
    lose: frozenset[int] = frozenset()
    requests: Mapping[int, Fault] = field(default_factory=dict)
    outages: tuple[tuple[float, float], ...] = ()
    freezes: tuple[tuple[float, float], ...] = ()
    patient: bool = True


class RunnerProcess:
    """A process with a client of its own. writes: how many it has sent; dead: it sends nothing from then on."""

    def __init__(self, world: World, timeline: Timeline, name: str, faults: Faults, *, latency: float = 0.005) -> None:
        assert isinstance(world.clock, VirtualClock)
        self.name = name
        self.faults = faults
        self.latency = latency
        self.clock: VirtualClock = world.clock
        self.began = world.clock.monotonic()
        self.timeline = timeline
        self.server = world.server
        self.writes = 0
        self.sent = 0
        self.hit: list[str] = []
        self.dead = False
        world.server.add_token(name, name, ("system:masters",))
        timeline.runners.add(name)
        self.client = Client(
            Credentials(server="http://in-this-process", token=name),
            ClientSettings(retries=PATIENT if faults.patient else ONCE),
            timing=Timing(world.clock.sleep, world.clock.monotonic, random=lambda: 0.5),
            transport=_ProcessTransport(self),
        )
        for at, seconds in faults.outages:
            world.later(at, lambda: world.server.end_watches(name) if not self.dead else None)
            self.hit += [f"no server from {at:g}s on, for {seconds:g}s"]

    def freeze(self) -> None:
        """Wait while the process is frozen."""
        for at, seconds in self.faults.freezes:
            now = self.clock.monotonic() - self.began
            if at <= now < at + seconds:
                self.clock.sleep(at + seconds - now)

    @property
    def is_cut_off(self) -> bool:
        """Return whether the server is away."""
        now = self.clock.monotonic() - self.began
        return any(at <= now < at + seconds for at, seconds in self.faults.outages)

    def before_sending(self, where: str, *, is_write: bool) -> Fault | None:
        """Count a request; return the fault that it meets. Raises Killed, Unreachable."""
        if self.dead:
            raise Killed
        self.freeze()
        self.sent += 1
        self.writes += is_write
        if is_write and self.writes == self.faults.kill_at and not self.faults.after:
            self.dead = True
            self.hit.append(f"killed before {where}")
            raise Killed
        if self.is_cut_off:
            raise Unreachable("connection refused", where=where, sent=False)
        fault = self.faults.requests.get(self.sent)
        if is_write and self.writes in self.faults.lose:
            fault = "lost"
        if fault == 409 and not is_write:
            fault = None
        if fault is not None:
            self.hit.append(f"{fault}: {where}")
        return fault

    def after_sending(self, where: str, *, is_write: bool) -> None:
        """Kill the process if that is due after this request. Raises Killed."""
        if is_write and self.writes == self.faults.kill_at and self.faults.after:
            self.dead = True
            self.hit.append(f"killed after {where}")
        if self.dead:
            raise Killed


class _ProcessTransport(LocalTransport):
    """Requests of a process."""

    def __init__(self, process: RunnerProcess, interrupt: Interrupt | None = None) -> None:
        super().__init__(process.server, process.name, process.clock, latency=process.latency, interrupt=interrupt)
        self._process = process

    def clone(self, *, pool_size: int, interrupt: Interrupt | None) -> LocalTransport:
        """Return a transport that interrupt ends."""
        return _ProcessTransport(self._process, interrupt)

    def send(
        self, method: str, target: str, *, body: bytes | None, accept: str, content_type: str | None, path: str
    ) -> Answer:
        """Send one request and return the answer, unless something happens to the process or the request."""
        process, where, is_write = self._process, f"{method} {path}", method != "GET"
        if method == "PATCH":
            process.timeline.sent_at[f"{process.name} {path.rpartition('/')[2]}"] = process.clock.monotonic()
        fault = process.before_sending(where, is_write=is_write)
        if isinstance(fault, int):
            self._clock.sleep(self._latency)
            refusal = EmbeddedApiServer.refusal(fault, retry_after=2.0 if fault == 429 else None)
            return Answer(refusal.status, refusal.body, refusal.headers.get("Retry-After"), 1)
        if fault in ("not received", "slowly not received"):
            self._clock.sleep(_TIMEOUT if fault != "not received" else 0.0)
            raise Unreachable("the request timed out", where=where)
        answer = super().send(method, target, body=body, accept=accept, content_type=content_type, path=path)
        process.after_sending(where, is_write=is_write)
        process.freeze()
        if fault is not None:
            self._clock.sleep(_TIMEOUT if fault == "slowly lost" else 0.0)
            raise Unreachable("the request timed out", where=where)
        return answer

    def stream(self, target: str, *, accept: str, read_timeout: float, where: str) -> tuple[Answer, Lines]:
        """Open a watch."""
        if self._process.dead:
            raise Killed
        if self._process.is_cut_off:
            raise Unreachable("connection refused", where=where, sent=False)
        return super().stream(target, accept=accept, read_timeout=read_timeout, where=where)
