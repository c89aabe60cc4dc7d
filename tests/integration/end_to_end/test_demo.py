# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The demo, as `make demo` runs it: it checks its own results, and leaves nothing behind."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from sandbox import processes_below

CHECKOUT = Path(__file__).resolve().parents[3]
DEMO = CHECKOUT / "playbooks" / "files" / "demo" / "demo.py"


def test_the_demo_passes_its_checks_and_leaves_nothing_behind(tmp_path_factory: pytest.TempPathFactory) -> None:
    # Short: the sockets of its nodes are in there, and paths of sockets have 107 characters.
    temporary = tmp_path_factory.mktemp("d")
    done = subprocess.run(
        [sys.executable, str(DEMO)],
        env={**os.environ, "TMPDIR": str(temporary)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^Done: all \d+ checks passed in \d+ s\.$", done.stdout, re.MULTILINE)
    assert "warning" not in done.stdout.lower()
    assert "110 -> 60" in done.stdout, "the first plan shows a real diff"
    assert "Not covered by the canary" not in done.stdout
    assert not processes_below(temporary)
    assert not list(temporary.iterdir()), "its directory is removed"
