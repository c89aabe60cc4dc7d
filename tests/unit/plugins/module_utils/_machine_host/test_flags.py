# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Flags that a kubelet does not have are removed from its files, and put back."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._machine_host._files import Changes
from ansible_collections.configok.node.plugins.module_utils._machine_host._flags import (
    adjust_flags,
    flags_in,
    supported_flags,
    without_flags,
)
from ansible_collections.configok.node.plugins.module_utils._machine_host._host_access import Host
from ansible_collections.configok.node.plugins.module_utils._machine_host._host_state import HostState
from ansible_collections.configok.node.plugins.module_utils._machine_host._package_manager import HostFile

ENV = "/var/lib/kubelet/kubeadm-flags.env"
ARGS = 'KUBELET_KUBEADM_ARGS="--container-runtime=remote --node-ip=10.0.0.1"\n'
PLAIN = """[Service]
ExecStartPre=/usr/bin/agent --container-runtime=mine
ExecStart=/usr/bin/kubelet \\
  --config=/a.yaml \\
  --container-runtime remote \\
  --v=2
"""


@pytest.mark.parametrize(
    ("text", "gone", "result"),
    [
        (ARGS, {"container-runtime"}, 'KUBELET_KUBEADM_ARGS=" --node-ip=10.0.0.1"\n'),
        (ARGS, {"node-ip"}, 'KUBELET_KUBEADM_ARGS="--container-runtime=remote"\n'),
        (ARGS, {"container-runtime", "node-ip"}, 'KUBELET_KUBEADM_ARGS=""\n'),
        (ARGS, set(), ARGS),
        (ARGS, {"container"}, ARGS),
        ("KUBELET_EXTRA_ARGS=--a=1 --ab=2\n", {"a"}, "KUBELET_EXTRA_ARGS= --ab=2\n"),
        ("# --a=1\nKUBELET_EXTRA_ARGS=--a\n", {"a"}, "# --a=1\nKUBELET_EXTRA_ARGS=\n"),
        ("KUBELET_EXTRA_ARGS='--a $B'\n", {"a"}, "KUBELET_EXTRA_ARGS=' $B'\n"),
    ],
)
def test_a_flag_goes_with_its_value(text: str, gone: set[str], result: str) -> None:
    assert without_flags(text, gone) == result


def test_only_the_command_line_of_the_kubelet_is_touched() -> None:
    assert flags_in(PLAIN) == {"config", "container-runtime", "v"}
    assert without_flags(PLAIN, {"container-runtime"}) == PLAIN.replace(
        "  --container-runtime remote ", " ", 1
    ).replace("  \\", " \\")


@pytest.fixture
def host(tmp_path: Path) -> Host:
    host = Host(str(tmp_path))
    host.write(ENV, ARGS)
    return host


def kubelet(directory: Path, version: str, unknown: str) -> str:
    """Write a program that parses flags before it answers --version, as the kubelet does."""
    program = directory / f"kubelet-{version}"
    program.write_text(
        f'#!/bin/sh\nfor flag; do case "$flag" in {unknown}*) echo "unknown flag: {unknown}" >&2; exit 1;; esac; done\n'
        f"echo Kubernetes v{version}\n"
    )
    program.chmod(0o755)
    return str(program)


def test_flags_are_removed_and_come_back(host: Host, tmp_path: Path) -> None:
    state, changes = HostState("m"), Changes()
    new = kubelet(tmp_path, "1.27.0", "--container-runtime")
    adjust_flags(host, state, new, changes)
    assert host.read(ENV) == 'KUBELET_KUBEADM_ARGS=" --node-ip=10.0.0.1"\n'
    assert changes.warnings == [f"Kubernetes v1.27.0 has no --container-runtime: removed from {ENV}"]
    assert state.pending == ["kubelet"]
    again = Changes()
    adjust_flags(host, state, new, again)
    assert not again.changed
    adjust_flags(host, state, kubelet(tmp_path, "1.26.0", "--none"), Changes())
    assert host.read(ENV) == ARGS
    assert state.flags == {}


def test_a_file_that_was_edited_since_is_the_new_basis(host: Host, tmp_path: Path) -> None:
    state = HostState("m")
    adjust_flags(host, state, kubelet(tmp_path, "1.27.0", "--container-runtime"), Changes())
    host.write(ENV, 'KUBELET_KUBEADM_ARGS="--v=4"\n')
    adjust_flags(host, state, kubelet(tmp_path, "1.26.0", "--none"), Changes())
    assert host.read(ENV) == 'KUBELET_KUBEADM_ARGS="--v=4"\n'


def test_a_file_that_is_written_has_only_flags_that_the_kubelet_has(host: Host, tmp_path: Path) -> None:
    warnings: list[str] = []
    program = kubelet(tmp_path, "1.35.0", "--node-ip")
    files = [HostFile(ENV, ARGS, has_flags=True), HostFile("/other", ARGS)]
    written = supported_flags(host, program, files, warnings)
    assert [file.content for file in written] == ['KUBELET_KUBEADM_ARGS="--container-runtime=remote"\n', ARGS]
    assert warnings == [f"Kubernetes v1.35.0 has no --node-ip: removed from {ENV}"]
