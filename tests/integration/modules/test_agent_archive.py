# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action agent_archive as a task: it puts the agent somewhere, and a second time changes nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from ansible_collections.configok.node.plugins.plugin_utils._pack import ARCHIVE, pack
from support.ansible_runs.playbooks import ROOT, PlaybookRun, finish, start


def play(directory: Path, dest: Path, *arguments: str) -> PlaybookRun:
    task = {"name": "Put the agent there", "configok.node.agent_archive": {"dest": str(dest)}}
    plays = [{"name": "Archive", "hosts": "localhost", "gather_facts": False, "tasks": [task]}]
    (directory / "archive.yml").write_text(json.dumps(plays))
    done = finish(start([*arguments, "archive.yml"], directory=directory, kubeconfig="/nonexistent/kubeconfig"))
    assert done.code == 0, done.output
    assert "ok=1" in done.output
    return done


def test_the_archive_is_put_there_once(tmp_path: Path) -> None:
    dest = tmp_path / ARCHIVE
    assert play(tmp_path, dest, "--check").changed == 1
    assert not dest.exists()

    assert play(tmp_path, dest).changed == 1
    assert dest.read_bytes() == pack(ROOT)
    assert dest.stat().st_mode & 0o777 == 0o755
    result = subprocess.run([sys.executable, "-I", dest, "version"], capture_output=True, text=True, check=True)
    assert result.stdout

    before = dest.stat()
    assert play(tmp_path, dest).changed == 0
    assert (dest.stat().st_ino, dest.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)

    dest.write_bytes(b"another")
    assert play(tmp_path, dest).changed == 1
    assert dest.read_bytes() == pack(ROOT)
