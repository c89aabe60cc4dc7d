# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The data modules are what the generator writes, and nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[6]
GENERATOR = ROOT / "tools" / "generate_componentconfig.py"
UTILS = ROOT / "plugins" / "module_utils"
DATA = UTILS / "_componentconfig" / "_data"
FILES = [*sorted(DATA.glob("*.py")), UTILS / "_machine_kinds" / "_data.py"]


def generate(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(GENERATOR), *arguments], capture_output=True, text=True, check=False)


def test_the_tree_is_up_to_date() -> None:
    done = generate("--check")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_twice_is_the_same_and_check_finds_every_difference(tmp_path: Path) -> None:
    assert generate("--check", "--output", str(tmp_path)).returncode == 1
    assert generate("--output", str(tmp_path)).returncode == 0
    written = {path.relative_to(tmp_path): path.read_bytes() for path in tmp_path.rglob("*.py")}
    assert written == {path.relative_to(UTILS): path.read_bytes() for path in FILES}
    assert generate("--check", "--output", str(tmp_path)).returncode == 0
    data = tmp_path / "_componentconfig" / "_data"
    (data / "_kubelet.py").write_text("changed", encoding="utf-8")
    (data / "_gone.py").write_text("", encoding="utf-8")
    done = generate("--check", "--output", str(tmp_path))
    assert done.returncode == 1
    assert "_kubelet.py" in done.stderr
    assert "_gone.py" in done.stderr
    assert generate("--output", str(tmp_path)).returncode == 0
    assert not (data / "_gone.py").exists()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_lines_fit(path: Path) -> None:
    assert all(len(line) <= 120 for line in path.read_text(encoding="utf-8").splitlines())


def test_no_field_of_the_schema_is_lost() -> None:
    from ansible_collections.configok.node.plugins.module_utils._componentconfig._schema.kinds import find_kind
    from ansible_collections.configok.node.plugins.module_utils._machine_kinds.kinds import machine_kind

    def count(fields: dict[str, dict[str, Any]]) -> int:
        return sum(1 + count(field.get("fields", {})) for field in fields.values())

    for path in sorted((ROOT / "schema").glob("*.*.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        names = document["apiVersion"], document["kind"]
        kind = find_kind(*names) or machine_kind(*names)
        assert kind is not None
        assert count(kind.fields) == len(document["fields"]), path.name
