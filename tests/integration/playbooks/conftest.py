# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster in this process, for what needs no real API server, and control machines that playbooks are run from."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.ansible_runs.playbooks import ROOT
from support.session.cluster_fixtures import cluster
from support.session.unavailable import leave_out

__all__ = ["cluster"]


@pytest.fixture(params=["oldest", "newest"])
def control(request: pytest.FixtureRequest) -> Path:
    """The virtual environment with the oldest, and then with the newest, Python and ansible-core to be had here."""
    directory = ROOT / f".venv-{request.param}"
    if not (directory / "bin/ansible-playbook").exists():
        leave_out(f"there is no {directory.name}: make venv-{request.param} makes it")
    return directory
