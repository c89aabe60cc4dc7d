# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A process that has given its capabilities up has none, and nor has what it starts."""

from __future__ import annotations

import os
import subprocess
import sys

from ansible_collections.configok.node.plugins.module_utils._agent import _privileges

# It opens its program while it may, as the agent's command does; "cat" then shows what it was started with.
SCRIPT = """
import importlib.util, os, subprocess, sys
spec = importlib.util.spec_from_file_location("privileges", sys.argv[1])
privileges = importlib.util.module_from_spec(spec)
spec.loader.exec_module(privileges)
program = os.open("/bin/cat", os.O_RDONLY)
print(open("/proc/self/status").read())
privileges.give_up_capabilities()
print(open("/proc/self/status").read(), flush=True)
subprocess.run([f"/proc/{os.getpid()}/fd/{program}", "/proc/self/status"], check=True)
"""


def capabilities() -> list[dict[str, int]]:
    """Return those of a process before it gives them up, of the same afterwards, and of what it starts."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, _privileges.__file__], stdout=subprocess.PIPE, text=True, check=True
    )
    lines = [line.split() for line in done.stdout.splitlines() if line.startswith(("CapEff", "CapPrm", "NoNewPrivs"))]
    values = [(name.rstrip(":"), int(value, 16)) for name, value in lines]
    return [dict(values[start : start + 3]) for start in range(0, len(values), 3)]


def test_neither_the_process_nor_what_it_starts_has_a_capability() -> None:
    before, afterwards, started = capabilities()
    assert afterwards == started == {"CapPrm": 0, "CapEff": 0, "NoNewPrivs": 1}
    if os.geteuid() == 0:
        assert before["CapEff"]
