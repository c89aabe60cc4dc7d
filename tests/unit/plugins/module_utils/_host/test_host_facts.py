# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Facts of a host, read from a tree of files."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig._rules.host_model import (
    Cgroup,
    File,
    Host,
    HostQuery,
)
from ansible_collections.configok.node.plugins.module_utils._host.host_facts import read_host

pytestmark = pytest.mark.contract("validate.host-checks")


def tree(root: Path, files: Mapping[str, str]) -> str:
    """Create a host's files in a directory."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return str(root)


def test_an_empty_host_says_nothing(tmp_path: Path) -> None:
    assert read_host(HostQuery(), str(tmp_path)) == Host(cgroup_v2=False, numa_nodes=frozenset((0,)))


def test_the_facts_are_read_as_the_kernel_writes_them(tmp_path: Path) -> None:
    root = tree(
        tmp_path,
        {
            "proc/swaps": "Filename\tType\tSize\tUsed\tPriority\n/dev/sda2 partition 2097148 0 -2\n/swap file 1 0 -3\n",
            "proc/meminfo": "MemTotal:       16303124 kB\nMemFree:         1 kB\n",
            "proc/sys/kernel/panic": "0\n",
            "sys/devices/system/cpu/online": "0-2,8\n",
            "sys/devices/system/node/node0/x": "",
            "sys/devices/system/node/node1/meminfo": "Node 1 MemTotal:  8 kB\nNode 1 MemFree:  2 kB\n",
            "sys/devices/system/node/online": "0-1",
            "sys/fs/cgroup/cgroup.controllers": "cpu memory\n",
        },
    )
    assert read_host(HostQuery(), root) == Host(
        swaps=("/dev/sda2", "/swap"),
        cpus=frozenset((0, 1, 2, 8)),
        memory=16303124 * 1024,
        numa_nodes=frozenset((0, 1)),
        numa_memory={1: 8192},
        cgroup_v2=True,
        kernel={"kernel/panic": 0},
    )


def test_no_swap_is_a_table_without_rows(tmp_path: Path) -> None:
    root = tree(tmp_path, {"proc/swaps": "Filename\tType\tSize\tUsed\tPriority\n"})
    assert read_host(HostQuery(), root).swaps == ()


def test_files_by_their_kind_and_what_they_hold(tmp_path: Path) -> None:
    root = tree(tmp_path, {"c": "x\n-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n", "plain": "no"})
    (tmp_path / "d").mkdir()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "s"))
    paths = frozenset(("/c", "/plain", "/d", "/s", "/none", "/tmp/none"))
    assert read_host(HostQuery(paths), root).files == {
        "/c": File("file", frozenset(("CERTIFICATE",))),
        "/plain": File("file"),
        "/d": File("directory"),
        "/s": File("socket"),
        "/none": File("missing"),
        "/tmp/none": File("unseen"),  # the agent's unit has a private /tmp
    }


ALL = "cpuset cpu io memory hugetlb pids rdma"


@pytest.mark.parametrize(
    ("files", "cgroup"),
    [
        ({"": ALL}, Cgroup(exists=False)),
        ({"": ALL, "a.slice/b/": ALL}, Cgroup(exists=True)),
        ({"": ALL, "a.slice/b/": "cpu memory pids"}, Cgroup(exists=True, lacks=("cpuset", "hugetlb"))),
        ({"": "cpu memory", "a.slice/b/": "cpu memory"}, Cgroup(exists=True)),
    ],
)
def test_a_cgroup_of_v2_needs_the_controllers_that_the_root_has(
    tmp_path: Path, files: Mapping[str, str], cgroup: Cgroup
) -> None:
    root = tree(tmp_path, {f"sys/fs/cgroup/{path}cgroup.controllers": text for path, text in files.items()})
    assert read_host(HostQuery(cgroups=frozenset(("/a.slice/b",))), root).cgroups == {"/a.slice/b": cgroup}


@pytest.mark.parametrize(
    ("mounts", "cgroup"),
    [
        (("memory/", "pids/"), Cgroup(exists=False)),
        (("memory/kube", "pids/kube"), Cgroup(exists=True)),
        (("memory/kube", "pids/", "cpuset/"), Cgroup(exists=True, lacks=("cpuset", "pids"))),
        (("memory/kube", "cpu,cpuacct/"), Cgroup(exists=True, lacks=("cpu", "cpuacct"))),
        (("memory/kube", "hugetlb/"), Cgroup(exists=True, lacks=("hugetlb",))),
        (("memory/kube", "systemd/"), Cgroup(exists=True, lacks=("systemd",))),
        (("memory/kube", "blkio/", "freezer/", "unified/", "net_cls,net_prio/"), Cgroup(exists=True)),
    ],
)
def test_a_cgroup_of_v1_must_be_in_every_hierarchy(tmp_path: Path, mounts: tuple[str, ...], cgroup: Cgroup) -> None:
    for mount in mounts:
        (tmp_path / "sys/fs/cgroup" / mount).mkdir(parents=True)
    assert read_host(HostQuery(cgroups=frozenset(("/kube", "/\0"))), str(tmp_path)).cgroups == {
        "/kube": cgroup,
        "/\0": Cgroup(exists=False),
    }


@pytest.mark.parametrize(
    ("numbers", "pids"),
    [({"pid_max": "32768\n", "threads-max": "127000\n"}, 32768), ({"threads-max": "9"}, 9), ({"pid_max": "x"}, 0)],
)
def test_the_lower_limit_of_process_ids_counts(tmp_path: Path, numbers: Mapping[str, str], pids: int) -> None:
    root = tree(tmp_path, {f"proc/sys/kernel/{name}": text for name, text in numbers.items()})
    assert read_host(HostQuery(), root).pids == pids


def test_a_state_file_that_is_not_json_is_damaged(tmp_path: Path) -> None:
    root = tree(tmp_path, {"r/cpu_manager_state": '{"policyName":"none"}', "r/memory_manager_state": ""})
    host = read_host(HostQuery(root_directory="/r"), root)
    assert host.damaged_state == ("memory_manager_state",)
    assert host.states == {"cpu_manager_state": {"policyName": "none"}}
    assert read_host(HostQuery(root_directory=""), root).damaged_state == ()


@pytest.mark.parametrize(
    ("text", "driver"),
    [
        ("[plugins.x.options]\n  SystemdCgroup = true\n", "systemd"),
        ("  SystemdCgroup=false # why\n", "cgroupfs"),
        ("version = 2\n", ""),
        ("#  SystemdCgroup = true\n", ""),
        ("SystemdCgroup = true\nSystemdCgroup = false\n", ""),
        ('imports = ["/etc/containerd/conf.d/*.toml"]\nSystemdCgroup = true\n', ""),
        ("imports = []\nSystemdCgroup = true\n", "systemd"),
    ],
)
def test_the_runtimes_cgroup_driver_where_its_config_says_it_alone(tmp_path: Path, text: str, driver: str) -> None:
    root = tree(tmp_path, {"etc/containerd/config.toml": text})
    assert read_host(HostQuery(runtime="containerd"), root).runtime_driver == driver
    assert read_host(HostQuery(), root).runtime_driver == ""


@pytest.mark.parametrize(
    ("files", "driver"),
    [
        ({}, ""),
        ({"crio.conf": '[crio.runtime]\ncgroup_manager = "cgroupfs"\n'}, "cgroupfs"),
        ({"crio.conf": '#cgroup_manager = "cgroupfs"\n'}, ""),
        (
            {"crio.conf": 'cgroup_manager = "cgroupfs"\n', "crio.conf.d/10-x.conf": 'cgroup_manager="systemd" # why\n'},
            "systemd",
        ),
    ],
)
def test_of_crios_files_the_last_that_says_it_wins(tmp_path: Path, files: Mapping[str, str], driver: str) -> None:
    root = tree(tmp_path, {f"etc/crio/{name}": text for name, text in files.items()})
    assert read_host(HostQuery(runtime="cri-o"), root).runtime_driver == driver


def test_sockets_and_the_disk_of_the_state_are_read(tmp_path: Path) -> None:
    cpus = {f"sys/devices/system/cpu/cpu{cpu}/topology/physical_package_id": f"{cpu // 2}\n" for cpu in range(4)}
    root = tree(tmp_path, {**cpus, "r/x": ""})
    host = read_host(HostQuery(root_directory="/r"), root)
    assert host.sockets == 2
    assert host.disk > 0
    assert read_host(HostQuery(root_directory="/none"), root).disk == 0
