# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each folder of tests/support has a page that says what it is."""

from __future__ import annotations

from pathlib import Path

import pytest

SUPPORT = Path(__file__).resolve().parents[2] / "support"
FOLDERS = sorted(path.name for path in SUPPORT.iterdir() if path.is_dir() and path.name != "__pycache__")


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_folder_says_in_a_few_lines_what_it_is(folder: str) -> None:
    title, blank, *lines = (SUPPORT / folder / "README.md").read_text(encoding="utf-8").splitlines()
    assert title.startswith("# ")
    assert blank == ""
    assert 1 <= len(lines) <= 8
