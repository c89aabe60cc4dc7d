# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The driver with a real kubelet: a provisioned machine of support.machines, whose configs have names."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Mapping
from operator import itemgetter
from typing import Any

from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import KubeError
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import ConfigSource
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.config_status import read_condition
from faults.invariants import UNKNOWN, Condition, Observation
from support.conformance.ours import OurNode
from support.conformance.payloads import DEADLY
from support.conformance.wait import Never
from support.machines import Node, Testbed
from support.session.patience import LONGEST_WAIT

__all__ = ["BACK", "THRESHOLD", "MachineNode"]

THRESHOLD = 1
BACK = Condition("False", "using last-known-good (UID: good)")
_STATE = "/var/lib/configok"
# Reads everything at once: the stored files by hash, the records, the starts, and whether the kubelet runs.
_LOOK = f"""cd {_STATE}
grep -HoE '"?maxPods"?: *[0-9]+|KubeletConfiguration' components/kubelet/*.yaml
echo ---; cat last-known-good; echo; echo ---; cat current; echo; echo ---
cat kubelet-*/startups; echo; echo ---; systemctl is-active kubelet"""
_DEADLY = next(iter(DEADLY.values()))
_NO_PODS = 0  # stands for maxPods, which the init config does not set


class MachineNode:
    """A node with the agent. ``base`` brings it to the start of every case: on "good", which is last-known-good."""

    def __init__(self, bed: Testbed, machine: Node) -> None:
        self.bed = bed
        self.machine = machine
        self.ours = OurNode(bed, machine)
        self._pods = 110
        self._names: dict[int, str] = {_NO_PODS: "init"}
        self._uids: dict[str, str] = {}
        self._sources: dict[str, ConfigSource] = {}
        self._before: set[str] = set()
        self._ended: set[str] = set()
        self._files: dict[str, int] = {}  # maxPods of all files seen so far, since unused files are removed

    # The operator

    def publish(self, name: str, *, trial: str, **fields: Any) -> ConfigSource:
        """Publish a config under a name; the config that had the name before becomes "old"."""
        self._rename(name, "old")
        self._pods += 1
        source = self.ours.publish({"maxPods": self._pods, **fields}, trial=trial, threshold=THRESHOLD)
        self._names[self._pods] = name
        self._uids[source.uid] = name
        self._sources[source.uid] = source
        return source

    def _rename(self, name: str, to: str) -> None:
        self._names = {key: to if other == name else other for key, other in self._names.items()}
        self._uids = {key: to if other == name else other for key, other in self._uids.items()}

    def base(self) -> None:
        """Bring the node to "good" after its trial: to the config that just passed it, or to a new one."""
        self.machine.heal()
        if not self._is_on_good():
            self.ours.settled(self.publish("good", trial="1s"))
        self.begin()

    def _is_on_good(self) -> bool:
        """Return whether the node uses and reports its last-known-good config, and if so name that "good"."""
        look = self._look()
        name = self._record(look["good"])
        uid = next((uid for uid, known in self._uids.items() if known == name), None)
        if uid is None or name == "old" or self._record(look["current"]) != name:
            return False
        if self.config_ok() == Condition("False", f"using last-known-good (UID: {name})"):
            try:
                self.ours.answered(self.ours.assign(self._sources[uid]), "Good", timeout=10.0)
            except Never:
                return False
        if self.config_ok() != Condition("True", f"using current (UID: {name})") or self.seen_locally() != name:
            return False
        if name != "good":
            self._rename("good", "old")
            self._rename(name, "good")
        return True

    def begin(self) -> None:
        """Count starts and crashes from here."""
        startups = self._look()["startups"]
        self._before = {str(start["invocation"]) for start in startups}
        self._ended = {str(start["invocation"]) for start in startups if start["end"]}

    def assign(self, to: str, trial: str = "3s") -> None:
        """Publish and assign "next", "slow" (a trial of ten minutes) or "deadly"."""
        fields: Mapping[str, Any] = _DEADLY if to == "deadly" else {}
        self.ours.assign(
            self.publish(to, trial="10m" if to == "slow" else "60s" if to == "deadly" else trial, **fields)
        )

    # Observations

    def _look(self) -> dict[str, Any]:
        parts = self.machine.run(["sh", "-c", _LOOK], check=False).stdout.split("---\n")
        pods: dict[str, int] = {}
        for file, value in re.findall(r'kubelet/(\w+)\.yaml:(?:"?maxPods"?: *([0-9]+)|.*)', parts[0]):
            pods[file] = int(value or pods.get(file, _NO_PODS))
        self._files = {**self._files, "config": -1, **pods}
        return {
            "good": _decoded(parts[1], {}),
            "current": _decoded(parts[2], {}),
            "startups": _startups(parts[3]),
            "active": parts[4].strip() == "active",
        }

    def current(self) -> str:
        """Return the name of the config in use."""
        return self._record(self._look()["current"])

    def _record(self, record: Mapping[str, Any]) -> str:
        source = record.get("source")
        return self._uids.get(source["configMap"]["uid"], UNKNOWN) if source else "init"

    def last_known_good(self) -> str:
        """Return its name."""
        return self._record(self._look()["good"])

    def crashes(self) -> int:
        """Return the number of crashes since begin()."""
        new = [start for start in self._look()["startups"] if start["invocation"] not in self._ended]
        return sum(1 for start in new if start["end"] and start["end"]["result"] not in ("", "success"))

    def config_ok(self) -> Condition:
        """Return ConfigOK, with names instead of uids."""
        condition = read_condition(self.machine.get()) or {"status": "", "message": ""}
        message = str(condition["message"])
        for uid, name in self._uids.items():
            message = message.replace(uid, name)
        return Condition(str(condition["status"]), message)

    def observe(self) -> Observation:
        """Return the observations that the invariants check."""
        look = self._look()
        started = []
        for start in look["startups"]:
            if start["invocation"] not in self._before:
                started.append(self._named(start["config"]))
        runs = self._named("config") if look["active"] else ""
        if started and runs and started[-1] != runs:
            runs = started[-1]
        return Observation(tuple(started), runs, self._record(look["good"]), self.config_ok())

    # Waits

    def until(self, what: str, condition: Callable[[], Any], timeout: float = LONGEST_WAIT) -> float:
        """Wait for a condition; return the seconds that it took."""
        began = time.monotonic()
        self.machine.wait(what, condition, timeout)
        return time.monotonic() - began

    def until_condition(self, condition: Condition, timeout: float = 120.0) -> float:
        """Wait until ConfigOK equals the condition; return the seconds that it took."""

        def is_reported() -> bool:
            try:
                return self.config_ok() == condition
            except KubeError:
                return False

        return self.until(" ".join(condition), is_reported, timeout)

    def until_back(self) -> float:
        """Wait until it is healthy on "good" again, even if ConfigOK cannot be written."""
        self.until("the rollback", lambda: self.current() == "good")
        self.until("the start with it", lambda: self.seen_locally() == "good")
        self.machine.wait_healthy()
        return time.monotonic()

    def seen_locally(self) -> str:
        """Return the config of the kubelet's last start."""
        look = self._look()
        return self._named(look["startups"][-1]["config"]) if look["startups"] else UNKNOWN

    def _named(self, file: str) -> str:
        return self._names.get(self._files.get(file, -1), UNKNOWN)


def _startups(text: str) -> list[dict[str, Any]]:
    """Return the starts under all versions of the kubelet, from the concatenated lists, oldest first.

    A config that runs while the version changes is in both lists.
    """
    documents: dict[str, dict[str, Any]] = {}
    while text := text.lstrip():
        try:
            starts, end = json.JSONDecoder().raw_decode(text)
        except ValueError:
            break
        for start in starts:
            documents[start["invocation"]] = start if start["end"] else documents.get(start["invocation"], start)
        text = text[end:]
    return sorted(documents.values(), key=itemgetter("time"))


def _decoded(text: str, otherwise: Any) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return otherwise
