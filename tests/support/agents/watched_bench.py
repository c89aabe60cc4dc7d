# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A bench that tracks the true state of its components, whatever the agent believes, and checks the invariants.

It records what each process read at its start, how long each bundle was healthy on all its components, and which UIDs
were marked bad. A violation raises AssertionError at once.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

from ansible_collections.configok.node.plugins.module_utils._agent._state.records import ConfigRecord, DamagedFile
from ansible_collections.configok.node.plugins.module_utils._agent._store._durable_files import Disk
from ansible_collections.configok.node.plugins.module_utils._agent._store._store import Store
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import ConfigSource
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle_trial import Trial
from support.agents.bench import STARTS_IN, Bench, FakeClock

__all__ = ["Published", "WatchedBench"]

SLACK = 0.01  # seconds: sums of floats


class Published(NamedTuple):
    """A bundle on the bench: each component's document, and whether it is valid."""

    source: ConfigSource
    documents: Mapping[str, str]
    trial: Trial
    valid: bool
    mood: str = "good"


class _Disk(Disk):
    """The disk of all stores of a node. A test may set a failing delegate. Dates files by the node's clock."""

    def __init__(self, wall: Callable[[], float]) -> None:
        self.delegate: Disk = Disk()
        self._wall = wall

    def write(self, path: str, data: bytes, mode: int) -> None:
        self.delegate.write(path, data, mode)

    def sync(self, path: str) -> None:
        self.delegate.sync(path)

    def rename(self, old: str, new: str) -> None:
        self.delegate.rename(old, new)
        os.utime(new, (self._wall(), self._wall()))

    def unlink(self, path: str) -> None:
        self.delegate.unlink(path)

    def mkdir(self, path: str, mode: int) -> None:
        self.delegate.mkdir(path, mode)


class _Clock(FakeClock):
    def __init__(self, bench: WatchedBench) -> None:
        super().__init__()
        self._bench = bench

    def advance(self, seconds: float) -> None:
        self._bench.passes(seconds)
        super().advance(seconds)


class WatchedBench(Bench):
    """A bench that checks the invariants. Call leave() at the end: it undoes the patch of os.fsync."""

    def __init__(self, directory: Path, components: tuple[str, ...]) -> None:
        self.disk = _Disk(lambda: self.clock.passed)
        self.clock = FakeClock()
        self.state = directory / "state"
        self.init = "maxPods: 110\n"
        self.published: list[Published] = []
        self.running: dict[str, str] = {}  # component -> the config that its process has read
        self.healthy: dict[tuple[tuple[str, str], ...], float] = {}  # content -> seconds in which all of it was healthy
        self.bad: set[str] = set()  # UIDs seen marked bad: not to be started again
        self.unassigned = False  # the init config was assigned: it may become last-known-good
        self.lost: set[str] = set()  # files that were damaged and not written again since
        self._good: ConfigRecord | None = None
        self._patches: list[Any] = [
            mock.patch.object(os, "fsync", return_value=None),
        ]
        for patch in self._patches:
            patch.start()
        super().__init__(directory, components)
        self.clock = _Clock(self)
        self.store = self._store(self.configuration.state_directory, now=self.clock.now)
        self.restart_agent()

    def leave(self) -> None:
        """Undo the patches."""
        for patch in self._patches:
            patch.stop()

    def _store(self, directory: str, *, now: Any) -> Store:
        return Store(directory, now=now, disk=self.disk)

    def hook_store(self, hook: str) -> Store | None:
        return self.new_agent_store()

    def new_agent_store(self) -> Store:
        return self._store(self.configuration.state_directory, now=self.clock.now)

    # The record of what happened

    def passes(self, seconds: float) -> None:
        """Count for each bundle how long it was healthy on all its components."""
        now = self.clock.since_boot()
        since = {}
        for name, process in self.processes.items():
            if process.state == "active" and process.mood != "sick" and "sick" not in self.running[name]:
                since[name] = process.started + STARTS_IN
        for bundle in self.published:
            content = self._content(bundle)
            if content and all(name in since and self.running[name] == text for name, text in content):
                beginning = max(since[name] for name, _text in content)
                seconds_added = max(0.0, now + seconds - max(now, beginning))
                self.healthy[content] = self.healthy.get(content, 0.0) + seconds_added

    def _content(self, bundle: Published) -> tuple[tuple[str, str], ...]:
        return tuple(sorted((name, text) for name, text in bundle.documents.items() if name in self.processes))

    def of_uid(self, uid: str | None) -> Published:
        """Return the bundle that was published under a uid."""
        return next(bundle for bundle in self.published if bundle.source.uid == uid)

    def start(self, component: str) -> None:
        super().start(component)
        self.clock.advance(0.001)  # nothing happens at the very moment of a start
        if self.processes[component].state == "active":
            text = self.reads(component)
            self.running[component] = text
            self.assert_valid(component)
            uids = {bundle.source.uid for bundle in self.published if bundle.documents.get(component) == text}
            self.see_bad()
            assert not uids or not uids <= self.bad, f"{component} was started with a bad config: {text!r}"

    def restart(self, component: str) -> bool:
        if "config.yaml" not in self.lost:  # otherwise its content may be known only at the next start
            assert self.running[component] != self.reads(component), f"{component} is restarted for nothing"
        return super().restart(component)

    # The invariants

    def assert_valid(self, component: str) -> None:
        """Assert that the component's file is complete and holds a valid config."""
        allowed = {
            bundle.documents[component] for bundle in self.published if bundle.valid and component in bundle.documents
        }
        text = self.reads(component)
        assert text == self.init or text in allowed, f"{component} reads {text!r}"

    def see_bad(self) -> None:
        """Remember which UIDs are marked bad under the current versions."""
        for name, component in self.configuration.components.items():
            try:
                self.bad |= set(json.loads((self.state / f"{name}-{component.version}" / "bad-configs").read_bytes()))
            except (FileNotFoundError, ValueError):
                pass  # nothing is marked, or the test has damaged the file

    def record(self, name: str) -> ConfigRecord | None:
        """Return a record as it is on the disk now, or None if it is missing or damaged; change nothing."""
        try:
            return ConfigRecord.decode((self.state / name).read_bytes())
        except (FileNotFoundError, DamagedFile):
            return None

    def assert_good_is_kept(self) -> None:
        """Assert that last-known-good is not lost, and was healthy for its whole trial before it was promoted."""
        before, good = self._good, self.record("last-known-good")
        if before is None or good is None or before.source != good.source:
            if good is None:
                assert before is None or "last-known-good" in self.lost, "last-known-good was lost"
            elif good.source is None:
                assert before is None or self.unassigned or "last-known-good" in self.lost, "went to the init config"
            else:
                bundle = self.of_uid(good.uid)
                content = self._content(bundle)
                healthy = self.healthy.get(content, 0.0)
                assert not content or healthy >= bundle.trial.duration - SLACK, f"promoted after {healthy} s: {bundle}"
        if good is not None:
            self.lost.discard("last-known-good")
        self.unassigned = self.unassigned and (good is None or good.source is not None)
        self._good = good
