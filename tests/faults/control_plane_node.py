# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The driver with a real control plane: the options of one of its components have numbers, the values of one flag."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import yaml

from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle_trial import Trial
from faults.ledger import Case
from support.configs.options import component_options
from support.machines import ControlPlaneAgent, Node
from support.session.patience import LONGEST_WAIT

__all__ = ["API_SERVER", "ETCD", "NUMBERED", "SCHEDULER", "STATE", "ControlPlaneNode"]

API_SERVER, ETCD, SCHEDULER = "kube-apiserver", "etcd", "kube-scheduler"
NUMBERED = {SCHEDULER: "kube-api-qps", API_SERVER: "max-requests-inflight", ETCD: "snapshot-count"}
"""The components whose options change, each with the flag that has the number."""

_FIRST = 500  # below what a bundle may set, and no default of a flag
STATE = "/var/lib/configok"
_LOOK_EVERY = 0.02  # seconds between two looks at the manifest; a rename is over in far less


class ControlPlaneNode:
    """A control plane whose agent changes the options of one component."""

    def __init__(self, agent: ControlPlaneAgent, component: str) -> None:
        """Use a provisioned node."""
        self.control_plane = agent.control_plane
        self.agent = agent
        self.component = component
        self.good = 0  # the value in the options that are last-known-good
        self._flag = NUMBERED[component]
        self._number = re.compile(rf"""{self._flag}["':= ]+([0-9]+)""")
        self._value = _FIRST
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
        options = component_options({self._flag: self._value}, component=self.component)
        return self.agent.assign({self.component: options}, Trial(trial, 1))

    @property
    def assigned(self) -> int:
        """The value in the options that were assigned last."""
        return self._value

    # Observations

    def runs(self) -> int:
        """Return the value that the component's process has, 0 without one."""
        return self._value_in(" ".join(self.control_plane.process(self.component)))

    def _value_in(self, text: str) -> int:
        number = self._number.search(text)
        return int(number[1]) if number else 0

    def starts(self) -> int:
        """Return how often the component was started since base()."""
        return len(self._invocations() - self._before)

    def _invocations(self) -> set[str]:
        files = (self.node.machine.view / STATE.lstrip("/")).glob(f"{self.component}-*/startups")
        return {str(start["invocation"]) for file in files for start in json.loads(file.read_text())}

    def manifest(self) -> bytes:
        """Return the component's manifest."""
        return self.control_plane.manifests()[f"{self.component}.yaml"]

    def last_known_good(self) -> int:
        """Return the value in its options, 0 for the init manifest, -1 if it is lost."""
        state = self.node.machine.view / STATE.lstrip("/")
        try:
            record = json.loads((state / "last-known-good").read_text())
            if not record.get("source"):
                return 0
            name = f"components/{self.component}/{record['files'][self.component]}.yaml"
            return self._value_in((state / name).read_text())
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
        file = self.node.machine.view / f"etc/kubernetes/manifests/{self.component}.yaml"
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
        """Check that the change has ended as if nothing had happened. starts: of the component, at most."""
        self.agent.wait_answer(number, "True")
        self.until("last-known-good", lambda: self.last_known_good() == self.assigned)
        case.holds("I1", self.runs() == self.assigned, f"{self.component} runs {self.runs()} and not {self.assigned}")
        case.holds("I2", self.last_known_good() == self.assigned, "last-known-good")
        case.holds("I4", 1 <= self.starts() <= starts, f"{self.starts()} starts; 1 to {starts} needed")
        case.holds("I5", True, "")
