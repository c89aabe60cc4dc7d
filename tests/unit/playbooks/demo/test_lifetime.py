# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the demo starts ends with it, even if it is killed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from support.session.patience import wait_until

ROOT = Path(__file__).resolve().parents[4]
PARENT = """
import sys, time
from pathlib import Path
from sandbox import SandboxNode

node = SandboxNode("n1", Path("."), [sys.executable, "-c", "import time; time.sleep(600)"], 0)
node.start("agent")
print(node.processes["agent"].pid, flush=True)
time.sleep(600)
"""


def test_an_agent_ends_with_a_demo_that_is_killed(tmp_path: Path) -> None:
    path = str(ROOT / "playbooks/files/demo")
    with subprocess.Popen(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {path!r})\n{PARENT}"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
    ) as parent:
        assert parent.stdout is not None
        agent = Path("/proc", parent.stdout.readline().strip())
        assert b"sleep(600)" in (agent / "cmdline").read_bytes()
        parent.kill()
    # A process that has ended has no command line until its parent waits for it.
    wait_until(lambda: not (agent.exists() and (agent / "cmdline").read_bytes()))
