# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""prestart and poststop: they handle starts and stops of the component without the agent."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent import _hooks
from ansible_collections.configok.node.plugins.module_utils._agent._hooks import poststop, prestart
from ansible_collections.configok.node.plugins.module_utils._agent._notify import Notifications, Wakeup
from ansible_collections.configok.node.plugins.module_utils._agent._state.records import LOCAL_CONFIG
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle_trial import Trial
from support.agents.bench import Bench

PACKAGE = "ansible_collections.configok.node.plugins.module_utils._agent"


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


@pytest.mark.contract("prestart.decides")
def test_the_first_start_gives_the_component_its_init_config(bench: Bench) -> None:
    assert bench.reads() == "maxPods: 110\n"
    path = bench.directory / "state/components/kubelet/config.yaml"
    assert path.stat().st_mode & 0o7777 == 0o600
    assert path.parent.stat().st_mode & 0o7777 == 0o700
    [start] = bench.store.read_startups("kubelet", "v1.35.0")
    assert (start.invocation, start.boot_id, start.end) == ("i1", "boot-1", None)


@pytest.mark.contract("poststop.records-the-end")
def test_a_crash_is_recorded_with_its_start(bench: Bench) -> None:
    bench.crash("kubelet", result="signal", code="killed", status="SEGV")
    [start] = bench.store.read_startups("kubelet", "v1.35.0")
    assert start.end is not None
    assert (start.end.result, start.end.exit_code, start.end.exit_status) == ("signal", "killed", "SEGV")


@pytest.mark.contract("notify.reads-again")
def test_both_hooks_notify_the_daemon(bench: Bench) -> None:
    daemon = Notifications(bench.configuration.run_directory)
    try:
        assert daemon.wait(0) is Wakeup.TIMEOUT
        for hook in (prestart, poststop):
            hook(bench.configuration, "kubelet", {}, bench.clock)
            assert daemon.wait(0) is Wakeup.NOTIFIED
    finally:
        daemon.close()


@pytest.mark.contract("lock.store-is-brief", "prestart.file-stays-usable")
def test_it_waits_at_most_a_moment_for_the_store_and_leaves_the_file_alone(bench: Bench) -> None:
    with open(bench.store.lock, "w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        began = time.monotonic()
        assert prestart(bench.configuration, "kubelet", {}, bench.clock) == 0
        assert time.monotonic() - began < 10.0
    assert bench.reads() == "maxPods: 110\n"
    assert len(bench.store.read_startups("kubelet", "v1.35.0")) == 1


@pytest.mark.contract("crash.what-counts", "lock.store-is-brief")
def test_a_crash_counts_though_the_store_was_held_at_the_start(bench: Bench) -> None:
    with open(bench.store.lock, "w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        bench.start("kubelet")
    bench.crash("kubelet")
    ends = [(start.invocation, start.end is not None) for start in bench.store.read_startups("kubelet", "v1.35.0")]
    assert ends == [("i1", False), ("i2", True)]


@pytest.mark.contract("poststop.records-the-end")
@pytest.mark.parametrize("left", [b"", b"[]", b"garbage"])
def test_a_start_that_was_left_is_that_of_another_invocation(bench: Bench, left: bytes) -> None:
    with open(bench.store.lock, "w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        bench.start("kubelet")
    bench.start("kubelet")
    bench.crash("kubelet")
    invocations = [start.invocation for start in bench.store.read_startups("kubelet", "v1.35.0")]
    assert invocations == ["i1", "i3"]
    (bench.directory / "run/kubelet.start").write_bytes(left)
    assert poststop(bench.configuration, "kubelet", {"INVOCATION_ID": "i9"}, bench.clock) == 0
    assert [start.invocation for start in bench.store.read_startups("kubelet", "v1.35.0")] == invocations


@pytest.mark.contract("prestart.never-blocks")
def test_it_never_raises(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_arguments: object) -> None:
        raise RuntimeError("a fault of ours")

    monkeypatch.setattr(_hooks, "read_node_state", broken)
    assert prestart(bench.configuration, "kubelet", {}, bench.clock) == 0
    assert any("a fault of ours" in message for _level, message, _fields in bench.log)
    assert prestart(bench.configuration, "unknown", {}, bench.clock) == 0


@pytest.mark.contract("init.refused-if-deadly", "prestart.refuses-by-78-alone", "init.validated-at-every-start")
def test_a_fatal_init_config_is_refused_only_when_nothing_else_is_usable(tmp_path: Path) -> None:
    bench = Bench(tmp_path, init="mood: invalid\n")
    assert bench.starts() == 1  # not validated yet: prestart does not validate
    bench.run(1)  # the agent validates it and records the verdict
    bench.crash("kubelet")
    bench.run(5)
    process = bench.processes["kubelet"]
    assert process.refused > 0
    assert bench.starts() == 1
    source = bench.publish("maxPods: 120\n", trial=Trial(1.0, 3))
    bench.assign(source)
    bench.run(20)
    assert bench.words == ("True", f"using current (UID: {source.uid})", "all checks passed")
    refused = process.refused
    bench.crash("kubelet")
    bench.run(10)
    assert process.refused == refused


@pytest.mark.contract("init.always-good")
def test_an_init_config_that_vanished_is_what_it_was(bench: Bench) -> None:
    (bench.directory / "etc/kubelet-init_config.yaml").unlink()
    (bench.directory / "state/components/kubelet/config.yaml").unlink()
    bench.reboot()
    assert bench.reads() == "maxPods: 110\n"


@pytest.mark.contract("render.relative-paths")
def test_relative_paths_of_the_init_config_mean_its_own_directory(tmp_path: Path) -> None:
    bench = Bench(tmp_path, init="staticPodPath: manifests\nresolvConf: /etc/resolv.conf\n")
    values = json.loads(bench.reads())
    assert values == {"staticPodPath": str(tmp_path / "etc/manifests"), "resolvConf": "/etc/resolv.conf"}


@pytest.mark.complaint(
    "kubespray #8535: changing the CPU manager policy crash-loops until a state file is deleted and the node drained"
)
@pytest.mark.contract("adopt.state-files")
def test_state_files_that_a_change_makes_fatal_are_set_aside(tmp_path: Path) -> None:
    root = tmp_path / "kubelet"
    root.mkdir()
    bench = Bench(tmp_path, root_directory=str(root))
    bench.good_node("cpuManagerPolicy: none\n")
    for name in ("cpu_manager_state", "memory_manager_state"):
        (root / name).write_text("{}")
    bench.assign(bench.publish("cpuManagerPolicy: static\nmood: deadly\n", trial=Trial(60.0, 0)))
    bench.run(0.1)
    assert sorted(path.name.partition(".")[0] for path in root.iterdir()) == [
        "cpu_manager_state",
        "memory_manager_state",
    ]
    assert not (root / "cpu_manager_state").exists()
    (root / "cpu_manager_state").write_text('{"policyName": "static"}')  # as the kubelet writes it
    bench.run(30)
    assert bench.reads() == "cpuManagerPolicy: none\n"
    assert not (root / "cpu_manager_state").exists()  # set aside by the rollback too
    assert (root / "memory_manager_state").exists()


@pytest.mark.contract("adopt.state-files")
@pytest.mark.parametrize(
    ("argv", "stays"),
    [(("kubelet",), False), (("kubelet", "--cpu-manager-policy=none"), True), ((), True)],
    ids=["written under another policy", "the policy is a flag's", "flags unknown"],
)
def test_a_component_without_a_start_on_record_has_its_state_file_to_tell(
    tmp_path: Path, argv: tuple[str, ...], stays: bool
) -> None:
    root = tmp_path / "kubelet"
    root.mkdir()
    bench = Bench(tmp_path, root_directory=str(root))
    bench.argv = argv
    bench.run(5)
    bench.store.write_startups("kubelet", "v1.35.0", [])  # as of a component that already ran when it was provisioned
    state = root / "cpu_manager_state"
    state.write_text('{"policyName": "none"}')
    bench.assign(bench.publish("cpuManagerPolicy: static\n"))
    bench.run(0.05)
    assert state.exists() == stays


@pytest.mark.contract("optout.uses-nothing")
def test_opting_out_uses_the_init_config_and_keeps_the_records(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    good = bench.good_node()
    bench.configuration = bench.configuration._replace(dynamic_config=False)
    bench.crash("kubelet")
    bench.run(5, agent=False)
    assert bench.reads() == "maxPods: 110\n"
    current = bench.store.read_records().current
    assert current is not None
    assert current.source == good
    assert current != LOCAL_CONFIG


@pytest.mark.contract("prestart.needs-no-api")
def test_it_imports_nothing_heavy() -> None:
    code = (
        f"import sys, {PACKAGE}._hooks\n"
        "print(*sorted({name.partition('.')[0] for name in sys.modules} & set(sys.argv[1:])))"
    )
    heavy = ["yaml", "urllib3", "ssl", "http", "kubernetes", "subprocess", "asyncio", "logging", "email", "tempfile"]
    result = subprocess.run(
        [sys.executable, "-c", code, *heavy],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout.strip() == ""
