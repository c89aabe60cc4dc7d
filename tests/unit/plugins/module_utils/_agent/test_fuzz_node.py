# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Random sequences of events on a node: assignments, crashes, power cuts, damage, outages, upgrades.

The invariants of the agent's contract hold at every moment. In the end a good config is adopted, and a config that
crashes its component is rolled back.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from ansible_collections.configok.node.plugins.module_utils._agent._cli import forget_bad
from ansible_collections.configok.node.plugins.module_utils._agent._store._durable_files import Disk
from ansible_collections.configok.node.plugins.module_utils._kube.api_errors import Unreachable
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import ConfigSource
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle_trial import Trial
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.well_known import (
    ANNOTATION_ASSIGNMENT,
    ANNOTATION_CONFIG_SOURCE,
    ANNOTATION_CONFIG_STATUS,
)
from support.agents.lossy_disk import LossyDisk, PowerLost
from support.agents.watched_bench import Published, WatchedBench
from support.fuzz.settings import fuzz

AWAY = Unreachable("connection refused", where="nodes/n1")
COMPONENTS = ("kubelet", "kube-proxy")
DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "torn": lambda data: data[: len(data) // 2],
    "empty": lambda data: b"",
    "zeros": lambda data: bytes(len(data)),
    "noise": lambda data: b"\xff\xfe{" + data,
}
TIMES = st.sampled_from([0.1, 0.6, 2.0, 7.0, 30.0, 150.0, 700.0])


class Node(RuleBasedStateMachine):
    """A node, its control side, and the events that may happen to it."""

    def __init__(self) -> None:
        super().__init__()
        self.directory = Path(tempfile.mkdtemp(prefix="configok-fuzz-"))
        self.bench: WatchedBench
        self.id = 0  # the highest assignment of this Node object
        self.serial = 0
        self.patches_checked = 0  # the number of patches
        self.floor = 0  # the highest assignment that the agent has answered for this Node object

    @initialize(components=st.sampled_from([COMPONENTS[:1], COMPONENTS]))
    def provision(self, components: tuple[str, ...]) -> None:
        self.bench = WatchedBench(self.directory, components)
        self.bench.run(5)

    def teardown(self) -> None:
        try:
            if hasattr(self, "bench"):
                self.end_well()
        finally:
            if hasattr(self, "bench"):
                self.bench.leave()
            shutil.rmtree(self.directory)

    # The control side

    def new_uid(self) -> str:
        self.serial += 1
        return f"{self.serial:036x}"

    def publish(self, mood: str, components: tuple[str, ...], trial: Trial) -> Published:
        self.serial += 1
        text = f"maxPods: {200 + self.serial}\n" if mood == "good" else f"mood: {mood}\nserial: {self.serial}\n"
        documents = dict.fromkeys(components, text)
        source = self.bench.publish(documents=documents, trial=trial, uid=self.new_uid())
        bundle = Published(source, documents, trial, mood != "invalid", mood)
        self.bench.published.append(bundle)
        return bundle

    def assign(self, source: ConfigSource | None, *, forget_bad: bool = False) -> None:
        bench = self.bench
        self.id += 1
        bench.assign(source, id=self.id, forget_bad=forget_bad)
        bench.unassigned = bench.unassigned or source is None
        if source is not None and (forget_bad or source.uid not in self.marked()):
            bench.bad.discard(source.uid)  # the component has another version, or the file with the mark was damaged

    def marked(self) -> set[str]:
        """Return the UIDs that are marked bad on the disk now."""
        known, self.bench.bad = self.bench.bad, set()
        self.bench.see_bad()
        uids, self.bench.bad = self.bench.bad, known
        return uids

    @rule(
        mood=st.sampled_from(["good", "good", "deadly", "sick", "invalid"]),
        components=st.sampled_from([COMPONENTS[:1], COMPONENTS[1:], COMPONENTS, ("kubelet", "other")]),
        duration=st.sampled_from([0.0, 1.0, 60.0, 200.0]),
        threshold=st.sampled_from([0, 1, 3]),
    )
    def assign_new(self, mood: str, components: tuple[str, ...], duration: float, threshold: int) -> None:
        self.assign(self.publish(mood, components, Trial(duration, threshold)).source)

    @precondition(lambda self: self.bench.published)
    @rule(data=st.data(), forget_bad=st.booleans())
    def assign_again(self, data: st.DataObject, forget_bad: bool) -> None:
        self.assign(data.draw(st.sampled_from(self.bench.published)).source, forget_bad=forget_bad)

    @precondition(lambda self: self.bench.published)
    @rule(data=st.data())
    def restore_bundle(self, data: st.DataObject) -> None:
        """Assign a bundle that was deleted and created again: the same content under another uid."""
        bundle = data.draw(st.sampled_from(self.bench.published))
        source = self.bench.publish(documents=bundle.documents, trial=bundle.trial, uid=self.new_uid())
        self.bench.published.append(bundle._replace(source=source))
        self.assign(source)

    @rule()
    def unassign(self) -> None:
        self.assign(None)

    @precondition(lambda self: self.bench.published)
    @rule(data=st.data())
    def delete_bundle(self, data: st.DataObject) -> None:
        self.bench.api.config_maps.pop(data.draw(st.sampled_from(self.bench.published)).source.name, None)

    @rule(
        text=st.sampled_from(["{}", "null", "not JSON", '{"configMap": {"namespace": "kube-system"}}', "[[[["]),
        name=st.sampled_from([ANNOTATION_CONFIG_SOURCE, ANNOTATION_ASSIGNMENT, ANNOTATION_CONFIG_STATUS]),
        gone=st.booleans(),
    )
    def hands_on_annotations(self, text: str, name: str, gone: bool) -> None:
        annotations = self.bench.api.node["metadata"]["annotations"]
        annotations.pop(name, None)
        if not gone:
            annotations[name] = text

    @precondition(lambda self: self.bench.published and self.id > 1)
    @rule(data=st.data())
    def assign_stale(self, data: st.DataObject) -> None:
        bundle = data.draw(st.sampled_from(self.bench.published))
        self.bench.assign(bundle.source, id=data.draw(st.integers(1, self.id - 1)))

    @rule()
    def register_again(self) -> None:
        """Delete the Node and register another object of its name, whose ids start again."""
        self.check(repaired=False)
        self.bench.api.node["metadata"] = {"name": "n1", "uid": self.new_uid(), "annotations": {}}
        self.id = self.floor = 0

    @precondition(lambda self: self.bench.published)
    @rule(data=st.data(), everything=st.booleans())
    def forget(self, data: st.DataObject, everything: bool) -> None:
        uid = None if everything else data.draw(st.sampled_from(self.bench.published)).source.uid
        forget_bad(self.bench.configuration, uid)
        self.bench.bad = set() if uid is None else self.bench.bad - {uid}

    @rule(away=st.booleans())
    def api(self, away: bool) -> None:
        self.bench.api.down = AWAY if away else None
        self.bench.blind = self.bench.blind and away

    # The node

    @rule(seconds=TIMES)
    def time_passes(self, seconds: float) -> None:
        self.bench.run(seconds)
        self.check()

    @rule(seconds=TIMES)
    def time_passes_without_the_agent(self, seconds: float) -> None:
        self.bench.run(seconds, agent=False)
        self.bench.daemon = self.bench.new_daemon()
        self.check(repaired=False)

    @rule(blind=st.booleans(), killed=st.booleans())
    def restart_agent(self, blind: bool, killed: bool) -> None:
        if killed:
            self.bench.daemon = self.bench.new_daemon()
        else:
            self.bench.restart_agent()
        self.bench.blind = blind and self.bench.api.down is not None
        self.check(repaired=False)

    @rule(name=st.sampled_from(COMPONENTS), seconds=st.sampled_from([0.0, 1.5, 20.0]), times=st.integers(1, 5))
    def crash(self, name: str, seconds: float, times: int) -> None:
        for _time in range(times):
            process = self.bench.processes.get(name)
            if process is not None and process.state == "active":
                self.bench.crash(name)
                self.bench.run(seconds)
                self.check()

    @rule(name=st.sampled_from(COMPONENTS), restart=st.booleans(), seconds=TIMES)
    def administrator(self, name: str, restart: bool, seconds: float) -> None:
        process = self.bench.processes.get(name)
        if process is None:
            return
        if process.state == "stopped":
            self.bench.start(name)
        elif process.state == "active":
            self.bench.stop(name)
            if restart:
                self.bench.start(name)
        self.bench.run(seconds)
        self.check()

    @rule(name=st.sampled_from(COMPONENTS), seconds=st.sampled_from([11.0, 45.0, 200.0]))
    def falls_ill(self, name: str, seconds: float) -> None:
        """Make a component unhealthy for longer than a probe interval, so that a probe can notice."""
        process = self.bench.processes.get(name)
        if process is not None:
            process.mood = "sick"
            self.bench.run(seconds)
            process.mood = ""
            self.check()

    @rule(minor=st.integers(35, 37), restarted=st.booleans())
    def upgrade(self, minor: int, restarted: bool) -> None:
        """Upgrade or downgrade to a version that may have tracking files already."""
        components = {
            name: component._replace(version=f"v1.{minor}.0")
            for name, component in self.bench.configuration.components.items()
        }
        self.bench.configure(components=components)
        for name, process in self.bench.processes.items():
            if restarted and process.state == "active":
                self.bench.stop(name)
                self.bench.start(name)
        self.check(repaired=False)

    @rule()
    def reboot(self) -> None:
        self.bench.daemon.close()
        self.bench.reboot()
        self.check()

    @rule(step=st.integers(0, 60), undo=st.booleans(), seconds=st.sampled_from([0.1, 2.0, 40.0]))
    def power_cut(self, step: int, undo: bool, seconds: float) -> None:
        """Cut the power at one of the next steps on the disk, or after seconds; unsynced writes are lost."""
        self.bench.disk.delegate = LossyDisk(step, power=True, undo=undo)
        try:
            self.bench.run(seconds)
        except PowerLost:
            pass
        self.bench.disk.delegate = Disk()
        for name in self.bench.processes:
            self.assert_valid(name)
        self.bench.reboot()
        self.check()

    @rule(step=st.integers(0, 60), seconds=st.sampled_from([0.1, 2.0, 40.0]))
    def disk_full(self, step: int, seconds: float) -> None:
        self.bench.disk.delegate = LossyDisk(step)
        self.bench.run(seconds)
        self.bench.disk.delegate = Disk()
        self.check()

    @rule(seconds=st.sampled_from([-(10.0**8), -3600.0, 3600.0, 10.0**9]))
    def clock_jumps(self, seconds: float) -> None:
        self.bench.clock.jump(seconds)

    @rule(number=st.integers(0, 10**6), damage=st.sampled_from(sorted(DAMAGES)))
    def damage(self, number: int, damage: str) -> None:
        files = sorted(
            str(path.relative_to(self.bench.state))
            for path in self.bench.state.rglob("*")
            if path.is_file() and ".corrupt-" not in path.name and path.name != ".lock"
        )
        name = files[number % len(files)]
        path = self.bench.state / name
        before = path.read_bytes()
        after = DAMAGES[damage](before)
        if name in ("current", "last-known-good") and not after:
            return  # an empty record is valid: it stands for the init config
        path.write_bytes(after)
        if after != before:
            self.bench.lost.add("config.yaml" if name.endswith("/config.yaml") else name)
            if name == "assignment":
                self.floor = 0  # nothing else records the answer

    # Invariants

    def assert_valid(self, name: str) -> None:
        if "config.yaml" not in self.bench.lost:
            self.bench.assert_valid(name)

    def check(self, *, repaired: bool = True) -> None:
        """Check the invariants. repaired: the agent has run for long enough to repair damaged files."""
        bench = self.bench
        if repaired and not any(name.endswith("/init.json") for name in bench.lost):
            bench.lost.discard("config.yaml")  # otherwise its content is known only at the next start
        for name, process in bench.processes.items():
            self.assert_valid(name)
            assert process.state in ("active", "starting", "stopped"), name
            assert process.refused == 0, name
        bench.see_bad()
        bench.assert_good_is_kept()
        for patch in bench.api.patches[self.patches_checked :]:
            answered = json.loads(patch["metadata"]["annotations"][ANNOTATION_CONFIG_STATUS])["assignment"]
            assert answered >= self.floor, f"answered {answered} after {self.floor}"
            assert answered <= self.id, f"answered {answered}, which was never given"
            self.floor = answered
        self.patches_checked = len(bench.api.patches)

    def end_well(self) -> None:
        """End all faults, then check that a good config is adopted and a crashing one rolled back."""
        bench = self.bench
        bench.api.down, bench.blind = None, False
        for name, process in bench.processes.items():
            if process.state == "stopped":
                bench.start(name)
        bench.run(2000)
        self.check()
        active = bench.status.active
        for name in bench.processes:
            expected = bench.init if active is None else bench.of_uid(active.uid).documents.get(name, bench.init)
            assert bench.running[name] == expected, f"the status says {active}"
            assert "config.yaml" in bench.lost or bench.reads(name) == expected, f"the status says {active}"
        good = self.publish("good", COMPONENTS, Trial(20.0, 1))
        self.assign(good.source)
        bench.run(100)
        self.check()
        assert bench.words[:2] == ("True", f"using current (UID: {good.source.uid})"), bench.words
        assert bench.status.last_known_good == good.source
        crashing = self.publish("deadly", COMPONENTS[:1], Trial(600.0, 1))
        self.assign(crashing.source)
        bench.run(100)
        self.check()
        assert bench.words[:2] == ("False", f"using last-known-good (UID: {good.source.uid})"), bench.words
        assert bench.status.cause == "CrashLoop"
        assert bench.reads() == good.documents["kubelet"]


TestAnyRowOfEvents = Node.TestCase
TestAnyRowOfEvents.settings = fuzz(30, stateful_step_count=25)


def test_a_rollback_does_not_answer_for_the_node_that_was_registered_before() -> None:
    """A row of events that was found: the answer was lost, and the record of the config had the id of the old Node."""
    node = Node()
    node.provision(components=("kubelet", "kube-proxy"))
    node.assign_new(components=("kube-proxy",), duration=0.0, mood="good", threshold=1)
    node.power_cut(seconds=0.1, step=25, undo=False)
    node.register_again()
    node.crash(name="kube-proxy", seconds=1.5, times=2)
    node.teardown()
