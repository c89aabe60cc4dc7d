# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads inventory files as a user does: ansible-inventory, with any supported ansible-core."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
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
    """Read an inventory file; one that cannot be read is an error, as in a controller.

    environment: what is added to it. Ansible's variables are read when ansible-core is imported: with one of them, a
    process of its own runs ansible-inventory.
    """
    added = dict(environment or {})
    has_own = any(name.startswith("ANSIBLE_") for name in added)
    reader = _reader(venv, tuple(sorted(added.items())) if has_own else ())
    code, out, problem = reader.ask(arguments=["-i", str(path), "--list"], environment=added)
    return Inventory(code, " ".join(problem.split()), json.loads(out) if code == 0 else {})


class _Reader:
    """A process that runs ansible-inventory of an environment. It ends with the process that has started it."""

    def __init__(self, venv: Path, environment: Mapping[str, str]) -> None:
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("ANSIBLE_", "K8S_AUTH_", "KUBE")) and name != "PYTHONPATH"
        }
        self._process = subprocess.Popen(
            [str(venv / "bin/python"), str(Path(__file__).with_name("inventory_reader.py"))],
            env={
                **kept,
                "LC_ALL": "C.UTF-8",
                "ANSIBLE_COLLECTIONS_PATH": str(ROOT / "build/collections"),
                "ANSIBLE_HOME": str(ROOT / "build/inventory/.ansible"),
                "ANSIBLE_NOCOLOR": "true",
                "ANSIBLE_INVENTORY_ANY_UNPARSED_IS_FAILED": "true",
                **environment,
            },
            cwd="/",
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._mutex = threading.Lock()

    def ask(self, **request: Any) -> tuple[int, str, str]:
        """Run ansible-inventory; return its exit code and both outputs."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with self._mutex:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
            code, out, err = json.loads(self._process.stdout.readline())
        return code, out, err


@cache
def _reader(venv: Path, environment: tuple[tuple[str, str], ...]) -> _Reader:
    return _Reader(venv, dict(environment))


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
