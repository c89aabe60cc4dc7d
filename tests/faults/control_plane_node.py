# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The driver with a real control plane: its scheduler's options have numbers, the values of one flag."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import yaml

from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle_trial import Trial
from faults.ledger import Case
from support.agents.pod_bench import queries_per_second
from support.configs.options import component_options
from support.machines import ControlPlane, ControlPlaneAgent, Node
from support.session.patience import LONGEST_WAIT

__all__ = ["SCHEDULER", "STATE", "ControlPlaneNode"]

SCHEDULER = "kube-scheduler"
STATE = "/var/lib/configok"
_LOOK_EVERY = 0.02  # seconds between two looks at the manifest; a rename is over in far less


class ControlPlaneNode:
    """A control plane whose agent changes the options of its scheduler."""

    def __init__(self, control_plane: ControlPlane) -> None:
        """Provision the node."""
        self.control_plane = control_plane
        self.agent = ControlPlaneAgent(control_plane, {SCHEDULER: {}})
        self.good = 0  # the value in the options that are last-known-good
        self._value = 30
        self._before: set[str] = set()

    @property
    def node(self) -> Node:
        """The node."""
        return self.control_plane.node

    def base(self) -> None:
        """Bring the node to options that are last-known-good, without a trial."""
        if not (self.good and self.good == self.last_known_good() == self.runs()):
            self.agent.wait_answer(self.assign(), "True")
            self.until("last-known-good", lambda: self.last_known_good() == self._value)
        self.good = self._value
        self._before = self._invocations()

    def assign(self, *, trial: float = 3.0) -> int:
        """Assign the next options, with a trial of these seconds; return the assignment's id."""
        self._value += 1
        options = component_options({"kube-api-qps": self._value}, component=SCHEDULER)
        return self.agent.assign({SCHEDULER: options}, Trial(trial, 1))

    @property
    def assigned(self) -> int:
        """The value in the options that were assigned last."""
        return self._value

    # Observations

    def runs(self) -> int:
        """Return the value that the scheduler's process has, 0 without one."""
        return queries_per_second(" ".join(self.control_plane.process(SCHEDULER)))

    def starts(self) -> int:
        """Return how often the scheduler was started since base()."""
        return len(self._invocations() - self._before)

    def _invocations(self) -> set[str]:
        files = (self.node.machine.view / STATE.lstrip("/")).glob(f"{SCHEDULER}-*/startups")
        return {str(start["invocation"]) for file in files for start in json.loads(file.read_text())}

    def manifest(self) -> bytes:
        """Return the scheduler's manifest."""
        return self.control_plane.manifests()[f"{SCHEDULER}.yaml"]

    def last_known_good(self) -> int:
        """Return the value in its options, 0 for the init manifest, -1 if it is lost."""
        state = self.node.machine.view / STATE.lstrip("/")
        try:
            record = json.loads((state / "last-known-good").read_text())
            if not record.get("source"):
                return 0
            return queries_per_second((state / f"components/{SCHEDULER}/{record['files'][SCHEDULER]}.yaml").read_text())
        except (OSError, ValueError, KeyError):
            return -1

    @contextmanager
    def watched(self, case: Case) -> Iterator[None]:
        """Look at the manifest all the time: it must be there, and complete."""
        stop = threading.Event()
        problems: list[str] = []

        def look() -> None:
            while not stop.wait(_LOOK_EVERY):
                try:
                    problem = self._manifest_problem()
                except Exception as error:  # noqa: BLE001 - without a look, nothing is known of the manifest
                    problem = str(error)
                if problem:
                    problems.append(problem)

        thread = threading.Thread(target=look, daemon=True)
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()
        case.holds("I1", not problems, next(iter(problems), ""))

    def _manifest_problem(self) -> str:
        file = self.node.machine.view / f"etc/kubernetes/manifests/{SCHEDULER}.yaml"
        try:
            data: Any = yaml.safe_load(file.read_bytes())
        except FileNotFoundError:
            return "there was no manifest"
        except yaml.YAMLError:
            return "the manifest was not complete"
        is_pod = isinstance(data, dict) and data.get("kind") == "Pod"
        return "" if is_pod else "the manifest was not complete"

    # Waits

    def until(self, what: str, condition: Callable[[], Any], timeout: float = LONGEST_WAIT) -> None:
        """Wait for a condition."""
        self.node.wait(what, condition, timeout, poll=0.2)

    def adopted(self, case: Case, number: int, *, starts: int = 1) -> None:
        """Check that the change has ended as if nothing had happened. starts: of the scheduler, at most."""
        self.agent.wait_answer(number, "True")
        self.until("last-known-good", lambda: self.last_known_good() == self.assigned)
        case.holds("I1", self.runs() == self.assigned, f"the scheduler runs {self.runs()} and not {self.assigned}")
        case.holds("I2", self.last_known_good() == self.assigned, "last-known-good")
        case.holds("I4", 1 <= self.starts() <= starts, f"{self.starts()} starts; 1 to {starts} needed")
        case.holds("I5", True, "")
