# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The flags with which a new kubelet starts, as Ansible evaluates them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

VARIABLES = Path(__file__).resolve().parents[4] / "roles/machine_host/vars/main.yml"
TAINT = {"key": "example.com/gpu", "value": "a-1", "effect": "NoSchedule"}


def flags(tmp_path: Path, **machine: Any) -> list[str]:
    """Return the flags of the kubelet of a machine."""
    options = [f"--extra-vars=@{VARIABLES}", f"--extra-vars={json.dumps({'machine': {'name': 'w1', **machine}})}"]
    task = [
        "--module-name=ansible.builtin.copy",
        f"--args=dest={tmp_path}/flags content={{{{ __machine_host_flags }}}}",
    ]
    command = [sys.executable, "-m", "ansible", "adhoc", "localhost", "--connection=local", *options, *task]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return list(json.loads((tmp_path / "flags").read_text()))


@pytest.mark.parametrize(
    ("taints", "flag"),
    [
        ([TAINT], "--register-with-taints=example.com/gpu=a-1:NoSchedule"),
        (
            [TAINT, {"key": "batch", "value": "", "effect": "NoExecute"}],
            "--register-with-taints=example.com/gpu=a-1:NoSchedule,batch=:NoExecute",
        ),
    ],
)
def test_a_new_node_has_its_taints_from_the_beginning(tmp_path: Path, taints: list[dict[str, str]], flag: str) -> None:
    assert flag in flags(tmp_path, taints=taints)


@pytest.mark.parametrize("machine", [{}, {"taints": []}])
def test_without_taints_there_is_no_flag(tmp_path: Path, machine: dict[str, Any]) -> None:
    names = flags(tmp_path, provider={"kubeletFlags": {"node-ip": "10.0.0.1"}}, **machine)
    assert names[-2:] == ["--hostname-override=w1", "--node-ip=10.0.0.1"]
