# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A host is claimed, written to, refused and reset; in directories instead of on a real node."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._machine_host import _steps
from ansible_collections.configok.node.plugins.module_utils._machine_host._apt import KEYRING, Apt, apt_source_files
from ansible_collections.configok.node.plugins.module_utils._machine_host._archives import Archive, Archives
from ansible_collections.configok.node.plugins.module_utils._machine_host._files import Changes, write_files
from ansible_collections.configok.node.plugins.module_utils._machine_host._host_access import (
    CommandResult,
    Host,
    HostError,
)
from ansible_collections.configok.node.plugins.module_utils._machine_host._host_state import (
    DIRECTORY,
    HostState,
    load_state,
    save_state,
)
from ansible_collections.configok.node.plugins.module_utils._machine_host._kubelet import last_error
from ansible_collections.configok.node.plugins.module_utils._machine_host._node_identity import (
    BOOTSTRAP,
    BOOTSTRAP_KEY,
    KUBECONFIG,
    has_credentials,
    node_of,
)
from ansible_collections.configok.node.plugins.module_utils._machine_host._package_manager import HostFile
from ansible_collections.configok.node.plugins.module_utils._machine_host._packages import (
    WantedPackage,
    WantedPackages,
)
from ansible_collections.configok.node.plugins.module_utils._machine_host._steps import (
    FileFields,
    MachineHost,
    StartOptions,
)

CONFIG = "/var/lib/kubelet/config.yaml"
KUBELET = "/usr/bin/kubelet"
SECRET = "token: 0123456789abcdef"


class QuietHost(Host):
    """A host whose commands do nothing. journal: what the kubelet's journal has."""

    journal = ""

    def run(self, command: Sequence[str], *, text: str = "", timeout: float = 0) -> CommandResult:
        del text, timeout
        return CommandResult(0, self.journal if command[0] == "journalctl" else "", "")

    def has(self, program: str) -> bool:
        del program
        return False


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> QuietHost:
    (tmp_path / "run/systemd/system").mkdir(parents=True)
    monkeypatch.setattr("os.geteuid", lambda: 0)
    return QuietHost(str(tmp_path))


def machine(
    host: Host, name: str = "worker-1", *, check: bool = False, action: str = "", rollout: str = ""
) -> MachineHost:
    """Return the steps of an action: by default an update of a node, and a creation on any other host."""
    is_node = host.exists(f"{DIRECTORY}/state.json") or host.exists(KUBECONFIG)
    action = action or ("update" if is_node else "create")
    return MachineHost(host, name, Archives(host, []), check=check, action=action, rollout=rollout)


def certificate(name: str) -> str:
    """Return a kubeconfig with what stands for a certificate of a node."""
    subject = f"system:node:{name}".encode()
    der = b"\x30\x0c\x0c" + bytes([len(subject)]) + subject + b"abc"
    pem = f"-----BEGIN CERTIFICATE-----\n{base64.b64encode(der).decode()}\n-----END CERTIFICATE-----\n"
    data = base64.b64encode(pem.encode()).decode()
    return json.dumps({"users": [{"name": "n", "user": {"client-certificate-data": data}}]})


def test_a_write_is_recorded_and_repeated_without_a_change(host: QuietHost) -> None:
    host.write(CONFIG, "of the user\n")
    files = [HostFile(CONFIG, "ours\n", 0o600, ("kubelet",)), HostFile("/etc/new", "new\n")]
    first = machine(host).write(files, SECRET, KUBELET)
    assert first.changed
    assert first.owns_layout
    assert SECRET not in json.dumps(first.diff)
    assert host.mode(BOOTSTRAP) == 0o600
    assert host.mode(f"{DIRECTORY}/state.json") == 0o600
    assert not machine(host).write(files, SECRET, KUBELET).changed
    state = load_state(host)
    assert state is not None
    assert (state.machine, state.created, state.pending) == ("worker-1", True, ["kubelet"])
    assert "/var/lib/kubelet" not in state.absent_before
    assert "/etc/cni" in state.absent_before


def test_check_mode_shows_what_would_be_written(host: QuietHost, tmp_path: Path) -> None:
    before = sorted(tmp_path.rglob("*"))
    changes = machine(host, check=True).write([HostFile(CONFIG, "ours\n")], SECRET, KUBELET)
    assert changes.changed
    assert [part["after"] for part in changes.diff] == ["ours\n", "(secret)\n"]
    assert sorted(tmp_path.rglob("*")) == before


def test_a_host_that_was_a_node_before_keeps_its_layout(host: QuietHost) -> None:
    host.write(KUBECONFIG, certificate("worker-1"))
    changes = machine(host).write([HostFile(CONFIG, "ours\n")], SECRET, KUBELET)
    assert not changes.changed
    assert not changes.owns_layout
    assert host.read(CONFIG) is None


@pytest.mark.parametrize(
    ("lacks_node", "is_active", "restarts"), [(True, True, 1), (True, False, 1), (False, True, 0), (False, False, 1)]
)
def test_a_kubelet_whose_node_was_deleted_is_restarted_once(
    host: QuietHost, monkeypatch: pytest.MonkeyPatch, lacks_node: bool, is_active: bool, restarts: int
) -> None:
    answers = {"is-enabled": "enabled", "is-active": "active" if is_active else "inactive"}
    calls: list[Sequence[str]] = []

    def run(command: Sequence[str], *, text: str = "", timeout: float = 0) -> CommandResult:
        calls.append(command)
        return CommandResult(0, answers.get(command[1], "") if command[0] == "systemctl" else "", "")

    monkeypatch.setattr(host, "run", run)
    monkeypatch.setattr(_steps, "wait_healthy", lambda *_arguments, **_options: None)
    changes = machine(host).start(StartOptions(KUBELET, ["kubelet"], lacks_node=lacks_node))
    assert [command[1] for command in calls if "kubelet.service" in command].count("restart") == restarts
    assert changes.changed is bool(restarts)


@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize(("program", "restarts"), [(KUBELET, 0), (f"{KUBELET} (deleted)", 1)])
def test_a_kubelet_whose_program_was_replaced_is_restarted(
    host: QuietHost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, restarts: int, check: bool
) -> None:
    answers = {"is-enabled": "enabled", "is-active": "active", "show": "77"}
    calls: list[Sequence[str]] = []

    def run(command: Sequence[str], *, text: str = "", timeout: float = 0) -> CommandResult:
        calls.append(command)
        return CommandResult(0, answers.get(command[1], "") if command[0] == "systemctl" else "", "")

    (tmp_path / "proc/77").mkdir(parents=True)
    (tmp_path / "proc/77/exe").symlink_to(program)
    monkeypatch.setattr(host, "run", run)
    monkeypatch.setattr(_steps, "wait_healthy", lambda *_arguments, **_options: None)
    changes = machine(host, check=check).start(StartOptions(KUBELET, ["kubelet"]))
    assert changes.changed is bool(restarts)
    assert [command[1] for command in calls].count("restart") == (0 if check else restarts)


def test_a_kubelet_with_a_new_token_asks_with_a_new_key(host: QuietHost) -> None:
    host.write(BOOTSTRAP_KEY, "of a request of an earlier token\n")
    machine(host, check=True).write([], SECRET, KUBELET)
    assert host.exists(BOOTSTRAP_KEY)
    machine(host).write([], SECRET, KUBELET)
    assert not host.exists(BOOTSTRAP_KEY)


def test_a_kubelet_with_credentials_gets_no_token(host: QuietHost) -> None:
    machine(host).write([], "", KUBELET)
    host.write(KUBECONFIG, certificate("worker-1"))
    assert not machine(host).write([], SECRET, KUBELET).changed


@pytest.mark.parametrize(
    ("kubeconfig", "name"),
    [
        (certificate("worker-1"), "worker-1"),
        (certificate("w"), "w"),
        ('{"users": [{"user": {"client-certificate": "/missing.pem"}}]}', ""),
        ("client-certificate-data: bm9uc2Vuc2U=", ""),
        ("", ""),
    ],
)
def test_the_node_is_read_from_the_certificate(host: QuietHost, kubeconfig: str, name: str) -> None:
    host.write(KUBECONFIG, kubeconfig)
    assert node_of(host) == name
    assert has_credentials(host) is bool(name)


@pytest.mark.parametrize(
    ("action", "state", "node", "refusal"),
    [
        ("create", "", "", ""),
        ("create", "worker-1", "", ""),
        ("create", "worker-2", "", "the host is the machine worker-2, not worker-1"),
        ("create", "", "worker-2", "the host is the Node worker-2 of a cluster already, not worker-1"),
        ("update", "", "worker-1", ""),
        ("update", "", "", "the host is not a node yet"),
        ("delete", "", "", ""),
        ("delete", "", "worker-1", ""),
        ("delete", "worker-2", "", "the host is the machine worker-2, not worker-1"),
        ("delete", "", "?", "the host has a kubelet that is not known to be worker-1"),
        ("replace", "worker-1", "", ""),
        ("replace", "", "", ""),
        ("replace", "", "worker-1", ""),
        ("replace", "worker-2", "", "the host is the machine worker-2, not worker-1"),
        ("replace", "", "worker-2", "the host is the Node worker-2 of a cluster already, not worker-1"),
        ("replace", "", "?", "the host has a kubelet that is not known to be worker-1"),
    ],
)
def test_another_machine_is_refused(host: QuietHost, action: str, state: str, node: str, refusal: str) -> None:
    if state:
        save_state(host, HostState(state, created=True))
    if node:
        host.write(KUBECONFIG, "" if node == "?" else certificate(node))
    refusals = machine(host).plan(action, WantedPackages(())).refusals
    assert [text[: len(refusal)] for text in refusals] == ([refusal] if refusal else [])


def steps(whole: MachineHost) -> dict[str, Callable[[], object]]:
    """Return the steps that change a host, by name."""
    return {
        "install": lambda: whole.install(WantedPackages(())),
        "write": lambda: whole.write([HostFile(CONFIG, "ours\n")], SECRET, KUBELET),
        "start": lambda: whole.start(StartOptions(KUBELET, ["kubelet"])),
        "reset": whole.reset,
    }


@pytest.mark.parametrize("check", [False, True])
@pytest.mark.parametrize("step", ["install", "write", "start", "reset"])
@pytest.mark.parametrize(
    ("action", "state", "node", "refusal"),
    [
        ("update", "", "", "the host is not a node yet"),
        ("rollback", "", "", "the host is not a node yet"),
        ("update", "", "worker-2", "the host is the Node worker-2 of a cluster already, not worker-1"),
        ("create", "", "worker-2", "the host is the Node worker-2 of a cluster already, not worker-1"),
        ("create", "worker-2", "", "the host is the machine worker-2, not worker-1"),
        ("update", "worker-1", "worker-2", "the host is the Node worker-2 of a cluster already, not worker-1"),
        ("create", "worker-1", "worker-2", "the host is the Node worker-2 of a cluster already, not worker-1"),
        ("delete", "worker-1", "worker-2", "the host is the Node worker-2 of a cluster already, not worker-1"),
    ],
)
def test_each_step_refuses_what_the_plan_refuses(
    host: QuietHost, tmp_path: Path, step: str, action: str, state: str, node: str, refusal: str, check: bool
) -> None:
    if (step == "reset") is not (action == "delete"):
        pytest.skip("the action does not have the step")
    if state:
        save_state(host, HostState(state, created=True))
    if node:
        host.write(KUBECONFIG, certificate(node))
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    whole = machine(host, action=action, check=check)
    (planned,) = whole.plan(action, WantedPackages(())).refusals
    assert planned.startswith(refusal)
    with pytest.raises(HostError, match=re.escape(planned)):
        steps(whole)[step]()
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("action", ["delete", "replace"])
def test_a_control_plane_is_not_deleted(host: QuietHost, action: str) -> None:
    save_state(host, HostState("worker-1"))
    host.write("/etc/kubernetes/manifests/etcd.yaml", "")
    (refusal,) = machine(host).plan(action, WantedPackages(())).refusals
    assert "the host runs the control plane (/etc/kubernetes/manifests/etcd.yaml)" in refusal
    with pytest.raises(HostError, match="the host runs the control plane"):
        machine(host).reset()


KUBELET_AND_CONTAINERD = tuple(WantedPackage(name, "1.7", (name,)) for name in ("kubelet", "containerd"))


def test_a_replacement_needs_what_a_creation_needs(host: QuietHost, tmp_path: Path) -> None:
    archives = [Archive(name, "1.7", "0" * 64) for name in ("kubelet", "containerd")]
    save_state(host, HostState("worker-1", created=True, runtime="crio", packages={"kubelet": ""}))
    (tmp_path / "usr/local/lib/configok-machine/kubelet").mkdir(parents=True)
    (tmp_path / "usr/local/lib/configok-machine/kubelet/current").symlink_to("1.7-00000000")
    whole = MachineHost(host, "worker-1", Archives(host, archives), check=False)
    preview = whole.plan("replace", WantedPackages(KUBELET_AND_CONTAINERD))
    assert (preview.refusals, preview.versions) == ([], {"kubelet": "1.7-00000000", "containerd": "1.7-00000000"})
    # The new node gets the default runtime: only an update would take CRI-O away from it.
    kubelet = WantedPackages(KUBELET_AND_CONTAINERD[:1])
    assert whole.plan("replace", kubelet).refusals == []
    assert "the host runs CRI-O" in whole.plan("update", kubelet).refusals[0]
    lacking = MachineHost(host, "worker-1", Archives(host, archives[:1]), check=False)
    (refusal,) = lacking.plan("replace", WantedPackages(KUBELET_AND_CONTAINERD)).refusals
    assert refusal.startswith("no source of packages offers containerd 1.7")


KEEPS = "the host was a node before it became a machine and keeps its own files, so"
FLAGS_CHANGE = (
    f"{KEEPS} a change of kubeletFlags has no effect: undo it in the file, or leave the field out, and change the files"
    " on the host"
)
DNS_CHANGES = (
    f"{KEEPS} a change of Cluster.spec.network.clusterDNS has no effect: change the files on the host, and run"
    " configok.node.provision, which publishes its config"
)
NO_EFFECT = f"{KEEPS} these fields of providerConfig have no effect: kubeletFlags"


@pytest.mark.parametrize("is_recorded", [True, False])
@pytest.mark.parametrize(
    ("action", "declared", "changing", "refusals", "warnings"),
    [
        ("update", [], [], [], []),
        ("update", ["kubeletFlags"], [], [], [NO_EFFECT]),
        ("update", ["kubeletFlags"], ["kubeletFlags"], [FLAGS_CHANGE], []),
        ("update", [], ["Cluster.spec.network.clusterDNS"], [DNS_CHANGES], []),
        ("update", ["kubeletFlags"], ["Cluster.spec.network.clusterDNS"], [DNS_CHANGES], [NO_EFFECT]),
        (
            "update",
            ["kubeletFlags"],
            ["kubeletFlags", "Cluster.spec.network.clusterDNS"],
            [FLAGS_CHANGE, DNS_CHANGES],
            [],
        ),
        ("create", ["kubeletFlags"], [], [], [NO_EFFECT]),
        # After a deletion, the files of the machine are written.
        ("replace", ["kubeletFlags"], ["kubeletFlags"], [], []),
        ("delete", ["kubeletFlags"], ["kubeletFlags"], [], []),
    ],
)
def test_a_host_that_was_a_node_before_refuses_a_change_of_its_files(
    host: QuietHost,
    is_recorded: bool,
    action: str,
    declared: list[str],
    changing: list[str],
    refusals: list[str],
    warnings: list[str],
) -> None:
    host.write(KUBECONFIG, certificate("worker-1"))
    if is_recorded:
        save_state(host, HostState("worker-1", created=False))
    preview = machine(host).plan(action, WantedPackages(()), FileFields(declared, changing))
    assert (preview.refusals, preview.warnings) == (refusals, warnings)


@pytest.mark.parametrize("is_recorded", [True, False])
def test_a_node_that_is_ours_gets_its_files(host: QuietHost, is_recorded: bool) -> None:
    if is_recorded:
        save_state(host, HostState("worker-1", created=True))
        host.write(KUBECONFIG, certificate("worker-1"))
    fields = FileFields(["kubeletFlags"], ["kubeletFlags", "Cluster.spec.network.clusterDNS"])
    preview = machine(host).plan("update" if is_recorded else "create", WantedPackages(()), fields)
    assert (preview.refusals, preview.warnings) == ([], [])


def test_a_damaged_record_is_refused(host: QuietHost) -> None:
    host.write(f"{DIRECTORY}/state.json", "{")
    (refusal,) = machine(host).plan("update", WantedPackages(())).refusals
    assert "state.json is damaged" in refusal


def test_a_reset_leaves_what_was_there_before(host: QuietHost, tmp_path: Path) -> None:
    (tmp_path / "etc/cni").mkdir(parents=True)
    host.write("/etc/cni/own.conf", "own\n")
    host.write("/etc/containerd/config.toml", "own\n")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    files = [
        HostFile(CONFIG, "ours\n"),
        HostFile("/etc/containerd/config.toml", "ours\n"),
        HostFile("/etc/cni/net.d/10-configok.conflist", "{}\n"),
        HostFile("/etc/kubernetes/pki/ca.crt", "ours\n"),
    ]
    machine(host).write(files, SECRET, KUBELET)
    host.write("/var/lib/kubelet/pods/1/volume", "data\n")
    host.write("/var/lib/cni/networks/pods/10.88.0.2", "1\n")
    host.write(KUBECONFIG, certificate("worker-1"))
    assert machine(host, check=True).reset().changed
    assert host.read(CONFIG) == "ours\n"
    assert machine(host).reset().changed
    after = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file() and path.suffix != ".lock"}
    assert after == before
    assert not (tmp_path / "var/lib/cni").exists()
    assert not (tmp_path / "etc/kubernetes").exists()
    assert not machine(host).reset().changed


@pytest.mark.parametrize(("claimed", "removed"), [(["cni"], [["cni"]]), (["bash", "cni"], [])])
def test_a_record_that_claims_the_system_removes_no_package(
    host: QuietHost, monkeypatch: pytest.MonkeyPatch, claimed: list[str], removed: list[list[str]]
) -> None:
    calls: list[Sequence[str]] = []

    def remove(_archives: Archives, packages: Sequence[str]) -> Sequence[str]:
        calls.append(packages)
        return []

    monkeypatch.setattr(Archives, "essential", lambda _archives: {"bash"})
    monkeypatch.setattr(Archives, "remove", remove)
    save_state(host, HostState("worker-1", packages=dict.fromkeys(claimed, "")))
    warnings = machine(host).reset().warnings
    assert calls == removed
    assert [text for text in warnings if "bash came with the machine" in text] == warnings
    assert len(warnings) == 1 - len(removed)
    assert not host.exists(DIRECTORY)


def test_a_reset_removes_what_a_killed_installation_has_added(host: QuietHost, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Sequence[str]] = []

    def remove(_archives: Archives, packages: Sequence[str]) -> Sequence[str]:
        calls.append(packages)
        return []

    monkeypatch.setattr(Archives, "remove", remove)
    save_state(host, HostState("worker-1", packages={"cni": ""}, installing=["kubelet"], in_progress=True))
    machine(host).reset()
    assert calls == [["cni", "kubelet"]]


def test_a_reset_holds_what_the_user_held(host: QuietHost, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[str, Sequence[str]]] = []
    monkeypatch.setattr(Archives, "hold", lambda _archives, packages: calls.append(("hold", packages)))
    monkeypatch.setattr(Archives, "release", lambda _archives, packages: calls.append(("release", packages)))
    monkeypatch.setattr(Archives, "installed", lambda _archives, package: "" if package == "gone" else "1")
    save_state(host, HostState("worker-1", held=["containerd"], held_before=["gone", "kubelet"]))
    machine(host).reset()
    assert calls == [("release", ["containerd"]), ("hold", ["kubelet"])]


def test_a_reset_removes_the_network_of_pods(host: QuietHost, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Sequence[str]] = []
    links = "1: lo: <LOOPBACK,UP>\n2: eth0@if40: <UP>\n3: cni0: <UP>\n4: flannel.1: <UP>\n"

    def run(command: Sequence[str], **_options: Any) -> CommandResult:
        calls.append(command)
        return CommandResult(0, links if command == ["ip", "-o", "link"] else "", "")

    monkeypatch.setattr(host, "run", run)
    save_state(host, HostState("worker-1"))
    machine(host).reset()
    assert [call[3] for call in calls if call[:3] == ["ip", "link", "delete"]] == ["cni0", "flannel.1"]


def test_a_reset_that_was_cut_off_at_its_end_is_finished(host: QuietHost) -> None:
    host.write(f"{DIRECTORY}/packages/kubelet_1.deb", "x")
    assert machine(host).reset().changed
    assert not host.exists(DIRECTORY)


def test_a_reset_of_a_node_of_the_user_may_be_repeated(host: QuietHost) -> None:
    host.write("/etc/systemd/system/kubelet.service", "own\n")
    host.write(KUBECONFIG, certificate("worker-1"))
    assert machine(host).reset().changed
    assert host.read("/etc/systemd/system/kubelet.service") == "own\n"
    assert not machine(host).plan("delete", WantedPackages(())).refusals
    assert not machine(host).reset().changed


def test_the_first_text_of_a_file_is_the_one_that_comes_back(host: QuietHost) -> None:
    state, changes = HostState("m"), Changes()
    host.write("/etc/a", "first\n")
    for text in ("second\n", "third\n"):
        write_files(host, state, [HostFile("/etc/a", text)], changes, check=False)
    assert host.read(state.files["/etc/a"]) == "first\n"


def healthy(host: Host) -> None:
    """End a change as the wait for a healthy kubelet does."""
    state = load_state(host)
    assert state is not None
    state.pending, state.in_progress = [], False
    save_state(host, state)


def test_a_rollback_writes_what_the_files_were_before_the_last_update(host: QuietHost) -> None:
    first = [HostFile(CONFIG, "a: 1\n", 0o600, ("kubelet",)), HostFile("/etc/same", "same\n")]
    machine(host).write(first, "", KUBELET)
    healthy(host)
    for text in ("a: 2\n", "a: 3\n"):  # the second one follows a failure of the first
        update = [
            HostFile(CONFIG, text, 0o644, ("kubelet",)),
            *first[1:],
            HostFile("/etc/new", "new\n", 0o644, ("crio",)),
        ]
        assert machine(host).write(update, "", KUBELET).changed
    seen = machine(host, check=True, action="rollback").write(update, "", KUBELET)
    assert seen.changed
    assert host.read(CONFIG) == "a: 3\n"
    # What a rollback is given is what the Machine declares now.
    assert machine(host, action="rollback").write(update, "", KUBELET).changed
    assert (host.read(CONFIG), host.mode(CONFIG), host.read("/etc/new")) == ("a: 1\n", 0o600, None)
    state = load_state(host)
    assert state is not None
    assert state.pending == ["crio", "kubelet"]
    healthy(host)
    assert not machine(host, action="rollback").write(update, "", KUBELET).changed


@pytest.mark.parametrize("rollout", ["", "b"])
def test_a_rollback_of_an_update_that_wrote_nothing_writes_nothing(host: QuietHost, rollout: str) -> None:
    file = HostFile(CONFIG, "a: 1\n")
    machine(host).write([file], "", KUBELET)
    healthy(host)
    machine(host, rollout="a").write([file._replace(content="a: 2\n")], "", KUBELET)
    healthy(host)
    if not rollout:
        machine(host).install(WantedPackages(()))  # of packages alone, before its files were written
    declared = [file._replace(content="a: 3\n")]
    undo = machine(host, action="rollback", rollout=rollout)
    undo.install(WantedPackages(()))
    assert not undo.write(declared, "", KUBELET).changed
    assert host.read(CONFIG) == "a: 2\n"


@pytest.mark.parametrize("rollout", ["", "a", "b"])
def test_a_rollback_never_undoes_a_creation(host: QuietHost, rollout: str) -> None:
    machine(host).write([HostFile(CONFIG, "a: 0\n")], "", KUBELET)  # of an update that was cut off
    machine(host, action="create", rollout="a").install(WantedPackages(()))
    machine(host, action="create", rollout="a").write([HostFile(CONFIG, "a: 1\n")], "", KUBELET)
    for is_over in (False, True):
        if is_over:
            healthy(host)
        undo = machine(host, action="rollback", rollout=rollout)
        undo.install(WantedPackages(()))
        assert not undo.write([], "", KUBELET).changed
        assert host.read(CONFIG) == "a: 1\n"


@pytest.mark.parametrize("is_over", [False, True])
def test_an_update_of_two_runs_is_undone_to_before_the_first(host: QuietHost, is_over: bool) -> None:
    """Whether the first run was killed before the kubelet was healthy, or before the node had passed."""
    machine(host, action="create").write([HostFile(CONFIG, "a: 1\n")], "", KUBELET)
    healthy(host)
    for content in ("a: 2\n", "a: 3\n"):
        machine(host, rollout="a").install(WantedPackages(()))
        machine(host, rollout="a").write([HostFile(CONFIG, content)], "", KUBELET)
        if is_over:
            healthy(host)
    for _run in range(2):  # the first rollback is killed before it starts the kubelet
        undo = machine(host, action="rollback", rollout="a")
        undo.install(WantedPackages(()))
        undo.write([], "", KUBELET)
        assert host.read(CONFIG) == "a: 1\n"


def test_an_update_that_was_cut_off_is_undone_by_the_next_rollout_too(host: QuietHost) -> None:
    machine(host, action="create").write([HostFile(CONFIG, "a: 1\n")], "", KUBELET)
    healthy(host)
    machine(host, rollout="a").write([HostFile(CONFIG, "a: 2\n")], "", KUBELET)
    # The update of the next rollout fails before it reaches the host.
    machine(host, action="rollback", rollout="b").write([], "", KUBELET)
    assert host.read(CONFIG) == "a: 1\n"


@pytest.mark.parametrize(
    ("journal", "error"),
    [
        ("I0101 00:00:00.0 1 a.go:1] fine\nF0101 00:00:00.0 1 server.go:198] no config\ngoroutine 1\n", "no config"),
        (
            'E0101 00:00:00.0 1 x.go:2] late\nE0101 00:00:00.0 1 run.go:72] "command failed" err="bad"\n',
            "command failed",
        ),
        ("Error: unknown flag: --container-runtime\nUsage:\n  kubelet\n", "unknown flag: --container-runtime"),
        ("kubelet: cannot execute\n", "kubelet: cannot execute"),
        ("", ""),
    ],
)
def test_the_kubelet_says_what_is_wrong(host: QuietHost, journal: str, error: str) -> None:
    host.journal = journal
    assert error in last_error(host, 0.0)


CONFLIST = "/etc/cni/net.d/10-configok.conflist"
RUNTIME_CONFIG = "/etc/containerd/config.toml"


def test_a_file_that_is_no_longer_declared_goes_and_comes_back(host: QuietHost) -> None:
    host.write(RUNTIME_CONFIG, "of the user\n", 0o640)
    files = [HostFile(CONFIG, "a: 1\n"), HostFile(CONFLIST, "{}\n"), HostFile(RUNTIME_CONFIG, "ours\n")]
    machine(host, action="create").write(files, SECRET, KUBELET)
    healthy(host)
    seen = machine(host, check=True, rollout="a").write(files[:1], "", KUBELET)
    assert [part["prepared"] for part in seen.diff] == [f"{CONFLIST} removed\n", f"{RUNTIME_CONFIG} restored\n"]
    for _run in range(2):
        machine(host, rollout="a").write(files[:1], "", KUBELET)
        assert not host.exists(CONFLIST)
        assert (host.read(RUNTIME_CONFIG), host.mode(RUNTIME_CONFIG)) == ("of the user\n", 0o640)
        assert host.exists(BOOTSTRAP)
    assert not machine(host, rollout="a").write(files[:1], "", KUBELET).changed
    machine(host, action="rollback", rollout="a").write([], "", KUBELET)
    assert (host.read(CONFLIST), host.read(RUNTIME_CONFIG)) == ("{}\n", "ours\n")
    machine(host).reset()
    assert host.read(RUNTIME_CONFIG) == "of the user\n"
    assert not host.exists(CONFLIST)


def test_a_plan_warns_of_a_source_that_is_not_authenticated(host: QuietHost, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Apt, "unusable", lambda _apt: "")
    source = "deb https://example.org/ ./\ndeb [trusted=yes] https://example.org/ ./"
    (warning,) = (
        MachineHost(host, "worker-1", Apt(host), check=True).plan("create", WantedPackages((), source=source)).warnings
    )
    assert warning.startswith("entry 2 of packages.source has trusted=yes")


def test_a_source_of_another_form_replaces_the_former(host: QuietHost, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Apt, "unusable", lambda _apt: "")
    apt = Apt(host)
    source = "deb https://example.org/ /"
    former, new = (apt_source_files(text, "K")[-1].path for text in (source, "Types: deb"))

    def install(declared: WantedPackages, rollout: str, action: str = "update") -> None:
        MachineHost(host, "worker-1", apt, check=False, action=action, rollout=rollout).install(declared)

    install(WantedPackages((), source=source, key="K"), "", "create")
    healthy(host)
    install(WantedPackages((), source="Types: deb", key="K"), "a")
    assert (host.exists(former), host.exists(new), host.exists(KEYRING)) == (False, True, True)
    MachineHost(host, "worker-1", apt, check=False, action="rollback", rollout="a").write([], "", KUBELET)
    assert (host.exists(former), host.exists(new)) == (True, False)
    healthy(host)
    install(WantedPackages(()), "b")
    assert not any(host.exists(path) for path in (former, new, KEYRING))


def test_the_text_of_a_file_that_only_root_may_read_is_not_shown(host: QuietHost) -> None:
    files = [HostFile(CONFIG, "secret: 1\n", 0o600), HostFile("/etc/open", "open\n", 0o640)]
    diff = machine(host).write(files, "", KUBELET).diff
    assert [part["after"] for part in diff] == ["(secret)\n", "open\n"]


UNIT = "/etc/systemd/system/kubelet.service"


def test_a_masked_unit_is_masked_again(host: QuietHost, tmp_path: Path) -> None:
    unit = tmp_path / UNIT[1:]
    unit.parent.mkdir(parents=True)
    unit.symlink_to("/dev/null")
    machine(host).install(WantedPackages(()))
    machine(host).write([HostFile(UNIT, "[Unit]\n")], "", KUBELET)
    assert not unit.is_symlink()
    machine(host, action="rollback").write([], "", KUBELET)
    assert unit.readlink() == Path("/dev/null")
    machine(host).write([HostFile(UNIT, "[Unit]\n")], "", KUBELET)
    machine(host).reset()
    assert unit.readlink() == Path("/dev/null")


def test_a_reset_leaves_the_users_runtime_as_it_was(host: QuietHost, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Sequence[str]] = []

    def run(command: Sequence[str], **_options: Any) -> CommandResult:
        calls.append(command)
        return CommandResult(0, "", "")

    monkeypatch.setattr(host, "run", run)
    monkeypatch.setattr(host, "has", lambda program: program == "nft")
    host.write(RUNTIME_CONFIG, "of the user\n")
    host.write("/var/lib/cni/networks/own/10.1.0.2", "1\n")
    host.write("/etc/default/kubelet", "KUBELET_EXTRA_ARGS=--v=2\n")
    machine(host, action="create").write([HostFile(RUNTIME_CONFIG, "ours\n")], "", KUBELET)
    state = load_state(host)
    assert state is not None
    state.flags["/etc/default/kubelet"] = ["KUBELET_EXTRA_ARGS=--gone --v=2\n", "KUBELET_EXTRA_ARGS=--v=2\n"]
    save_state(host, state)
    machine(host).reset()
    assert host.read("/var/lib/cni/networks/own/10.1.0.2") == "1\n"
    assert host.read("/etc/default/kubelet") == "KUBELET_EXTRA_ARGS=--gone --v=2\n"
    assert ["systemctl", "try-restart", "containerd.service"] in calls
    assert ["nft", "delete", "table", "ip6", "kube-proxy"] in calls


def element(tag: int, *parts: bytes) -> bytes:
    content = b"".join(parts)
    return bytes([tag, 0x82]) + len(content).to_bytes(2, "big") + content


def kubeconfig(expires: str, ca: str) -> str:
    """Return a kubeconfig with a certificate that expires then, of a cluster with this CA."""
    tag = 0x17 if len(expires) == 13 else 0x18
    validity = element(0x30, element(0x17, b"200101000000Z"), element(tag, expires.encode()))
    subject = element(0x30, b"system:node:worker-1")
    fields = (element(0xA0, b"\2\1\2"), element(2, b"\1"), element(0x30), element(0x30), validity, subject)
    certificate_text, ca_text = (
        base64.b64encode(
            b"-----BEGIN CERTIFICATE-----\n" + base64.b64encode(der) + b"\n-----END CERTIFICATE-----\n"
        ).decode()
        for der in (element(0x30, element(0x30, *fields)), ca.encode())
    )
    return f"certificate-authority-data: {ca_text}\nclient-certificate-data: {certificate_text}\n"


@pytest.mark.parametrize(
    ("expires", "ca", "why"),
    [
        ("491231235959Z", "this", ""),
        ("20991231235959Z", "this", ""),
        ("250101000000Z", "this", "they have expired"),
        ("491231235959Z", "other", "they are of another cluster"),
    ],
)
def test_credentials_that_are_of_no_use_make_room_for_a_token(host: QuietHost, expires: str, ca: str, why: str) -> None:
    machine(host, action="create").write([], "", KUBELET)
    host.write(KUBECONFIG, kubeconfig(expires, ca), 0o600)
    token = kubeconfig("491231235959Z", "this").splitlines()[0] + f"\n{SECRET}\n"
    assert machine(host, action="create", check=True).write([], token, KUBELET).changed is bool(why)
    changes = machine(host, action="create").write([], token, KUBELET)
    assert [part["prepared"] for part in changes.diff if why and why in part.get("prepared", "")] == (
        [f"the credentials of the kubelet moved aside, since {why}\n"] if why else []
    )
    assert (host.exists(KUBECONFIG), host.exists(BOOTSTRAP)) == (not why, bool(why))
