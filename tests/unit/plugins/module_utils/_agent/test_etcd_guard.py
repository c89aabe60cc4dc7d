# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A member of etcd restarts only if the others can spare it, and after its data were saved."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, cast

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._etcd_gateway import (
    EtcdError,
    EtcdGateway,
    NoAnswer,
)
from ansible_collections.configok.node.plugins.module_utils._agent._etcd_guard import EtcdFiles, EtcdGuard
from ansible_collections.configok.node.plugins.module_utils._static_pods.etcd_members import Member, MemberStatus
from support.configs.manifests import kubeadm_pod, manifest_bytes

OWN, OTHER, LAST = "https://127.0.0.1:2379", "https://10.0.0.2:2379", "https://10.0.0.3:2379"
MEMBERS = (Member("1", "n1", (OWN,)), Member("2", "n2", (OTHER,)), Member("3", "n3", (LAST,)))
SIZE = 1000
PLENTY, TOTAL = 1 << 20, 1 << 20
HOUR = 3600.0


class Etcd:
    """The answers of etcd, by URL; a URL that is not there gives none."""

    def __init__(self) -> None:
        self.ids = {OWN: "1", OTHER: "2", LAST: "3"}
        self.members_now: tuple[Member, ...] = MEMBERS
        self.alarms_now: tuple[str, ...] = ()
        self.data = b"data"
        self.leader = "1"
        self.refuses = False
        self.files: list[EtcdFiles] = []

    def gateway(self, files: EtcdFiles) -> EtcdGateway:
        self.files.append(files)
        return cast("EtcdGateway", self)

    def status(self, url: str) -> tuple[str, MemberStatus]:
        if self.refuses:
            raise EtcdError(f"{url}: certificate expired")
        if url not in self.ids:
            raise NoAnswer(f"{url}: connection refused")
        return self.ids[url], MemberStatus(self.leader, 10, SIZE)

    def members(self, _url: str) -> tuple[Member, ...]:
        return self.members_now

    def alarms(self, _url: str) -> tuple[str, ...]:
        if not self.leader:
            raise NoAnswer("timed out")
        return self.alarms_now

    def snapshot(self, url: str, stream: BinaryIO) -> None:
        stream.write(self.data)
        if not self.data:
            raise EtcdError(f"{url}: the snapshot does not have the hash that etcd wrote behind it")


class Node:
    """A node with kubeadm's manifest of etcd."""

    def __init__(self, root: Path) -> None:
        self.file = root / "etcd.yaml"
        self.directory = root / "snapshots"
        self.etcd = Etcd()
        self.free = PLENTY
        self.hours = 0
        self.write()

    def write(self, *flags: str, **fields: Any) -> None:
        self.file.write_bytes(manifest_bytes(kubeadm_pod("etcd", *flags, **fields)))

    @property
    def guard(self) -> EtcdGuard:
        return EtcdGuard(
            str(self.file),
            str(self.directory),
            gateway=self.etcd.gateway,
            usage=lambda _path: (TOTAL, 0, self.free),
            epoch=lambda: time.time() + self.hours * HOUR,
        )

    def save(self, data: bytes = b"data") -> str:
        """Save a snapshot, hours after the one before."""
        self.etcd.data = data
        self.hours += 1
        reason = self.guard.save_snapshot()
        for path in self.directory.glob("*.db"):
            if path.read_bytes() == data:
                os.utime(path, (time.time() + self.hours * HOUR,) * 2)
        return reason

    def reason(self, *arguments: str, is_fallback: bool = False) -> str:
        return self.guard.reason_to_keep(arguments, is_fallback=is_fallback)

    def snapshots(self) -> Mapping[str, bytes]:
        return {path.name: path.read_bytes() for path in sorted(self.directory.iterdir())}


@pytest.fixture
def node(tmp_path: Path) -> Node:
    return Node(tmp_path)


def test_etcd_is_asked_on_this_node_with_the_certificate_for_probes(node: Node) -> None:
    assert node.reason() == ""
    directory = "/etc/kubernetes/pki/etcd"
    client = f"{directory}/healthcheck-client"
    assert node.etcd.files == [EtcdFiles(f"{directory}/ca.crt", f"{client}.crt", f"{client}.key")]


def test_the_files_are_those_of_the_node_where_the_container_has_them_elsewhere(node: Node) -> None:
    node.write(
        "--trusted-ca-file=/etc/ssl/certs/of/ca.crt", volumeMounts=[{"mountPath": "/etc/ssl", "name": "k8s-certs"}]
    )
    assert node.reason() == ""
    assert node.etcd.files[0].key == "/etc/kubernetes/pki/certs/of/healthcheck-client.key"


def test_a_member_that_the_others_need_is_kept(node: Node) -> None:
    del node.etcd.ids[LAST]
    assert node.reason() == (
        "etcd cannot spare this member: 2 of 3 members must run without it, and 1 do "
        "(n3: https://10.0.0.3:2379: connection refused)"
    )
    assert node.reason(is_fallback=True) != ""


def test_a_member_without_an_answer_is_restarted_only_for_the_options_before(
    node: Node, caplog: pytest.LogCaptureFixture
) -> None:
    del node.etcd.ids[OWN]
    assert "which does not say how the others are: https://127.0.0.1:2379: connection refused" in node.reason()
    with caplog.at_level(logging.WARNING):
        assert node.reason(is_fallback=True) == ""
    assert "etcd is not asked whether it can spare this member" in caplog.text


def test_a_member_that_refuses_the_question_runs(node: Node) -> None:
    """An expired certificate, for example: nothing is known of the others."""
    node.etcd.refuses = True
    for is_fallback in (False, True):
        assert "how the others are: https://127.0.0.1:2379: certificate expired" in node.reason(is_fallback=is_fallback)


def test_a_member_that_another_one_answers_for_does_not_count(node: Node) -> None:
    """All advertise the address of a load balancer, for example."""
    node.etcd.ids[LAST] = "1"
    assert "and 1 do (n3: https://10.0.0.3:2379: another member answers there)" in node.reason()


def test_an_alarm_does_not_hold_up_options_that_worked_before(node: Node) -> None:
    node.etcd.alarms_now = ("NOSPACE",)
    assert "it has the alarm NOSPACE" in node.reason()
    assert node.reason(is_fallback=True) == ""


def test_a_pace_that_does_not_go_with_that_of_the_others_is_refused(node: Node) -> None:
    slow = ("--heartbeat-interval=1500", "--election-timeout=15000")
    assert "with the heartbeat interval 1500 and one with the election timeout 1000" in node.reason(*slow)
    assert node.reason(*slow, is_fallback=True) == ""
    assert node.reason("--heartbeat-interval=200", "--election-timeout=15000") == ""
    node.write("--election-timeout=15000")
    assert node.reason(*slow) == ""
    assert "with the election timeout 499" in node.reason("--heartbeat-interval=90", "--election-timeout=499")
    node.etcd.members_now = MEMBERS[:1]
    assert node.reason("--heartbeat-interval=5000", "--election-timeout=50000") == ""


def test_a_member_without_a_leader_answers_no_question_about_the_others(node: Node) -> None:
    node.etcd.leader = ""
    assert "how the others are: it has no leader" in node.reason()
    assert node.reason(is_fallback=True) == ""


def test_a_quota_that_the_data_would_reach_is_refused(node: Node) -> None:
    assert node.reason("--quota-backend-bytes=2000") == ""
    assert "takes no more writes with a quota of 1000" in node.reason("--quota-backend-bytes=1000")


@pytest.mark.parametrize(
    ("flag", "reason"),
    [
        ("--listen-client-urls=unix://a", "names no URL at which etcd can be asked"),
        ("--listen-metrics-urls=", "nothing shows whether etcd is healthy"),
    ],
)
def test_a_manifest_that_shows_nothing_of_etcd_is_left_alone(node: Node, flag: str, reason: str) -> None:
    node.write(flag)
    assert reason in node.reason()


def test_the_last_two_snapshots_are_kept_and_only_root_reads_them(node: Node) -> None:
    assert [node.save(data) for data in (b"1", b"2", b"3")] == ["", "", ""]
    assert list(node.snapshots().values()) == [b"2", b"3"]
    assert {path.stat().st_mode & 0o777 for path in node.directory.iterdir()} == {0o600}
    assert node.directory.stat().st_mode & 0o777 == 0o700


def test_the_newest_snapshot_is_kept_whatever_the_clock_says(node: Node) -> None:
    for hours in (5, 7, 1):
        node.hours = hours
        assert node.save(str(hours).encode()) == ""
    assert list(node.snapshots().values()) == [b"1", b"7"]


def test_a_write_that_is_tried_again_saves_no_other_snapshot(node: Node) -> None:
    node.save(b"1")
    node.etcd.data = b"2"
    assert node.guard.save_snapshot() == ""
    assert list(node.snapshots().values()) == [b"1"]


def test_a_snapshot_that_is_not_whole_is_removed_and_refuses_the_restart(node: Node) -> None:
    assert node.save() == ""
    saved = node.snapshots()
    assert "does not have the hash" in node.save(b"")
    assert node.snapshots() == saved


def test_what_a_killed_process_has_left_is_removed(node: Node) -> None:
    node.directory.mkdir()
    (node.directory / "etcd-1.db.unfinished").touch()
    node.guard.save_snapshot()
    assert list(node.snapshots().values()) == [b"data"]


def test_without_space_for_two_nothing_is_written(node: Node) -> None:
    """And for the tenth below which the kubelet evicts Pods."""
    node.free = 2 * SIZE + TOTAL // 10 - 1
    assert "needs 106857 bytes of free space" in node.guard.save_snapshot()
    assert node.snapshots() == {}


def test_a_member_without_an_answer_has_no_snapshot_to_give(node: Node) -> None:
    del node.etcd.ids[OWN]
    assert node.guard.save_snapshot() == ""
    assert not node.directory.exists()
