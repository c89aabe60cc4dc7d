# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Static Pods as a service manager: what it reports, what it records, and what it has a child write."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._agent_configuration import (
    AgentConfiguration,
    ComponentConfiguration,
)
from ansible_collections.configok.node.plugins.module_utils._agent._interfaces import (
    CommandResult,
    ServiceManagerError,
)
from ansible_collections.configok.node.plugins.module_utils._agent._manifest_note import (
    ManifestNote,
    Reload,
    WrittenManifest,
    read_manifest_note,
    write_manifest_note,
)
from ansible_collections.configok.node.plugins.module_utils._agent._manifest_rendering import CannotWrite
from ansible_collections.configok.node.plugins.module_utils._agent._manifest_update import ManifestUpdate
from ansible_collections.configok.node.plugins.module_utils._agent._reporting._crash_messages import LastMessages
from ansible_collections.configok.node.plugins.module_utils._agent._restore_timer import ArmedTimer, RestoreTimer
from ansible_collections.configok.node.plugins.module_utils._agent._state.health import Unit
from ansible_collections.configok.node.plugins.module_utils._agent._state.records import LOCAL_CONFIG, ConfigRecord
from ansible_collections.configok.node.plugins.module_utils._agent._state.start_history import is_crash
from ansible_collections.configok.node.plugins.module_utils._agent._static_pod_services import (
    ServiceManagers,
    StaticPods,
)
from ansible_collections.configok.node.plugins.module_utils._agent._store._rendered_files import default_document
from ansible_collections.configok.node.plugins.module_utils._agent._store._store import Store, digest
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import ConfigSource
from support.agents.shown_pods import ShownPods
from support.configs.manifests import kubeadm_pod, manifest_bytes
from support.configs.options import component_options

COMPONENT = "kube-scheduler"
UID, OTHER = (f"00000000-0000-0000-0000-00000000000{number}" for number in (1, 2))


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def since_boot(self) -> float:
        return self.seconds

    def boot_id(self) -> str:
        return "boot"

    def now(self) -> str:
        return f"time-{self.seconds:g}"


class Host:
    """A node with one static Pod, whose kubelet is the test."""

    def __init__(self, root: Path) -> None:
        self.root, self.clock = root, Clock()
        self.manifest = root / "manifests" / f"{COMPONENT}.yaml"
        self.manifest.parent.mkdir()
        self.manifest.write_bytes(manifest_bytes(kubeadm_pod(COMPONENT)))
        self.store = Store(str(root / "state"), now=self.clock.now)
        self.components = {COMPONENT: ComponentConfiguration(COMPONENT, "", manifest=str(self.manifest))}
        self.asked: list[Sequence[str]] = []
        self.kubelet_restarts = 0
        self.sent: list[tuple[int, int]] = []
        self.shown = ShownPods(root, COMPONENT)
        self.pods = StaticPods(
            self.components,
            self.store,
            self.clock,
            self.run,
            ["static-pod"],
            files=self.shown.files,
            epoch=lambda: 5000.0,
            send=lambda process, number: self.sent.append((process.pid, number)),
            restart_kubelet=self.restart_kubelet,
        )

    def restart_kubelet(self) -> None:
        self.kubelet_restarts += 1

    def run(
        self, argv: Sequence[str], *, timeout: float, env: Mapping[str, str] | None = None, stdin: str = ""
    ) -> CommandResult:
        """Do in this process what the child does."""
        self.asked.append(argv[1:])
        configuration = AgentConfiguration("n1", "/k", self.components)
        update = ManifestUpdate(configuration, COMPONENT, self.store, self.clock, root="/nowhere")
        try:
            update.check() if "--check" in argv else update.write()
        except CannotWrite as error:
            return CommandResult(1, "", f"configok-agent: {error}\n")
        return CommandResult(0, "", "")

    def use(self, flags: Mapping[str, Any]) -> None:
        data = json.dumps(component_options(flags, component=COMPONENT)).encode()
        self.store.write_rendered(COMPONENT, data)
        self.store.write_config(COMPONENT, data)

    def runs(self, uid: str, attempt: int, *, log: str = "", pid: int = 0) -> None:
        """Show a start of a container, and its process if it has a pid; the processes before it have ended."""
        self.clock.seconds += 10
        if attempt and log:
            self.shown.message(uid, attempt - 1, log)
        self.shown.start(uid, attempt, at=4000 + self.clock.seconds)
        self.shown.end_processes()
        if pid:
            self.shown.process(COMPONENT, uid, pid, self.clock.seconds)

    def starts(self) -> list[tuple[str, bool]]:
        """Return the recorded starts, and whether each has crashed."""
        version = self.store.tracking_version(COMPONENT, "")
        starts = self.store.read_startups(COMPONENT, version)
        return [(start.invocation, start.end is not None and is_crash(start.end)) for start in starts]


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(tmp_path)


def test_a_running_pod_is_active_since_its_process_was_started(host: Host) -> None:
    host.runs("a", 0, pid=11)
    unit = host.pods.unit(COMPONENT)
    config = digest(default_document(COMPONENT, has_options=True))
    assert unit == Unit(f"static Pod {COMPONENT}", "active", "a/0", 11, host.clock.seconds, config)
    assert host.starts() == [("a/0", False)]
    assert host.pods.version(COMPONENT) == "v1.20.2"


def test_a_manifest_is_checked_again_only_when_it_has_changed(host: Host) -> None:
    host.runs("a", 0, pid=11)
    for _check in range(3):
        host.pods.unit(COMPONENT)
    assert host.asked == [["--check", COMPONENT]]
    host.manifest.write_bytes(manifest_bytes(kubeadm_pod(COMPONENT, image="x:v1.21.0")))
    assert host.pods.version(COMPONENT) == "v1.21.0"
    assert len(host.asked) == 2


def test_crashes_after_a_write_are_recorded_with_their_reason(host: Host) -> None:
    host.runs("a", 0, pid=11)
    host.pods.unit(COMPONENT)
    host.use({"kube-api-qps": 30})
    host.pods.restart(COMPONENT)
    assert host.pods.unit(COMPONENT).invocation == "a/0", "the kubelet has not acted yet"
    host.runs("b", 0)
    assert host.pods.unit(COMPONENT).state == "starting"
    host.runs("b", 1, log="Error: no such thing")
    host.pods.unit(COMPONENT)
    assert host.starts() == [("a/0", False), ("b/0", True), ("b/1", False)]
    messages = LastMessages(host.components, host.store, host.run)
    assert messages("b/0") == "Error: no such thing"
    note = read_manifest_note(host.store, COMPONENT)
    assert [start.config for start in host.store.read_startups(COMPONENT, "unknown")][1:] == [note.written.config] * 2


def test_a_crash_is_recorded_as_soon_as_the_process_has_gone(host: Host) -> None:
    """The kubelet starts the container again after a pause of up to five minutes."""
    host.use({"kube-api-qps": 30})
    host.pods.restart(COMPONENT)
    host.runs("b", 0)
    host.pods.unit(COMPONENT)
    assert host.starts() == [("b/0", False)], "it is about to begin"
    host.shown.process(COMPONENT, "b", 12, host.clock.seconds)
    host.pods.unit(COMPONENT)
    host.shown.message("b", 0, "Error: no such thing")
    host.shown.end_processes()
    assert host.pods.unit(COMPONENT).state == "starting"
    assert host.starts() == [("b/0", True)]
    assert LastMessages(host.components, host.store, host.run)("b/0") == "Error: no such thing"
    host.runs("b", 1, pid=13)
    host.pods.unit(COMPONENT)
    assert host.starts() == [("b/0", True), ("b/1", False)]


@pytest.mark.parametrize("is_removed", [True, False], ids=["removed", "rewritten"])
def test_a_process_that_has_gone_with_its_manifest_has_not_crashed(
    host: Host, monkeypatch: pytest.MonkeyPatch, is_removed: bool
) -> None:
    """The manifest changes after this check has read it."""
    host.use({"kube-api-qps": 30})
    host.pods.restart(COMPONENT)
    host.runs("b", 0, pid=12)
    host.pods.unit(COMPONENT)
    runs = host.shown.files.runs

    def change(*words: str) -> Any:
        host.shown.end_processes()
        if is_removed:
            host.manifest.unlink()
        else:
            host.manifest.write_text(host.manifest.read_text().replace("qps=30", "qps=31"))
        return runs(*words)

    with monkeypatch.context() as patches:
        patches.setattr(host.shown.files, "runs", change)
        host.pods.unit(COMPONENT)
    host.pods.unit(COMPONENT)
    assert host.starts() == [("b/0", False)]


def test_a_manifest_that_is_moved_away_and_back_is_not_a_crash(host: Host) -> None:
    host.use({"kube-api-qps": 30})
    host.pods.restart(COMPONENT)
    host.runs("b", 0, pid=12)
    host.pods.unit(COMPONENT)
    text = host.manifest.read_bytes()
    host.manifest.unlink()
    host.shown.end_processes()
    assert host.pods.unit(COMPONENT).state == "foreign"
    host.manifest.write_bytes(text)
    host.pods.unit(COMPONENT)
    assert host.starts() == [("b/0", False)]


@pytest.mark.parametrize("is_seen", [False, True], ids=["at once", "later"])
def test_a_pod_that_ends_for_another_image_has_not_crashed(host: Host, is_seen: bool) -> None:
    """The options stay in the manifest, and the kubelet pulls the image before it starts the next Pod.

    is_seen: whether the process is still seen after the manifest is another one.
    """
    host.use({"kube-api-qps": 30})
    host.pods.restart(COMPONENT)
    host.runs("b", 0, pid=12)
    host.pods.unit(COMPONENT)
    host.manifest.write_text(host.manifest.read_text().replace("v1.20.2", "v1.20.15"))
    if is_seen:
        host.pods.unit(COMPONENT)
    host.shown.end_processes()
    for _check in range(2):
        assert host.pods.unit(COMPONENT).reason == ""
    assert host.starts() == [("b/0", False)]


def test_a_process_that_was_not_seen_for_a_moment_has_not_crashed(host: Host) -> None:
    host.use({"kube-api-qps": 30})
    host.pods.restart(COMPONENT)
    host.runs("b", 0, pid=12)
    host.pods.unit(COMPONENT)
    host.shown.end_processes()
    host.pods.unit(COMPONENT)
    assert host.starts() == [("b/0", True)]
    host.shown.process(COMPONENT, "b", 12, host.clock.seconds)
    host.pods.unit(COMPONENT)
    assert host.starts() == [("b/0", False)]


def test_a_pod_of_another_program_is_reported_and_not_written(host: Host) -> None:
    host.runs("a", 0, pid=11)
    host.use({"kube-api-qps": 30})
    host.pods.restart(COMPONENT)
    host.manifest.write_text(host.manifest.read_text().replace("qps=30", "qps=31"))
    unit = host.pods.unit(COMPONENT)
    assert (unit.state, unit.pid) == ("foreign", 11)
    assert "neither by this agent nor by an upgrade" in unit.reason
    with pytest.raises(ServiceManagerError, match="neither by this agent"):
        host.pods.restart(COMPONENT)


def test_options_that_are_lost_are_reported_until_others_are_in_use(host: Host) -> None:
    host.runs("a", 0, pid=11)
    init = host.manifest.read_text()
    host.use({"kube-api-qps": 30})
    host.pods.restart(COMPONENT)
    host.manifest.write_text(init)
    assert "without the options in use" in host.pods.unit(COMPONENT).reason
    host.use({"kube-api-qps": 40})
    assert host.pods.unit(COMPONENT).state == "active"
    host.pods.restart(COMPONENT)
    assert "--kube-api-qps=40" in host.manifest.read_text()


def test_a_missing_manifest_is_a_reason_to_wait(host: Host) -> None:
    host.manifest.unlink()
    unit = host.pods.unit(COMPONENT)
    assert (unit.state, unit.reason) == ("foreign", f"{host.manifest} is not there")


def test_a_child_without_an_answer_is_a_service_manager_without_an_answer(host: Host) -> None:
    def fails(
        argv: Sequence[str], *, timeout: float, env: Mapping[str, str] | None = None, stdin: str = ""
    ) -> CommandResult:
        return CommandResult(124, "", "no answer within 60s")

    pods = StaticPods(host.components, host.store, host.clock, fails, ["static-pod"])
    with pytest.raises(ServiceManagerError, match="no answer within 60s"):
        pods.unit(COMPONENT)
    assert pods.version(COMPONENT) == ""


def test_each_component_has_its_own_service_manager(host: Host) -> None:
    class Units:
        def unit(self, component: str) -> Unit:
            return Unit(f"{component}.service", "active")

        def restart(self, component: str) -> bool:
            raise ServiceManagerError(component)

    managers = ServiceManagers({"kubelet": Units(), COMPONENT: host.pods})
    assert managers.unit("kubelet").name == "kubelet.service"
    host.use({"kube-api-qps": 30})
    managers.restart(COMPONENT)
    assert "--kube-api-qps=30" in host.manifest.read_text()
    with pytest.raises(ServiceManagerError, match="kubelet"):
        managers.restart("kubelet")


def on_trial(host: Host, uid: str) -> None:
    host.use({"kube-api-qps": 30})
    config = digest(host.store.read_config(COMPONENT) or b"")
    source = ConfigSource("configok-system", "pool-a", uid)
    host.store.write_current(ConfigRecord(source=source, files={COMPONENT: config}))
    host.pods.restart(COMPONENT)


@pytest.mark.parametrize(("component", "moves"), [(COMPONENT, False), ("etcd", True)])
def test_the_timer_does_not_do_what_a_rollback_of_etcd_waits_for(tmp_path: Path, component: str, moves: bool) -> None:
    """The other members cannot do without this one: a rollback is decided, and not written."""
    store, clock = Store(str(tmp_path), now=lambda: "now"), Clock()
    pods = {component: ComponentConfiguration(component, "", manifest=str(tmp_path / "m"))}
    shown = ShownPods(tmp_path, component)
    services = StaticPods(pods, store, clock, lambda *_a, **_k: CommandResult(1, "", ""), [], files=shown.files)
    timer = RestoreTimer(store, component)
    timer.arm(ArmedTimer(int(clock.seconds) + 360, 360, "boot", "a", "/m", "/p", UID))
    (tmp_path / "m").write_bytes(b"written")
    note = ManifestNote(seen=digest(b"written"), init="a", written=WrittenManifest(digest(b"written"), "trial"))
    write_manifest_note(store, component, note)
    store.write_current(LOCAL_CONFIG)
    before = timer.armed()
    clock.seconds += 300
    services.unit(component)
    after = timer.armed()
    assert before is not None
    assert after is not None
    assert after.deadline - before.deadline == (300 if moves else 0)


def test_the_daemon_moves_the_deadline_until_the_trial_is_over(host: Host) -> None:
    host.runs("a", 0, pid=11)
    on_trial(host, UID)
    timer = RestoreTimer(host.store, COMPONENT)
    first = timer.armed()
    assert first is not None
    host.clock.seconds += 100
    host.pods.unit(COMPONENT)
    moved = timer.armed()
    assert moved is not None
    assert moved.deadline - first.deadline == 100
    host.store.write_last_known_good(host.store.read_records().current or LOCAL_CONFIG)
    host.pods.unit(COMPONENT)
    assert timer.armed() is None


def restore(host: Host, armed: ArmedTimer) -> None:
    """Do what the timer does."""
    host.manifest.with_name(".prepared-" + host.manifest.name).rename(host.manifest)
    text = "".join(f"{field}\n" for field in armed)
    host.store.files.write(f"components/{COMPONENT}/restored-by-timer", text.encode())


@pytest.mark.parametrize(
    ("case", "marked"), [("in use", [UID]), ("pinned", [OTHER]), ("another", []), ("last-known-good", [])]
)
def test_what_the_timer_has_taken_back_is_bad_if_it_is_still_on_trial(host: Host, case: str, marked: list[str]) -> None:
    host.runs("a", 0, pid=11)
    on_trial(host, UID)
    timer = RestoreTimer(host.store, COMPONENT)
    armed = timer.armed()
    assert armed is not None
    restore(host, armed)
    current = host.store.read_records().current
    assert current is not None
    if case == "pinned":  # the same options have another uid
        host.store.write_current(current._replace(source=ConfigSource("configok-system", "pool-b", OTHER)))
    elif case == "another":
        host.store.write_current(current._replace(source=ConfigSource("configok-system", "pool-b", OTHER)))
        host.use({"profiling": False})
    elif case == "last-known-good":
        host.store.write_last_known_good(current)
    assert host.pods.unit(COMPONENT).reason == ""
    marks = host.store.read_bad_configs(COMPONENT, "unknown")
    assert list(marks) == marked
    assert all("the timer has restored the manifest before" in mark.reason for mark in marks.values())
    assert (timer.restored(), timer.armed()) == (None, None)


@pytest.mark.parametrize(("boot", "tried"), [("boot", 50.0), ("the boot before", 0.0)])
def test_a_file_that_the_timer_has_taken_back_is_to_be_read_again(host: Host, boot: str, tried: float) -> None:
    """A process of this boot began with the other content, so that only another reading shows this one."""
    host.runs("a", 0, pid=11)
    host.pods.unit(COMPONENT)
    file, before = host.root / "authentication.yaml", read_manifest_note(host.store, COMPONENT)
    file.write_bytes(b"good")
    path, good, refused = str(file), digest(b"good"), digest(b"refused")
    prepared = before.written._replace(reloaded={path: good})
    written = before.written._replace(config="on trial", reloaded={path: refused})
    reload = Reload(path, "authentication-config", refused, 50.0, boot)
    note = before._replace(written=written, prepared=prepared, reload=reload)
    write_manifest_note(host.store, COMPONENT, note)
    starts = host.store.read_startups(COMPONENT, "unknown")
    host.store.write_startups(COMPONENT, "unknown", [start._replace(config="on trial") for start in starts])
    armed = ArmedTimer(0, 180, "boot", refused, path, "/nowhere", UID)
    host.store.files.write(
        f"components/{COMPONENT}/restored-by-timer", "".join(f"{field}\n" for field in armed).encode()
    )
    assert host.pods.unit(COMPONENT).reason == ""
    note = read_manifest_note(host.store, COMPONENT)
    assert (note.written, note.prepared.manifest) == (prepared, "")
    assert note.reload == Reload(path, "authentication-config", good, host.clock.seconds, "boot", tried)
    assert [start.config for start in host.store.read_startups(COMPONENT, "unknown")] == [prepared.config]


def test_logs_of_the_boot_before_are_not_a_start(host: Host) -> None:
    host.runs("a", 0)
    (logs,) = (host.root / "pods").glob(f"*/{COMPONENT}")
    os.utime(logs, (100, 100))
    host.pods.unit(COMPONENT)
    assert host.starts() == []


def test_the_old_pod_does_not_run_the_next_options(host: Host) -> None:
    """Not even in its first start after the write."""
    host.runs("a", 5, pid=11)
    host.pods.unit(COMPONENT)
    host.use({"kube-api-qps": 30})
    host.pods.restart(COMPONENT)
    unit = host.pods.unit(COMPONENT)
    (start,) = host.store.read_startups(COMPONENT, "unknown")
    assert unit.config == digest(host.store.read_config(COMPONENT) or b"")
    assert start.config != unit.config


def test_the_pod_before_is_not_the_newest_when_its_log_is_begun_again(host: Host) -> None:
    """It takes its time to end, the kubelet removes its logs, and has the runtime begin another one."""
    host.runs("a", 0, pid=11)
    host.pods.unit(COMPONENT)
    host.use({"kube-api-qps": 30})
    host.clock.seconds += 1
    host.pods.restart(COMPONENT)
    host.runs("b", 0, pid=12)
    host.pods.unit(COMPONENT)
    host.clock.seconds += 20
    host.shown.start("a", 0, at=5000.0)
    unit = host.pods.unit(COMPONENT)
    assert (unit.state, unit.invocation, unit.pid) == ("active", "b/0", 12)
    host.shown.end_processes()
    host.clock.seconds += 1
    unit = host.pods.unit(COMPONENT)
    assert (unit.state, unit.invocation) == ("starting", "b/0")
    assert host.starts() == [("a/0", False), ("b/0", True)]


@pytest.mark.parametrize("is_ours", [True, False], ids=["of the agent", "of an operator"])
def test_a_kubelet_that_starts_no_pod_of_a_manifest_of_the_agent_is_restarted(host: Host, is_ours: bool) -> None:
    """It was restarted without an API server, and waits for one before it ends the Pod before."""
    host.runs("a", 0, pid=11)
    host.pods.unit(COMPONENT)
    host.use({"kube-api-qps": 30})
    host.clock.seconds += 1
    host.pods.restart(COMPONENT)
    if not is_ours:
        host.manifest.write_text(host.manifest.read_text().replace("qps=30", "qps=31"))
    for restarts in (0, int(is_ours)):
        host.pods.unit(COMPONENT)
        assert host.kubelet_restarts == restarts
        host.clock.seconds += 60


@pytest.mark.parametrize("is_ours", [True, False], ids=["of the agent", "of an operator"])
def test_a_process_that_the_kubelet_has_forgotten_is_ended_for_a_manifest_of_the_agent(
    host: Host, is_ours: bool
) -> None:
    """The kubelet was restarted without an API server, and the options come and go."""
    manifest = kubeadm_pod(COMPONENT)
    manifest["spec"]["terminationGracePeriodSeconds"] = 5
    host.manifest.write_bytes(manifest_bytes(manifest))
    host.runs(UID, 0, pid=11)
    host.pods.unit(COMPONENT)
    host.use({"kube-api-qps": 30})
    host.clock.seconds += 1
    host.pods.restart(COMPONENT)
    if not is_ours:
        host.manifest.write_text(host.manifest.read_text().replace("qps=30", "qps=31"))
    for attempt in range(5):
        host.shown.remove_pod(OTHER)  # the kubelet keeps the log of the newest start only
        host.runs(OTHER, attempt)
        host.shown.message(OTHER, attempt, "listen tcp 127.0.0.1:10259: bind: address already in use")
        host.shown.process(COMPONENT, UID, 11, 1010.0)
        unit = host.pods.unit(COMPONENT)
        assert not any(crashed for _name, crashed in host.starts())
    assert unit.state == "foreign", "it says nothing about the options"
    assert ("keeps its port" in unit.reason) == is_ours
    assert host.sent == ([(11, signal.SIGTERM)] if is_ours else [])


def test_a_crash_of_what_an_operator_wrote_is_not_charged(host: Host) -> None:
    host.runs("a", 0, pid=11)
    host.use({"kube-api-qps": 30})
    host.pods.restart(COMPONENT)
    host.manifest.write_text(host.manifest.read_text().replace("qps=30", "qps=31"))
    for attempt in range(3):
        host.runs("x", attempt)
        host.pods.unit(COMPONENT)
    assert not any(crashed for _name, crashed in host.starts())


@pytest.mark.parametrize(("started", "crashes"), [(1005, 1), (1025, 0)], ids=["before it", "after its start"])
def test_an_end_during_a_restart_of_the_api_server_does_not_count(host: Host, started: int, crashes: int) -> None:
    """A leader cannot renew its Lease then, and nothing starts without an API server."""
    manifest = host.manifest.with_name("kube-apiserver.yaml")
    manifest.write_bytes(manifest_bytes(kubeadm_pod("kube-apiserver")))
    host.components["kube-apiserver"] = ComponentConfiguration("kube-apiserver", "", manifest=str(manifest))
    host.store.write_config("kube-apiserver", default_document("kube-apiserver", has_options=True))
    host.store.write_config(COMPONENT, default_document(COMPONENT, has_options=True))
    configuration = AgentConfiguration("n1", "/k", host.components)
    ManifestUpdate(configuration, "kube-apiserver", host.store, host.clock, root="/nowhere").check()
    host.runs("a", 0)
    host.pods.unit(COMPONENT)
    host.runs("a", 1)
    logs = host.root / "pods/kube-system_kube-apiserver-n1_p/kube-apiserver"
    logs.mkdir(parents=True)
    (logs / "0.log").write_text("")
    host.shown.process("kube-apiserver", "p", 12, started)
    host.pods.unit(COMPONENT)
    assert sum(crashed for _name, crashed in host.starts()) == crashes
