# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The in-process driver for a static Pod: the agent, and the child that writes the manifest, on faulty disks."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import ClassVar
from unittest.mock import patch

from ansible_collections.configok.node.plugins.module_utils._agent._interfaces import CommandResult
from ansible_collections.configok.node.plugins.module_utils._agent._store import _durable_files
from ansible_collections.configok.node.plugins.module_utils._agent._store._durable_files import Disk
from ansible_collections.configok.node.plugins.module_utils._agent._store._store import Store
from faults.bench_node import BenchNode, Change, node_before, undisturbed
from faults.invariants import UNKNOWN, Condition
from support.agents.lossy_disk import PowerLost
from support.agents.pod_bench import COMPONENT, CRASHES, INVALID, SICK, PodBench, options_text, queries_per_second

__all__ = ["WRITER", "PodNode", "pod_before", "undisturbed_starts"]

WRITER = "writer"
_VALUES = {"init": 0, "good": 30, "next": 40, "deadly": CRASHES, "sick": SICK, "invalid": INVALID}
_NAMES = {value: name for name, value in _VALUES.items()}
_BACK = Condition("False", "using last-known-good (UID: good)")


class PodNode(BenchNode, PodBench):
    """A bench with a static Pod that records the options of each start, and refers to them by name."""

    actors: ClassVar[tuple[str, ...]] = ("agent", WRITER)
    changes: ClassVar[Mapping[str, Change]] = {
        "adopt and trial": Change("next", 60, "next", Condition("True", "using current (UID: next)")),
        "crash loop and rollback": Change("deadly", 90, "good", _BACK, trial=60, seen_by_the_next=True),
        "unhealthy and rollback": Change("sick", 300, "good", _BACK, trial=600),
        "refused": Change("invalid", 10, "good", _BACK),
        "unassigned": Change("init", 60, "init", Condition("True", "using current (init)")),
    }
    component: ClassVar[str] = COMPONENT
    cost: ClassVar[int] = 3
    texts: ClassVar[Mapping[str, str]] = {name: options_text(value) for name, value in _VALUES.items()}

    def name_of(self, text: str) -> str:
        """Return the name of options."""
        return _NAMES.get(queries_per_second(text), UNKNOWN) if text else UNKNOWN

    def name_read(self) -> str:
        """Return the name of the options of the manifest that runs."""
        return self.name_of(self.running.decode(errors="replace"))

    # Disks

    def child_store(self) -> Store:
        return Store(self.configuration.state_directory, now=self.clock.now, disk=self.disks[WRITER])

    def run_child(
        self, argv: Sequence[str], *, timeout: float, env: Mapping[str, str] | None = None, stdin: str = ""
    ) -> CommandResult:
        with ExitStack() as stack:
            disk = self.disks[WRITER]
            if disk is not None:  # also for the folder of manifests, and for the files of options
                stack.enter_context(patch.object(_durable_files, "Disk", lambda: disk))
            try:
                return super().run_child(argv, timeout=timeout, env=env, stdin=stdin)
            except PowerLost:
                if not self._children_are_killed:
                    raise
                return CommandResult(-9, "", "")

    @contextmanager
    def on_disk(
        self, disk: Disk, actors: Collection[str] | None = None, *, children_are_killed: bool = False
    ) -> Iterator[None]:
        """Let these actors (None: all) write on that disk. children_are_killed: PowerLost ends only who writes."""
        self.disks[WRITER] = disk if actors is None or WRITER in actors else None
        self._children_are_killed = children_are_killed
        try:
            with super().on_disk(disk, actors):
                yield
        finally:
            self.disks[WRITER] = None

    _children_are_killed = False


@contextmanager
def pod_before(directory: Path, change: Change) -> Iterator[PodNode]:
    """Yield a node on "good", to which the change was just assigned and has not been applied yet."""
    with node_before(directory, change, PodNode) as node:
        assert isinstance(node, PodNode)
        yield node


def undisturbed_starts(directory: Path, change: Change) -> int:
    """Return the starts of the Pod in the change without a fault."""
    return undisturbed(directory, change, driver=PodNode)[1]
