# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads inventory files as a user does: ansible-inventory, with any supported ansible-core."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = ["Inventory", "read_inventory"]

ROOT = Path(__file__).resolve().parents[3]


@dataclass(frozen=True)
class Inventory:
    """The output of ansible-inventory --list. problem: what it has written to stderr."""

    code: int
    problem: str
    data: dict[str, Any] = field(default_factory=dict)

    def variables(self, host: str) -> dict[str, Any]:
        """Return the variables of a host. Raises AssertionError for a text in them that could be a template."""
        variables: dict[str, Any] = _unwrapped(self.data["_meta"]["hostvars"][host])
        return variables

    @property
    def hosts(self) -> list[str]:
        """Return the names of all hosts."""
        return sorted(self.data["_meta"]["hostvars"])

    def group(self, name: str) -> list[str]:
        """Return the hosts of a group, an empty list if there is none."""
        return sorted(self.data.get(name, {}).get("hosts", []))


def read_inventory(
    path: Path, *, venv: Path = Path(sys.prefix), environment: Mapping[str, str] | None = None
) -> Inventory:
    """Read an inventory file; one that cannot be read is an error, as in a controller."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ANSIBLE_", "K8S_AUTH_", "KUBE"))}
    kept.pop("PYTHONPATH", None)
    done = subprocess.run(
        [str(venv / "bin/ansible-inventory"), "-i", str(path), "--list"],
        env={
            **kept,
            "LC_ALL": "C.UTF-8",
            "ANSIBLE_COLLECTIONS_PATH": str(ROOT / "build/collections"),
            "ANSIBLE_HOME": str(path.parent / ".ansible"),
            "ANSIBLE_NOCOLOR": "true",
            "ANSIBLE_INVENTORY_ANY_UNPARSED_IS_FAILED": "true",
            **(environment or {}),
        },
        cwd="/",
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    data = json.loads(done.stdout) if done.returncode == 0 else {}
    return Inventory(done.returncode, " ".join(done.stderr.split()), data)


def _unwrapped(value: Any) -> Any:
    """Return variables without the marks of texts that are not templates."""
    if isinstance(value, dict):
        if value.keys() == {"__ansible_unsafe"}:
            return value["__ansible_unsafe"]
        return {key: _unwrapped(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_unwrapped(part) for part in value]
    assert not isinstance(value, str) or "{{" not in value, f"{value!r} could be a template"
    return value
