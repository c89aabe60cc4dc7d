# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The in-process driver: a support.agents.bench whose agent, prestart and poststop write on faulty disks."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
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
    last-known-good. says: ConfigOK in the end. threshold: the crash loop threshold.
    """

    to: str
    seconds: float
    ends: str
    says: Condition
    trial: float = 5.0
    threshold: int = 1

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
            doomed_starts=self.threshold + 1 + doomed_more if doomed else 0,
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
    """A bench that records the config of each start, and refers to configs by name."""

    def __init__(self, directory: Path, **settings: Any) -> None:
        self.disks: dict[str, Disk | None] = dict.fromkeys(ACTORS)
        self.started_with: list[str] = []
        self.names: dict[str, str] = {}
        super().__init__(directory, **settings)

    # Disks

    def new_agent_store(self) -> Store:
        store = super().new_agent_store()
        disk = self.disks["agent"]
        if disk is not None:
            store.files._disk = disk
        return store

    def hook_store(self, hook: str) -> Store | None:
        disk = self.disks[hook]
        return None if disk is None else Store(self.configuration.state_directory, now=self.clock.now, disk=disk)

    @contextmanager
    def on_disk(
        self, disk: Disk, actors: Collection[str] = ACTORS, *, hooks_are_killed: bool = False
    ) -> Iterator[None]:
        """Let these actors write on that disk. hooks_are_killed: PowerLost ends only prestart or poststop."""
        with ExitStack() as stack:
            for hook in {"prestart", "poststop"} & set(actors):
                self.disks[hook] = disk
                stack.callback(self.disks.update, {hook: None})
                if hooks_are_killed:
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
        if self.processes[component].starts > before:
            self.started_with.append(_NAMES.get(self._text(component), UNKNOWN))

    def _text(self, component: str) -> str:
        try:
            return self.reads(component)
        except (OSError, UnicodeDecodeError):
            return ""

    def begin(self, change: Change) -> ConfigSource | None:
        """Assign the config of the change, and count starts from here."""
        self.started_with.clear()
        if change.to == "init":
            self.assign(None)
            return None
        source = self.publish(TEXTS[change.to], trial=Trial(change.trial, change.threshold))
        self.names[source.uid] = change.to
        self.assign(source)
        return source

    def good_node(self, text: str = TEXTS["good"]) -> ConfigSource:
        source = super().good_node(text)
        self.names[source.uid] = _NAMES[text]
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
        kept = self.store.files.read(f"components/kubelet/{record.files['kubelet']}.yaml")
        return _NAMES.get((kept or b"").decode(errors="replace"), "")

    def config_ok(self) -> Condition:
        """Return ConfigOK, with names instead of uids."""
        status, message, _reason = self.words
        for uid, name in self.names.items():
            message = message.replace(uid, name)
        return Condition(status, message)

    def observe(self, kept: str | None = None) -> Observation:
        """Return the observations that the invariants check."""
        runs = _NAMES.get(self._text("kubelet"), UNKNOWN) if self.processes["kubelet"].state == "active" else ""
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
def node_before(directory: Path, change: Change, **settings: Any) -> Iterator[BenchNode]:
    """Yield a node on "good", to which the change was just assigned and has not been applied yet."""
    directory.mkdir()
    node = BenchNode(directory, **settings)
    try:
        node.good_node()
        node.begin(change)
        yield node
    finally:
        shutil.rmtree(directory)


def undisturbed(directory: Path, change: Change, actors: Collection[str] = ACTORS) -> tuple[int, int]:
    """Run the change without a fault; return the number of durable steps of these actors, and of starts."""
    disk = LossyDisk()
    with node_before(directory, change) as node:
        with node.on_disk(disk, actors):
            node.run(change.seconds)
        return disk.steps, len(node.started_with)
