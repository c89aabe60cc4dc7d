# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Power cuts at each step of a change: the component's file stays complete, and the node recovers."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._store._durable_files import Disk, DurableFiles
from ansible_collections.configok.node.plugins.module_utils._agent._store._store import Store
from ansible_collections.configok.node.plugins.module_utils._nodeconfig.bundle_trial import Trial
from support.agents.bench import Bench
from support.agents.lossy_disk import LossyDisk, PowerLost
from support.trust.signing import Key, make_key, signed, trust_section

pytestmark = pytest.mark.usefixtures("no_fsync")

WHOLE = ("maxPods: 110\n", "maxPods: 120\n", "maxPods: 130\n", "mood: deadly\n")


@dataclass(frozen=True)
class Change:
    """A change to interrupt: how it begins, and the config that the node must read in the end."""

    prepare: Callable[[Bench], None]
    ends_with: str


def _adopt(bench: Bench) -> None:
    bench.good_node()
    bench.assign(bench.publish("maxPods: 130\n", trial=Trial(5.0, 3)))


def _unassign(bench: Bench) -> None:
    bench.good_node()
    bench.assign(None)


def _crash_loop(bench: Bench) -> None:
    bench.good_node()
    bench.assign(bench.publish("mood: deadly\n", trial=Trial(60.0, 0)))


@lru_cache(maxsize=1)
def _signer() -> Key:
    return make_key(Path(tempfile.mkdtemp()), "alice")


def _adopt_signed(bench: Bench) -> None:
    bench.configure(trust=trust_section(pools=["pool"], keys=[_signer()]))
    for text, number in (("maxPods: 120\n", 5), ("maxPods: 130\n", 9)):
        source = bench.publish(text, trial=Trial(5.0, 3))
        bundles = bench.api.config_maps
        bundles[source.name] = signed(bundles[source.name], [_signer()], sequence=number, floor=number)
        bench.assign(source)
        if number == 5:
            bench.run(30)


def _assert_floor_is_kept(bench: Bench) -> None:
    """Check that the floor of the bundle in use is recorded: an older one could be replayed otherwise."""
    current = bench.store.read_records().current
    if current is not None and current.trust is not None:
        assert bench.store.read_trust_floors().get("pool", 0) >= current.trust.floor


CHANGES = {
    "adopt": Change(_adopt, "maxPods: 130\n"),
    "adopt a signed bundle": Change(_adopt_signed, "maxPods: 130\n"),
    "unassign": Change(_unassign, "maxPods: 110\n"),
    "roll back": Change(_crash_loop, "maxPods: 120\n"),
}


def _with_disk(bench: Bench, disk: Disk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the agent and prestart write on the disk."""
    store = Store(bench.configuration.state_directory, now=bench.clock.now, disk=disk)
    monkeypatch.setattr(bench, "hook_store", lambda hook: store if hook == "prestart" else None)
    bench.agent_store.files._disk = disk


def _prepared(tmp_path: Path, change: Change) -> Callable[[str], Bench]:
    """Return a factory of identical nodes on which the change is about to happen."""

    def make(name: str) -> Bench:
        directory = tmp_path / name
        directory.mkdir()
        bench = Bench(directory)
        change.prepare(bench)
        return bench

    return make


def _steps(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> int:
    disk = LossyDisk()
    with monkeypatch.context() as patch:
        _with_disk(bench, disk, patch)
        bench.run(30)
    return disk.steps


@pytest.mark.contract("store.write-is-atomic", "prestart.file-stays-usable")
@pytest.mark.parametrize("undo", [False, True], ids=["renames kept", "renames lost"])
@pytest.mark.parametrize("name", CHANGES)
def test_a_power_cut_at_any_step_is_survived(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, undo: bool
) -> None:
    change = CHANGES[name]
    make = _prepared(tmp_path, change)
    steps = _steps(make("count"), monkeypatch)
    assert steps > 15
    for step in range(steps):
        bench = make(f"cut-{step}")
        with monkeypatch.context() as patch:
            _with_disk(bench, LossyDisk(step, power=True, undo=undo), patch)
            with pytest.raises(PowerLost):
                bench.run(30)
        assert bench.reads() in WHOLE, f"step {step}"
        _assert_floor_is_kept(bench)
        bench.reboot()
        assert bench.reads() in WHOLE, f"step {step}"
        assert bench.processes["kubelet"].state == "active", f"step {step}"
        bench.run(60)
        assert bench.reads() == change.ends_with, f"step {step}"
        assert bench.status.cause in ("Good", "Init", "CrashLoop"), f"step {step}"
        assert bench.store.damaged_files() == [], f"step {step}: a cut must damage nothing"
        shutil.rmtree(bench.directory)


@pytest.mark.contract("prestart.file-stays-usable")
@pytest.mark.parametrize("name", CHANGES)
def test_the_successor_of_an_agent_killed_at_any_step_finishes(tmp_path: Path, name: str) -> None:
    """The machine stays up and the component keeps running: the next agent finishes, without an unnecessary restart."""
    change = CHANGES[name]
    make = _prepared(tmp_path, change)
    bench = make("count")
    disk = LossyDisk()
    bench.agent_store.files._disk = disk
    bench.run(30)
    needed = bench.starts()
    for step in range(disk.steps):
        bench = make(f"kill-{step}")
        bench.agent_store.files._disk = LossyDisk(step, power=True)
        with pytest.raises(PowerLost):
            bench.run(30)
        assert bench.reads() in WHOLE, f"step {step}"
        _assert_floor_is_kept(bench)
        bench.daemon = bench.new_daemon()
        bench.run(60)
        assert bench.reads() == change.ends_with, f"step {step}"
        assert bench.starts() == needed, f"step {step}"
        shutil.rmtree(bench.directory)


@pytest.mark.contract("prestart.file-stays-usable")
@pytest.mark.parametrize("name", CHANGES)
def test_a_disk_that_refuses_any_one_step_is_survived(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    change = CHANGES[name]
    make = _prepared(tmp_path, change)
    steps = _steps(make("count"), monkeypatch)
    for step in range(steps):
        bench = make(f"fail-{step}")
        with monkeypatch.context() as patch:
            _with_disk(bench, LossyDisk(step), patch)
            bench.run(60)
        assert bench.reads() == change.ends_with, f"step {step}"
        assert bench.processes["kubelet"].state == "active", f"step {step}"
        _assert_floor_is_kept(bench)
        shutil.rmtree(bench.directory)


@pytest.mark.contract("store.write-is-atomic")
def test_a_write_is_the_old_or_the_new_content_and_leaves_nothing_behind(tmp_path: Path) -> None:
    files = DurableFiles(str(tmp_path / "a" / "b"))
    files.write("x/y", b"one")
    assert (tmp_path / "a/b/x/y").stat().st_mode & 0o7777 == 0o600
    assert (tmp_path / "a/b/x").stat().st_mode & 0o7777 == 0o700
    for step in range(20):
        disk = LossyDisk(step)
        try:
            DurableFiles(str(tmp_path / "a" / "b"), disk).write("x/y", b"two")
        except OSError:
            assert files.read("x/y") in (b"one", b"two")
            assert files.list_names("x") == ["y"]
            files.write("x/y", b"one")
        else:
            break
    assert files.read("x/y") == b"two"
    assert step == 4


def test_the_same_content_is_not_written_again(tmp_path: Path) -> None:
    disk = LossyDisk()
    files = DurableFiles(str(tmp_path), disk)
    files.write("x", b"one")
    steps = disk.steps
    files.write("x", b"one")
    assert disk.steps == steps


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "torn": lambda data: data[: len(data) // 2],
    "zeros": lambda data: bytes(len(data)),
    "one bit": lambda data: bytes([data[0] ^ 1]) + data[1:] if data else data,
    "noise": lambda data: b"\xff\xfe{" + data,
}


@pytest.mark.contract("store.damaged-is-set-aside")
@pytest.mark.parametrize("damage", DAMAGE)
def test_any_damaged_file_is_survived(tmp_path: Path, damage: str) -> None:
    """Each file of the store is damaged in turn while the machine is off."""
    template = tmp_path / "template"
    template.mkdir()
    bench = Bench(template)
    bench.good_node()
    names = [path.relative_to(template) for path in sorted((template / "state").rglob("*")) if path.is_file()]
    names = [name for name in names if name.name != ".lock"]
    assert len(names) > 8
    shutil.rmtree(template)
    for name in sorted({name.name if name.name == "config.yaml" else str(name) for name in names}):
        directory = tmp_path / "node"
        directory.mkdir()
        bench = Bench(directory)
        good = bench.good_node()
        for path in (directory / "state").rglob("*"):
            if path.is_file() and (path.name == name or _kind(path) == _kind(Path(name))):
                path.write_bytes(DAMAGE[damage](path.read_bytes()))
        bench.reboot()
        assert bench.processes["kubelet"].state == "active", name
        assert bench.reads() in WHOLE, name
        bench.run(60)
        assert bench.status.active == good, name
        assert bench.reads() == "maxPods: 120\n", name
        shutil.rmtree(directory)


def _kind(path: Path) -> str:
    """Return the kind of a file of the store, without the uid or hash in its name."""
    return f"{path.parent.name}/{path.suffix}" if len(path.stem) >= 36 else path.name
