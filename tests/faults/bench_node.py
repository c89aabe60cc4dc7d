# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The in-process driver: a support.agents.bench whose agent, prestart and poststop write on faulty disks."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar
from unittest.mock import patch

from ansible_collections.configok.node.plugins.module_utils._agent._state.records import ConfigRecord, DamagedFile
from ansible_collections.configok.node.plugins.module_utils._agent._store._durable_files import Disk
from ansible_collections.configok.node.plugins.module_utils._agent._store._store import Store
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import ConfigSource
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle_trial import Trial
from faults.invariants import UNKNOWN, Condition, Expected, Observation
from support.agents import bench as agent_bench
from support.agents.bench import Bench
from support.agents.lossy_disk import LossyDisk, PowerLost

__all__ = ["ACTORS", "CHANGES", "TEXTS", "BenchNode", "Change", "node_before", "undisturbed"]

ACTORS = ("agent", "prestart", "poststop")
TEXTS = {
    "init": "maxPods: 110\n",
    "good": "maxPods: 120\n",
    "next": "maxPods: 130\n",
    "deadly": "mood: deadly\n",
    "sick": "mood: sick\n",
    "invalid": "mood: invalid\n",
}
_NAMES = {text: name for name, text in TEXTS.items()}


@dataclass(frozen=True)
class Change:
    """A change on a node that runs "good", which is its last-known-good.

    to: the name of the assigned config. seconds: duration of the change. ends: the config that runs in the end and is
    last-known-good. says: ConfigOK in the end. threshold: the crash loop threshold. seen_by_the_next: whether only the
    next start of the component shows a crash to an agent that was away when it ended.
    """

    to: str
    seconds: float
    ends: str
    says: Condition
    trial: float = 5.0
    threshold: int = 1
    seen_by_the_next: bool = False

    @property
    def crash_loop(self) -> int:
        """The starts of a component that crashes, until its config is taken back."""
        return self.threshold + 1 + self.seen_by_the_next

    def expected(self, starts: tuple[int, int], *, doomed_more: int = 0) -> Expected:
        """Return the expectation. starts: the number seen without a fault, or a range."""
        doomed = frozenset({self.to} & {"deadly"})
        return Expected(
            valid=frozenset({"init", "good", self.to} - {"invalid"}),
            runs=frozenset({self.ends}),
            good=frozenset({self.ends}),
            kept=frozenset({"good", self.ends}),
            starts=starts,
            conditions=frozenset({self.says}),
            doomed=doomed,
            doomed_starts=self.crash_loop + doomed_more if doomed else 0,
        )


_BACK = Condition("False", "using last-known-good (UID: good)")
CHANGES = {
    "adopt and trial": Change("next", 30, "next", Condition("True", "using current (UID: next)")),
    "crash loop and rollback": Change("deadly", 30, "good", _BACK, trial=60),
    "unhealthy and rollback": Change("sick", 200, "good", _BACK, trial=600),
    "refused": Change("invalid", 10, "good", _BACK),
    "unassigned": Change("init", 10, "init", Condition("True", "using current (init)")),
}


class BenchNode(Bench):
    """A bench that records the config of each start, and refers to configs by name.

    actors: the processes that write on disks. texts: the configs by name. cost: of a case, relative to a unit's.
    """

    actors: ClassVar[tuple[str, ...]] = ACTORS
    changes: ClassVar[Mapping[str, Change]] = CHANGES
    component: ClassVar[str] = "kubelet"
    cost: ClassVar[int] = 1
    texts: ClassVar[Mapping[str, str]] = TEXTS

    def __init__(self, directory: Path, **settings: Any) -> None:
        self.disks: dict[str, Disk | None] = dict.fromkeys(self.actors)
        self.started_with: list[str] = []
        self.names: dict[str, str] = {}
        super().__init__(directory, **settings)

    def name_of(self, text: str) -> str:
        """Return the name of a config."""
        return _NAMES.get(text, UNKNOWN)

    def name_read(self) -> str:
        """Return the name of the config that the component reads."""
        try:
            return self.name_of(self.reads(self.component))
        except (OSError, UnicodeDecodeError):
            return UNKNOWN

    # Disks

    def new_agent_store(self) -> Store:
        store = super().new_agent_store()
        disk = self.disks["agent"]
        if disk is not None:
            store.files._disk = disk
        return store

    def hook_store(self, hook: str) -> Store | None:
        disk = self.disks.get(hook)
        return None if disk is None else Store(self.configuration.state_directory, now=self.clock.now, disk=disk)

    @contextmanager
    def on_disk(
        self, disk: Disk, actors: Collection[str] | None = None, *, children_are_killed: bool = False
    ) -> Iterator[None]:
        """Let these actors (None: all) write on that disk. children_are_killed: PowerLost ends only who writes."""
        actors = self.actors if actors is None else actors
        with ExitStack() as stack:
            for hook in {"prestart", "poststop"} & set(actors):
                self.disks[hook] = disk
                stack.callback(self.disks.update, {hook: None})
                if children_are_killed:
                    whole = getattr(agent_bench, hook)
                    stack.enter_context(patch.object(agent_bench, hook, _killable(whole)))
            if "agent" in actors:
                self.disks["agent"] = disk
                files = self.agent_store.files
                stack.callback(setattr, files, "_disk", files._disk)
                files._disk = disk
                stack.callback(self.disks.update, agent=None)
            yield

    # What happens

    def start(self, component: str) -> None:
        before = self.processes[component].starts
        super().start(component)
        if component == self.component and self.processes[component].starts > before:
            self.started_with.append(self.name_read())

    def begin(self, change: Change) -> ConfigSource | None:
        """Assign the config of the change, and count starts from here."""
        self.started_with.clear()
        if change.to == "init":
            self.assign(None)
            return None
        source = self.publish(self.texts[change.to], trial=Trial(change.trial, change.threshold))
        self.names[source.uid] = change.to
        self.assign(source)
        return source

    def good_node(self, text: str = "") -> ConfigSource:
        text = text or self.texts["good"]
        source = super().good_node(text)
        self.names[source.uid] = self.name_of(text)
        return source

    # Observations

    def last_known_good(self) -> str:
        """Return its name, or "" if it is lost. Read-only: no damaged file is set aside."""
        try:
            record = ConfigRecord.decode((self.directory / "state/last-known-good").read_bytes())
        except (OSError, DamagedFile):
            return ""
        if record.source is None:
            return "init"
        kept = self.store.files.read(f"components/{self.component}/{record.files[self.component]}.yaml")
        name = self.name_of((kept or b"").decode(errors="replace"))
        return "" if name == UNKNOWN else name

    def config_ok(self) -> Condition:
        """Return ConfigOK, with names instead of uids."""
        status, message, _reason = self.words
        for uid, name in self.names.items():
            message = message.replace(uid, name)
        return Condition(status, message)

    def observe(self, kept: str | None = None) -> Observation:
        """Return the observations that the invariants check."""
        runs = self.name_read() if self.processes[self.component].state == "active" else ""
        if runs and (not self.started_with or self.started_with[-1] != runs):
            runs = self.started_with[-1] if self.started_with else runs  # not the present file
        return Observation(tuple(self.started_with), runs, self.last_known_good(), self.config_ok(), kept)


def _killable(hook: Callable[..., int]) -> Callable[..., int]:
    def run(*arguments: Any, **options: Any) -> int:
        try:
            return hook(*arguments, **options)
        except PowerLost:
            return 0  # the unit's wrapper only reacts to 78

    return run


@contextmanager
def node_before(
    directory: Path, change: Change, driver: Callable[..., BenchNode] = BenchNode, **settings: Any
) -> Iterator[BenchNode]:
    """Yield a node on "good", to which the change was just assigned and has not been applied yet."""
    directory.mkdir()
    try:
        node = driver(directory, **settings)
        node.good_node()
        node.begin(change)
        yield node
    finally:
        shutil.rmtree(directory)


def undisturbed(
    directory: Path,
    change: Change,
    actors: Collection[str] | None = None,
    driver: Callable[..., BenchNode] = BenchNode,
) -> tuple[int, int]:
    """Run the change without a fault; return the number of durable steps of these actors (None: all), and of starts."""
    disk = LossyDisk()
    with node_before(directory, change, driver) as node:
        with node.on_disk(disk, actors):
            node.run(change.seconds)
        return disk.steps, len(node.started_with)
