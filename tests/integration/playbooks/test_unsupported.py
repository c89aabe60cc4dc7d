# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the collection does not support is refused with a message; these cases need no node."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from support.ansible_runs.playbooks import finish, start


@pytest.mark.contract("unsupported.windows")
@pytest.mark.parametrize("playbook", ["provision", "remove"])
def test_windows_is_refused_before_it_is_asked_anything(tmp_path: Path, playbook: str) -> None:
    host = {"ansible_host": "192.0.2.1", "ansible_connection": "winrm", "ansible_shell_type": "powershell"}
    (tmp_path / "inventory.yml").write_text(yaml.safe_dump({"all": {"hosts": {"win": host}}}))
    arguments = [f"configok.node.{playbook}", "-i", "inventory.yml", "--limit", "win", "-e", "provision_hosts=win"]
    run = finish(start(arguments, directory=tmp_path, kubeconfig=""))
    assert run.code != 0
    assert "The agent relies on systemd, so a node that runs Windows is not supported." in run.output
    assert "Gathering Facts" not in run.output
