# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The manifest of a static Pod is brought in line with its options, and left alone where another program wrote it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.configok.node.plugins.module_utils._agent import _manifest_update
from ansible_collections.configok.node.plugins.module_utils._agent._agent_configuration import (
    AgentConfiguration,
    ComponentConfiguration,
)
from ansible_collections.configok.node.plugins.module_utils._agent._hold import Hold, HoldFile
from ansible_collections.configok.node.plugins.module_utils._agent._manifest_note import (
    ManifestNote,
    WrittenManifest,
    read_manifest_note,
    write_manifest_note,
)
from ansible_collections.configok.node.plugins.module_utils._agent._manifest_rendering import CannotWrite
from ansible_collections.configok.node.plugins.module_utils._agent._manifest_update import ManifestUpdate
from ansible_collections.configok.node.plugins.module_utils._agent._restore_timer import RestoreTimer
from ansible_collections.configok.node.plugins.module_utils._agent._state.records import LOCAL_CONFIG, ConfigRecord
from ansible_collections.configok.node.plugins.module_utils._agent._state.start_history import BadConfig, Start
from ansible_collections.configok.node.plugins.module_utils._agent._store._rendered_files import default_document
from ansible_collections.configok.node.plugins.module_utils._agent._store._store import Store, digest
from ansible_collections.configok.node.plugins.module_utils._agent._system_clock import SystemClock
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.assignment import ConfigSource
from support.configs.manifests import kubeadm_pod, manifest_bytes
from support.configs.options import component_options

COMPONENT = "kube-scheduler"
QPS = {"kube-api-qps": 30}
GOOD, NEXT = (f"00000000-0000-0000-0000-00000000000{number}" for number in (1, 2))


class Node:
    """A folder of manifests, and the agent's store."""

    def __init__(self, root: Path) -> None:
        self.manifest = root / "manifests" / f"{COMPONENT}.yaml"
        self.manifest.parent.mkdir()
        self.manifest.write_bytes(manifest_bytes(kubeadm_pod(COMPONENT)))
        self.store = Store(str(root / "state"), now=lambda: "now")
        self.options = root / "options"
        component = ComponentConfiguration(COMPONENT, "", manifest=str(self.manifest))
        self.configuration = AgentConfiguration("n1", "/k", {COMPONENT: component})

    @property
    def update(self) -> ManifestUpdate:
        return ManifestUpdate(self.configuration, COMPONENT, self.store, SystemClock(), root=str(self.options))

    @property
    def note(self) -> ManifestNote:
        return read_manifest_note(self.store, COMPONENT)

    def use(self, flags: Mapping[str, Any], *, indent: int | None = None) -> str:
        """Put options into the store as a switch does; return their hash."""
        data = json.dumps(component_options(flags, component=COMPONENT), indent=indent).encode()
        self.store.write_rendered(COMPONENT, data)
        self.store.write_config(COMPONENT, data)
        return digest(data)

    def words(self) -> list[str]:
        return list(yaml.safe_load(self.manifest.read_text())["spec"]["containers"][0]["command"])


@pytest.fixture
def node(tmp_path: Path) -> Node:
    return Node(tmp_path)


def test_a_first_check_keeps_the_init_manifest_and_writes_nothing(node: Node) -> None:
    before = node.manifest.read_bytes()
    note = node.update.check()
    assert node.manifest.read_bytes() == before == note.init.encode()
    assert (note.pod, note.container, note.version) == (f"kube-system_{COMPONENT}-n1", COMPONENT, "v1.20.2")
    no_options = digest(default_document(COMPONENT, has_options=True))
    assert (note.problem, note.written) == ("", WrittenManifest(digest(before), no_options))


def test_options_are_written_once_and_taken_back_byte_for_byte(node: Node) -> None:
    before = node.manifest.read_bytes()
    config = node.use(QPS)
    assert node.update.write() is True
    assert "--kube-api-qps=30" in node.words()
    assert node.note.written == WrittenManifest(digest(node.manifest.read_bytes()), config)
    assert node.update.write() is False
    node.use({})
    assert node.update.write() is True
    assert node.manifest.read_bytes() == before


def test_another_file_that_asks_for_the_same_restarts_nothing(node: Node) -> None:
    node.use(QPS)
    node.update.write()
    written = node.manifest.read_bytes()
    version = node.store.tracking_version(COMPONENT, "")
    node.store.write_startups(COMPONENT, version, [Start("a/0", "boot", 1.0, "", node.note.written.config)])
    config = node.use(QPS, indent=2)
    assert node.update.write() is False
    assert node.manifest.read_bytes() == written
    assert node.note.written.config == config
    assert [start.config for start in node.store.read_startups(COMPONENT, version)] == [config]


class Guard:
    """Stands for the guard of etcd: keeps the order in which it is asked."""

    def __init__(self) -> None:
        self.asked: list[Any] = []
        self.reasons = {"keep": "", "snapshot": ""}
        self.meanwhile: Callable[[], object] = lambda: None

    def reason_to_keep(self, arguments: Sequence[str], *, is_fallback: bool) -> str:
        self.asked.append(("--kube-api-qps=30" in arguments, is_fallback))
        if "snapshot" in self.asked:
            self.meanwhile()
        return self.reasons["keep"]

    def save_snapshot(self) -> str:
        self.asked.append("snapshot")
        return self.reasons["snapshot"]


def test_a_guarded_component_is_asked_for_before_and_right_at_the_write(node: Node) -> None:
    """Its data are saved between the two, and only for a restart that is due."""
    guard = Guard()
    update = guarded(node, guard)
    node.store.write_last_known_good(LOCAL_CONFIG)
    node.store.write_current(record(NEXT, node.use(QPS)))
    assert update.write() is True
    assert guard.asked == [(True, False), "snapshot", (True, False)]
    assert update.write() is False
    assert len(guard.asked) == 3
    node.store.write_last_known_good(record(NEXT, node.use(QPS)))
    RestoreTimer(node.store, COMPONENT).disarm()
    refuse(node, update, guard, "keep")
    refuse(node, update, guard, "snapshot")
    assert guard.asked[3:] == [(False, True), (False, True), "snapshot"]


def test_what_was_asked_counts_for_a_moment_and_for_the_same_options(node: Node) -> None:
    """The store is not locked meanwhile."""
    written = node.manifest.read_bytes()
    for changed in (True, False):
        guard, clock = Guard(), LaterClock()
        node.use(QPS)
        guard.meanwhile = (lambda: node.use({"kube-api-qps": 31})) if changed else clock.wait
        with pytest.raises(CannotWrite, match="the answer of the other members is for other options, or too old"):
            guarded(node, guard, clock).write()
        assert node.manifest.read_bytes() == written


def test_a_manifest_that_is_given_back_is_asked_for_too(node: Node) -> None:
    guard = Guard()
    update = guarded(node, guard)
    node.use(QPS)
    update.write()
    written, guard.reasons = node.manifest.read_bytes(), {"keep": "no keep", "snapshot": ""}
    with pytest.raises(CannotWrite, match="no keep"):
        update.restore_init()
    assert node.manifest.read_bytes() == written
    guard.reasons["keep"] = ""
    assert update.restore_init() is True
    assert guard.asked[-1] == (False, True)


def test_a_rollback_of_a_guarded_component_saves_no_data(node: Node) -> None:
    """It must be quick, and they were saved when its trial began."""
    guard = Guard()
    update = guarded(node, guard)
    node.store.write_last_known_good(LOCAL_CONFIG)
    node.store.write_current(record(NEXT, node.use(QPS)))
    update.write()
    refuse(node, update, guard, "keep")
    guard.asked, guard.reasons = [], {**guard.reasons, "keep": "", "snapshot": "no space"}
    assert update.write() is True
    assert guard.asked == [(False, True)]


class LaterClock(SystemClock):
    """The node's clock, which a test moves."""

    def __init__(self) -> None:
        self.later = 0.0

    def since_boot(self) -> float:
        return super().since_boot() + self.later

    def wait(self) -> None:
        self.later += 16


def test_no_data_are_saved_while_another_program_holds_the_manifests(node: Node, tmp_path: Path) -> None:
    guard = Guard()
    node.use(QPS)
    node.configuration = node.configuration._replace(run_directory=str(tmp_path))
    HoldFile(str(tmp_path)).write(Hold("kubeadm", int(SystemClock().since_boot()) + 60))
    with pytest.raises(CannotWrite, match="kubeadm"):
        guarded(node, guard).write()
    assert guard.asked == []


def guarded(node: Node, guard: Guard, clock: SystemClock | None = None) -> ManifestUpdate:
    stand_in: Any = guard
    return ManifestUpdate(
        node.configuration,
        COMPONENT,
        node.store,
        clock or SystemClock(),
        root=str(node.options),
        guard=stand_in,
    )


def refuse(node: Node, update: ManifestUpdate, guard: Guard, question: str) -> None:
    """Return to the init manifest, which the guard refuses for one of its reasons."""
    node.use({})
    node.store.write_current(LOCAL_CONFIG)
    written = node.manifest.read_bytes()
    guard.reasons = {**dict.fromkeys(guard.reasons, ""), question: f"no {question}"}
    with pytest.raises(CannotWrite, match=f"no {question}"):
        update.write()
    assert node.manifest.read_bytes() == written


@pytest.mark.parametrize("lost", range(1, 4))
def test_a_power_cut_before_or_after_the_write_leaves_a_manifest_that_is_known(
    node: Node, monkeypatch: pytest.MonkeyPatch, lost: int
) -> None:
    """One of the three notes of a write is lost, with what comes after it."""
    node.use(QPS)
    node.update.check()
    notes = []

    def write(store: Store, component: str, note: ManifestNote) -> None:
        notes.append(note)
        if len(notes) == lost:
            raise OSError("the power is cut")
        write_manifest_note(store, component, note)

    with monkeypatch.context() as context:
        context.setattr(_manifest_update, "write_manifest_note", write)
        with pytest.raises(OSError, match="power"):
            node.update.write()
    assert ("--kube-api-qps=30" in node.words()) is (lost == 3)
    assert node.update.check().problem == ""
    node.update.write()
    assert "--kube-api-qps=30" in node.words()
    assert node.update.check().written.manifest == digest(node.manifest.read_bytes())


def replaced(node: Node, before: str, after: str) -> None:
    text = node.manifest.read_text()
    assert before in text
    node.manifest.write_text(text.replace(before, after))


def test_nothing_is_written_over_what_an_operator_has_changed(node: Node) -> None:
    node.use(QPS)
    node.update.write()
    written = node.manifest.read_text()
    replaced(node, "--kube-api-qps=30", "--kube-api-qps=31")
    changed = node.manifest.read_text()
    node.use({})
    with pytest.raises(CannotWrite, match="neither by this agent nor by an upgrade"):
        node.update.write()
    assert node.manifest.read_text() == changed
    node.manifest.write_text(written)
    assert node.update.write() is True


def test_an_upgrade_without_options_in_use_is_the_new_init_manifest(node: Node) -> None:
    node.update.check()
    replaced(node, ":v1.20.2", ":v1.21.0")
    note = node.update.check()
    assert (note.problem, note.version, note.init) == ("", "v1.21.0", node.manifest.read_text())
    node.use(QPS)
    node.update.write()
    assert "v1.21.0" in node.manifest.read_text()


def test_an_upgrade_that_keeps_the_options_restarts_nothing_and_is_never_undone(node: Node) -> None:
    node.use(QPS)
    node.update.write()
    replaced(node, ":v1.20.2", ":v1.21.0")
    assert node.update.write() is False
    node.use({})
    node.update.write()
    assert "v1.21.0" in node.manifest.read_text()
    assert "--kube-api-qps=30" not in node.words()


def test_options_that_an_upgrade_has_lost_wait_for_an_operator(node: Node) -> None:
    init = node.manifest.read_text()
    node.use(QPS)
    node.update.write()
    node.manifest.write_text(init.replace(":v1.20.2", ":v1.21.0"))
    with pytest.raises(CannotWrite, match="rewritten without the options in use"):
        node.update.write()
    upgraded = init.replace(":v1.20.2", ":v1.21.0")
    assert node.manifest.read_text() == upgraded
    assert node.update.check().written.config == digest(default_document(COMPONENT, has_options=True))
    node.use({"kube-api-qps": 50})
    assert node.update.write() is True
    assert {"--kube-api-qps=50"} < set(node.words())
    node.use({})
    node.update.write()
    assert node.manifest.read_text() == upgraded


@pytest.mark.parametrize(
    ("pod", "problem"),
    [
        (kubeadm_pod("kube-controller-manager"), "does not run kube-scheduler"),
        (kubeadm_pod(COMPONENT, livenessProbe=None), "has no probe"),
        ({"apiVersion": "v1", "kind": "ConfigMap"}, "is not a Pod"),
    ],
)
def test_a_manifest_that_cannot_have_options_is_left_alone(node: Node, pod: dict[str, Any], problem: str) -> None:
    node.manifest.write_text(yaml.safe_dump(pod))
    node.use(QPS)
    before = node.manifest.read_bytes()
    assert problem in node.update.check().problem
    with pytest.raises(CannotWrite, match=problem):
        node.update.write()
    assert node.manifest.read_bytes() == before


def test_a_manifest_that_is_gone_is_not_made_again(node: Node) -> None:
    node.update.check()
    node.manifest.unlink()
    node.use(QPS)
    with pytest.raises(CannotWrite, match="is not there"):
        node.update.write()
    assert not node.manifest.exists()


def on_trial(node: Node, flags: Mapping[str, Any], good: Mapping[str, Any] | None = None) -> None:
    """Put options on trial, after others or the init config."""
    if good is not None:
        config = node.use(good)
        node.store.write_last_known_good(record(GOOD, config))
    node.store.write_current(record(NEXT, node.use(flags)))


def record(uid: str, config: str) -> ConfigRecord:
    return ConfigRecord(source=ConfigSource("configok-system", f"pool-{uid[-1]}", uid), files={COMPONENT: config})


@pytest.mark.parametrize("good", [None, {"profiling": False}], ids=["init config", "a config"])
def test_options_on_trial_arm_the_timer_with_last_known_good(node: Node, good: Mapping[str, Any] | None) -> None:
    init = node.manifest.read_bytes()
    on_trial(node, QPS, good)
    node.update.write()
    armed = RestoreTimer(node.store, COMPONENT).armed()
    assert armed is not None
    assert (armed.written, armed.uid, armed.seconds) == (digest(node.manifest.read_bytes()), NEXT, 180)
    prepared = Path(armed.prepared)
    assert (prepared.parent, prepared.name[0]) == (node.manifest.parent, "."), "the kubelet ignores it"
    assert (prepared.read_bytes() == init) is (good is None)
    assert ("--profiling=false" in prepared.read_text()) is (good is not None)


def test_what_the_timer_has_restored_is_known(node: Node) -> None:
    on_trial(node, QPS, {"profiling": False})
    node.update.write()
    armed = RestoreTimer(node.store, COMPONENT).armed()
    assert armed is not None
    Path(armed.prepared).rename(node.manifest)
    armed_file = Path(node.store.files.path(f"components/{COMPONENT}/armed"))
    os.link(armed_file, armed_file.with_name("restored-by-timer"))
    assert node.update.check().problem == ""
    node.use({"profiling": False})
    assert node.update.write() is False, "the options in use are in place already"


def test_options_that_are_taken_back_disarm_the_timer(node: Node) -> None:
    on_trial(node, QPS)
    node.update.write()
    node.store.write_current(LOCAL_CONFIG)
    node.use({})
    assert node.update.write() is True
    assert RestoreTimer(node.store, COMPONENT).armed() is None
    assert [path.name for path in node.manifest.parent.iterdir()] == [node.manifest.name]


def test_an_init_manifest_that_an_operator_puts_back_during_a_trial_stays(node: Node) -> None:
    init = node.manifest.read_bytes()
    on_trial(node, QPS)
    node.update.write()
    node.manifest.write_bytes(init)
    with pytest.raises(CannotWrite, match="rewritten without the options in use"):
        node.update.write()
    assert node.manifest.read_bytes() == init


def test_options_that_were_lost_once_can_be_fallen_back_to(node: Node) -> None:
    init = node.manifest.read_text()
    node.use(QPS)
    node.update.write()
    node.manifest.write_text(init.replace(":v1.20.2", ":v1.21.0"))
    assert node.update.check().lost
    node.use({"profiling": False})
    node.update.write()
    node.use(QPS)
    assert node.update.write() is True
    assert "--kube-api-qps=30" in node.words()


def test_nothing_is_written_of_a_damaged_record_or_of_a_bad_config(node: Node) -> None:
    before = node.manifest.read_bytes()
    on_trial(node, QPS)
    version = node.store.tracking_version(COMPONENT, "")
    node.store.write_bad_configs(COMPONENT, version, {NEXT: BadConfig("now", "why", "CrashLoop")})
    with pytest.raises(CannotWrite, match="the options on trial are bad"):
        node.update.write()
    node.store.files.write("current", b"{")
    with pytest.raises(CannotWrite, match="the record of the config in use is damaged"):
        node.update.write()
    assert node.manifest.read_bytes() == before


def use_file(node: Node, kind: str) -> None:
    """Use options with a file, which the manifest names."""
    content = {"apiVersion": "kubescheduler.config.k8s.io/v1beta1", "kind": kind}
    options = component_options(files={"config.yaml": {"flag": "config", "content": content}}, component=COMPONENT)
    data = json.dumps(options).encode()
    node.store.write_rendered(COMPONENT, data)
    node.store.write_config(COMPONENT, data)
    node.update.write()


def test_files_of_options_stay_until_the_write_after_the_next(node: Node) -> None:
    """The Pod that ends may still read them after its manifest was replaced."""
    for kind in ("A", "B", "C"):
        use_file(node, kind)
    files = sorted((node.options / COMPONENT).glob("*/config.yaml"))
    assert sorted(yaml.safe_load(file.read_text())["kind"] for file in files) == ["B", "C"]


def test_an_agent_that_is_removed_puts_the_init_manifest_back(node: Node) -> None:
    init = node.manifest.read_bytes()
    use_file(node, "A")
    on_trial(node, QPS)
    node.update.write()
    assert node.update.restore_init() is True
    assert node.manifest.read_bytes() == init
    assert list(node.options.iterdir()) == []
    assert [path.name for path in node.manifest.parent.iterdir()] == [node.manifest.name]
    assert (RestoreTimer(node.store, COMPONENT).armed(), node.note) == (None, ManifestNote())
    assert node.update.restore_init() is False


def test_a_manifest_without_options_is_given_back_whatever_another_program_has_made_of_it(node: Node) -> None:
    node.use(QPS)
    node.update.write()
    before = manifest_bytes(kubeadm_pod(COMPONENT, livenessProbe=None))
    node.manifest.write_bytes(before)
    assert node.update.check().problem
    assert node.update.restore_init() is False
    assert node.manifest.read_bytes() == before


def test_options_that_another_program_has_changed_are_not_given_back(node: Node) -> None:
    node.use(QPS)
    node.update.write()
    replaced(node, "--kube-api-qps=30", "--kube-api-qps=31")
    before, note = node.manifest.read_bytes(), node.note
    with pytest.raises(CannotWrite, match=r"options are applied to it, and it is left alone: .* neither by this agent"):
        node.update.restore_init()
    assert (node.manifest.read_bytes(), node.note.init) == (before, note.init)
