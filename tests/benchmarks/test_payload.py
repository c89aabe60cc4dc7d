# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The size of what Ansible sends to run a module."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable

from support.ansible_runs.playbooks import ROOT

# Of config_bundle, which brings the engine along; to sign bundles takes 50 kB of it. Nodes get the smaller ones.
LIMIT = 670.0
# It compares Machines with their Nodes, so it also brings the planning of rollouts, and what an upgrade of a Machine
# changes. It runs on the controller, once.
REPORT, REPORT_LIMIT = "rollout_report", 830.0


def test_the_heaviest_payloads(row: Callable[..., None]) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment["ANSIBLE_COLLECTIONS_PATH"] = str(ROOT / "build/collections")
    command = [sys.executable, str(ROOT / "tools/payload_sizes.py")]
    sizes = json.loads(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout)
    row("payload-report-kb", sizes.pop(REPORT), "kB", most=REPORT_LIMIT)
    row("payload-kb", max(sizes.values()), "kB", most=LIMIT)
