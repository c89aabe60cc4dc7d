# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What runs of a static Pod, by the kubelet's logs and /proc."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._pod_files import (
    PodFiles,
    PodProcess,
    PodRun,
    newest_run,
)

POD = "kube-system_kube-apiserver-n1"
COMPONENT = "kube-apiserver"
TICKS = os.sysconf("SC_CLK_TCK")
OLD, NEW = "0123456789abcdef0123456789abcdef", "fedcba9876543210fedcba9876543210"


class Host:
    """A tree with logs and processes."""

    def __init__(self, root: Path) -> None:
        self.logs, self.proc = root / "pods", root / "proc"
        self.files = PodFiles(str(self.logs), str(self.proc))

    def log(self, uid: str, attempt: int, text: str = "", at: float = 0.0) -> None:
        file = self.logs / f"{POD}_{uid}" / COMPONENT / f"{attempt}.log"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        os.utime(file.parent, (at, at))

    def process(self, pid: int, started: float, *, group: str = "", mounts: str = "", command: str = COMPONENT) -> None:
        directory = self.proc / str(pid)
        directory.mkdir(parents=True)
        (directory / "cmdline").write_bytes(f"/usr/local/bin/{command}\0--v=2\0".encode())
        (directory / "cgroup").write_text(group)
        (directory / "mountinfo").write_text(mounts)
        fields = ["S", *["0"] * 18, str(int(started * TICKS)), "0"]
        (directory / "stat").write_text(f"{pid} (kube (api) x) {' '.join(fields)}\n")


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(tmp_path)


def test_before_the_first_start_there_is_nothing(host: Host) -> None:
    assert host.files.runs(POD, COMPONENT, COMPONENT) == []
    (host.logs / f"{POD}_{NEW}").mkdir(parents=True)
    assert host.files.runs(POD, COMPONENT, COMPONENT) == []


@pytest.mark.parametrize(
    ("group", "mounts"),
    [
        (f"4:memory:/kubepods/burstable/pod{NEW}/0a1b", ""),
        (f"0::/kubepods.slice/kubepods-burstable-pod{NEW}.slice/cri-containerd-0a1b.scope", ""),
        ("0::/k8s.io/0a1b", f"61 9 8:1 /var/lib/kubelet/pods/{NEW}/etc-hosts /etc/hosts rw - ext4 /dev/sda rw"),
    ],
)
def test_a_process_belongs_to_the_pod_of_its_group_or_its_mounts(host: Host, group: str, mounts: str) -> None:
    host.log(NEW, 0)
    host.log(NEW, 11, at=5.0)
    host.process(7, 300.25, group=group, mounts=mounts)
    host.process(8, 300.0, group=group, mounts=mounts, command="pause")
    host.process(9, 1.0, group="0::/user.slice")
    assert host.files.runs(POD, COMPONENT, COMPONENT) == [PodRun(NEW, 11, 5.0, PodProcess(7, 300.25))]
    assert host.files.runs(POD, COMPONENT, COMPONENT)[0].invocation == f"{NEW}/11"


def test_a_uid_with_dashes_is_found_in_the_name_of_a_slice(host: Host) -> None:
    uid = "1e0e2f0a-55e1-4a39-a1a0-52e8f8a2d0b7"
    host.log(uid, 0, at=1.0)
    host.process(7, 2.0, group=f"0::/kubepods.slice/kubepods-pod{uid.replace('-', '_')}.slice/x.scope")
    assert [run.process for run in host.files.runs(POD, COMPONENT, COMPONENT)] == [PodProcess(7, 2.0)]


def test_a_start_whose_only_log_is_being_rotated_is_seen(host: Host) -> None:
    """The kubelet gives it another name, and then has the runtime begin another one."""
    host.log(NEW, 2, at=1.0)
    logs = host.logs / f"{POD}_{NEW}" / COMPONENT
    (logs / "2.log").rename(logs / "2.log.20261127-200000")
    (logs / "1.log.20261127-100000.gz").touch()
    os.utime(logs, (1.0, 1.0))
    assert host.files.runs(POD, COMPONENT, COMPONENT) == [PodRun(NEW, 2, 1.0)]


def test_other_pods_do_not_count(host: Host) -> None:
    host.log(NEW, 2, at=1.0)
    (host.logs / f"kube-system_kube-apiserver-n10_{OLD}" / COMPONENT).mkdir(parents=True)
    (host.logs / f"kube-system_kube-apiserver-n10_{OLD}" / COMPONENT / "0.log").touch()
    assert host.files.runs(POD, COMPONENT, COMPONENT) == [PodRun(NEW, 2, 1.0)]


BOOT = 1000.0


@pytest.mark.parametrize(
    ("runs", "newest"),
    [
        ([], None),
        ([PodRun(OLD, 0, 1400.0, PodProcess(1, 10.0))], OLD),
        # The one before has ended, before or after the start of the next.
        ([PodRun(OLD, 0, 1010.0), PodRun(NEW, 0, 1299.0, PodProcess(2, 300.0))], NEW),
        # The new one crashes while the one before still has the port, and after that.
        ([PodRun(OLD, 0, 1010.0, PodProcess(1, 10.0)), PodRun(NEW, 3, 1390.0)], NEW),
        ([PodRun(OLD, 0, 1010.0), PodRun(NEW, 3, 1390.0)], NEW),
        # Back to the manifest before, whose uid is the same again.
        ([PodRun(OLD, 1, 1500.0, PodProcess(3, 501.0)), PodRun(NEW, 3, 1390.0)], OLD),
    ],
)
def test_the_newest_run_is_the_one_that_started_last(runs: list[PodRun], newest: str | None) -> None:
    for order in (runs, runs[::-1]):
        run = newest_run(order, epoch_of_boot=BOOT)
        assert (None if run is None else run.uid) == newest


def test_an_exec_of_the_same_program_is_not_the_component(host: Host) -> None:
    host.log(NEW, 0, at=1.0)
    group = f"0::/kubepods/pod{NEW}/0a1b"
    host.process(9, 400.0, group=group)
    host.process(10, 300.0, group=group)
    assert host.files.runs(POD, COMPONENT, COMPONENT) == [PodRun(NEW, 0, 1.0, PodProcess(10, 300.0))]


def test_the_log_of_a_start_says_why_it_ended(host: Host) -> None:
    text = "".join(
        f"2026-11-27T20:00:00.123456789Z stderr F {line}\n" for line in ("Error: no such flag: --x y", "Usage:", "")
    )
    host.log(NEW, 1, text)
    host.log(NEW, 2, "2026-11-27T20:00:00Z stderr F waiting\n2026-11-27T20:00:01Z stdout F bye\n")
    host.log(NEW, 3, "")
    reasons = [host.files.ending_reason(POD, COMPONENT, f"{NEW}/{attempt}") for attempt in (1, 2, 3, 4)]
    assert reasons == ["Error: no such flag: --x y", "bye", "", ""]
    assert host.files.ending_reason(POD, COMPONENT, f"{OLD}/1") == ""
