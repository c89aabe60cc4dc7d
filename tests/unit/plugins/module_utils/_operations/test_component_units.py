# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Detection on a node: units as systemctl shows them, with their files in a temporary tree."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.configok.node.plugins.module_utils._operations import UnusableInput
from ansible_collections.configok.node.plugins.module_utils._operations.component_units import (
    MADE_DIRECTORY,
    ComponentUnits,
    NoSystemd,
    SystemctlFailed,
)

UNIT = "/usr/lib/systemd/system/kubelet.service"
DROP_IN = "/etc/systemd/system/kubelet.service.d/zz-configok.conf"
CONFIG = "/var/lib/kubelet/config.yaml"
TARGET = "/var/lib/configok/components/kubelet/config.yaml"


class Machine:
    """A tree of files, and systemctl's output for the units in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.shown = {"LoadState": "loaded", "ActiveState": "active", "FragmentPath": UNIT, "MainPID": "0"}
        self.hosts: list[str] = []
        self.code = 0
        (root / "run/systemd/system").mkdir(parents=True)
        self.write(UNIT, f"[Service]\nExecStart=/usr/bin/kubelet --config={CONFIG} --root-dir=/data $EXTRA\n")
        self.write(CONFIG, "kind: KubeletConfiguration\n")

    def write(self, path: str, text: str) -> None:
        self.write_bytes(path, text.encode())

    def write_bytes(self, path: str, data: bytes) -> None:
        file = self.root / path[1:]
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)

    def run(self, argv: Sequence[str]) -> tuple[int, str, str]:
        assert argv[:3] == ["systemctl", "--no-pager", "show"]
        if self.code:
            return self.code, "", "Failed to connect to bus"
        if "k3s.service" in argv:
            return 0, "\n\n".join(f"Id={name}\nLoadState=loaded" for name in self.hosts), ""
        return 0, "".join(f"{key}={value}\n" for key, value in self.shown.items()), ""

    def process(self, *arguments: str) -> None:
        self.write("/proc/7/cmdline", "\0".join(["/usr/bin/kubelet", *arguments, ""]))
        self.shown["MainPID"] = "7"

    def units(self) -> ComponentUnits:
        return ComponentUnits(
            self.run, drop_in="zz-configok.conf", state_directory="/var/lib/configok", root=str(self.root)
        )

    def look(self, **asked: Any) -> dict[str, Any]:
        return self.units().inspect({"name": "kubelet", **asked})


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_specifiers_are_those_of_the_unit_and_of_the_host(machine: Machine) -> None:
    machine.write(
        UNIT, "[Service]\nEnvironmentFile=/etc/%p.env\nExecStart=/k --config=%t/k --hostname-override=%H $A\n"
    )
    machine.write("/etc/kubelet.env", "A=--kubeconfig=/%m\n")
    machine.write("/run/k", "")
    facts = machine.look()
    assert (facts["config"], facts["kubeconfig"], facts["refusals"]) == ("/run/k", "/%m", [])
    assert facts["hostname_override"] == os.uname().nodename


def test_a_continuation_of_an_environment_file_ends_at_a_carriage_return(machine: Machine) -> None:
    machine.write(UNIT, "[Service]\nEnvironmentFile=/e\nExecStart=/k $A\n")
    machine.write_bytes("/e", f"A=--config={CONFIG}\\\r\nB=2\r\n".encode())
    assert machine.look()["config"] == CONFIG


def test_a_name_is_enough(machine: Machine) -> None:
    facts = machine.look()
    assert facts["refusals"] == []
    assert (facts["unit"], facts["active"], facts["config"]) == ("kubelet.service", True, CONFIG)
    assert facts["exec_start"] == f"/usr/bin/kubelet --config={TARGET} --root-dir=/data $EXTRA"
    assert facts["version_command"] == ["/usr/bin/kubelet", "--version"]
    assert facts["agent_options"] == {"rootDirectory": "/data"}
    assert facts["made_directory"]
    assert facts["faults"]


def test_our_own_drop_in_is_looked_through(machine: Machine) -> None:
    before = machine.look()
    machine.write(DROP_IN, f"{MADE_DIRECTORY}\n[Service]\nExecStart=\nExecStart={before['exec_start']}\n")
    machine.shown["DropInPaths"] = DROP_IN
    after = machine.look()
    ignored = ("faults",)
    assert {key: after[key] for key in after if key not in ignored} == {
        key: before[key] for key in before if key not in ignored
    }
    assert not [fault for fault in after["faults"] if fault.startswith("it reads")]
    assert machine.units().drop_ins() == [
        {
            "path": DROP_IN,
            "directory": "/etc/systemd/system/kubelet.service.d",
            "unit": "kubelet.service",
            "active": True,
            "made_directory": True,
        }
    ]


def test_a_directory_that_was_there_is_not_ours(machine: Machine) -> None:
    machine.write("/etc/systemd/system/kubelet.service.d/10-kubeadm.conf", "")
    assert not machine.look()["made_directory"]


def test_environment_files_are_read_by_pattern_and_in_order(machine: Machine) -> None:
    machine.write(UNIT, "[Service]\nEnvironmentFile=-/etc/k/*.env\nExecStart=/usr/bin/kubelet $CONFIG\n")
    machine.write("/etc/k/1.env", "CONFIG=--config=/gone\n")
    machine.write("/etc/k/2.env", f"CONFIG=--config={CONFIG}\n")
    facts = machine.look()
    assert (facts["config"], facts["variable"], facts["refusals"]) == (CONFIG, "CONFIG", [])


@pytest.mark.parametrize(
    ("asked", "shown", "arguments", "sentence"),
    [
        ({}, {"LoadState": "not-found"}, (), "kubelet.service is not found"),
        ({"config": "/gone"}, {}, (), "reads /gone, which is not there"),
        ({}, {}, ("--config=/etc/other.yaml",), f"names {CONFIG}, while its process reads /etc/other.yaml"),
        ({"exec_start": "/usr/bin/kubelet"}, {}, (), "kubelet.service cannot be told to read"),
    ],
)
def test_what_is_refused(
    machine: Machine, asked: dict[str, Any], shown: dict[str, str], arguments: tuple[str, ...], sentence: str
) -> None:
    machine.shown.update(shown)
    if arguments:
        machine.process(*arguments)
    [refusal] = machine.look(**asked)["refusals"]
    assert sentence in refusal


@pytest.mark.contract("unsupported.embedded")
def test_a_kubelet_inside_k3s_is_named(machine: Machine) -> None:
    machine.shown["LoadState"] = "not-found"
    machine.hosts = ["k3s-agent.service"]
    [refusal] = machine.look()["refusals"]
    assert "kubelet runs inside k3s here (k3s-agent.service)" in refusal


def test_flags_only(machine: Machine) -> None:
    machine.write(UNIT, "[Service]\nExecStart=/usr/bin/kubelet --v=2\n")
    facts = machine.look()
    assert (facts["flags_only"], facts["config"], facts["refusals"]) == (True, "", [])
    assert not machine.look(config="")["flags_only"]
    [refusal] = machine.look(name="kube-proxy", unit="kubelet.service")["refusals"]
    assert "would ignore its flags" in refusal


@pytest.mark.contract("unit.verified-when-merged")
def test_what_systemd_has_passed_is_seen_once_it_started_through_the_agent(machine: Machine) -> None:
    machine.shown["InvocationID"] = "0f" * 16
    machine.process(f"--config={CONFIG}")
    assert not [fault for fault in machine.look()["faults"] if "started through the agent" in fault]
    machine.write("/var/lib/configok/kubelet-v1.35.2/startups", f'[{{"invocation": "{"0f" * 16}"}}]')
    [fault] = [fault for fault in machine.look()["faults"] if "started through the agent" in fault]
    assert fault.endswith(f"systemd made it read {CONFIG}")
    machine.process(f"--config={CONFIG}", f"--config={TARGET}")
    assert not [fault for fault in machine.look()["faults"] if "started through the agent" in fault]


def test_a_missing_systemd_and_a_failing_systemctl_are_reported_in_messages(machine: Machine, tmp_path: Path) -> None:
    machine.code = 1
    with pytest.raises(SystemctlFailed, match="systemctl show failed: Failed to connect to bus"):
        machine.look()
    machine.root = tmp_path / "elsewhere"
    with pytest.raises(NoSystemd, match="does not run systemd"):
        machine.units()


def test_the_command_line_is_that_of_the_process_or_of_the_unit(machine: Machine) -> None:
    machine.write(UNIT, "[Service]\nWorkingDirectory=/srv\nEnvironmentFile=/etc/k.env\nExecStart=/usr/bin/kubelet $A\n")
    machine.write("/etc/k.env", 'A="--max-pods=9 --v 2"\n')
    assert machine.units().command_line("kubelet.service") == (
        ("/usr/bin/kubelet", "--max-pods=9", "--v", "2"),
        "/srv",
    )
    machine.process("--max-pods=10")
    assert machine.units().command_line("kubelet.service") == (("/usr/bin/kubelet", "--max-pods=10"), "/")
    machine.shown.update(LoadState="not-found", MainPID="0")
    assert machine.units().command_line("kubelet.service") == ((), "/")


def test_a_command_line_that_is_not_understood_is_refused_with_a_reason(machine: Machine) -> None:
    machine.write(UNIT, "[Service]\n")
    with pytest.raises(UnusableInput, match=r"kubelet\.service has no ExecStart= lines"):
        machine.units().command_line("kubelet.service")
