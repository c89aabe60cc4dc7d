# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that every module that the demo loads exists: its name is a text there, which no linter follows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import product

DEMO = Path(product.__file__).parent
LOADED = re.compile(r"\bload\(\"(?P<name>[\w.]+)\"(?:, below=\"(?P<below>\w+)\")?\)(?:\.(?P<attribute>\w+))?")
CALLS = [
    (path.name, match["name"], match["below"] or "module_utils", match["attribute"] or "")
    for path in sorted(DEMO.glob("*.py"))
    for match in LOADED.finditer(path.read_text(encoding="utf-8"))
    if path.name != "product.py"
]


def test_the_calls_are_seen() -> None:
    assert {file for file, *_rest in CALLS} >= {"demo.py", "sandbox.py", "stub_kubelet.py", "supervisor.py"}


@pytest.mark.parametrize(("file", "name", "below", "attribute"), CALLS)
def test_what_a_file_loads_exists(file: str, name: str, below: str, attribute: str) -> None:
    module = product.load(name, below=below)
    assert not attribute or hasattr(module, attribute), f"{file}: {name} has no {attribute}"
