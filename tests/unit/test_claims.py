# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The README claims only those Kubernetes releases that a published run shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# page -> expression for the release of its run
PAGES = {
    "conformance.md": r"kubelet and API server of Kubernetes ([\d., ]+), and shows no more",
    "conformance-1.36.md": r"kubelet and API server of Kubernetes ([\d., ]+), and shows no more",
    "faults.md": r"a run with Kubernetes ([\d., ]+)\.",
    "figures.md": r"^- kubelet: v([\d.]+)$",
    "../security.md": r"^Measured with kube-apiserver ([\d., ]+):",
}


@pytest.mark.parametrize("page", PAGES)
def test_the_readme_names_the_release_that_the_page_was_measured_with(page: str) -> None:
    measured = re.search(PAGES[page], (ROOT / "docs/development" / page).read_text(encoding="utf-8"), re.MULTILINE)
    assert measured is not None, f"docs/development/{page} names no release"
    section = (ROOT / "README.md").read_text(encoding="utf-8").split("## What is shown for which Kubernetes\n")[1]
    link = f"docs/development/{page})".replace("development/../", "")
    row = next(line for line in section.splitlines() if link in line)
    assert row.split("|")[2].strip() == measured[1]
