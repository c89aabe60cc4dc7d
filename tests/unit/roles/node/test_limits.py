# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests the limits of the child that validates a config. A child that exceeds one gives no verdict."""

from __future__ import annotations

import resource
import sys
from collections.abc import Callable
from types import ModuleType

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._validation._validator import (
    ValidateCommand,
    ValidationUnavailable,
)
from support.configs.kubelet import kubelet_config

Entry = Callable[[str], ModuleType]
LIMITED = "from configok_agent._limits import limit_this_process; limit_this_process();"


def run(entry: Entry, program: str) -> tuple[int, str]:
    """Run a program under the limits; return its exit code and its stderr."""
    path = sys.path[0]  # where the archive's files lie
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {path!r}); {LIMITED} {program}"]
    result = entry("_processes").run_command(command, timeout=60)
    return result.code, result.err


def test_memory_is_limited(entry: Entry) -> None:
    code, err = run(entry, "x = bytearray(200_000_000)")
    assert code == 1
    assert "MemoryError" in err


def test_open_files_are_limited(entry: Entry) -> None:
    code, err = run(entry, "x = [open('/dev/null') for _ in range(100)]")
    assert code == 1
    assert "Too many open files" in err


def test_cpu_time_is_limited(entry: Entry) -> None:
    limits = dict(entry("_limits").LIMITS)
    assert limits[resource.RLIMIT_CPU] < 60, "the CPU ends it before the daemon's patience does"
    code, _err = run(entry, "import resource; resource.setrlimit(resource.RLIMIT_CPU, (1, 1))\nwhile True: pass")
    assert code == -9


def test_a_lower_limit_stays(entry: Entry) -> None:
    program = "import resource as r; limit_this_process(); print(r.getrlimit(r.RLIMIT_NOFILE), file=sys.stderr)"
    before = "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (32, 32));"
    code, err = run(entry, f"{program}")
    assert (code, err) == (0, "(64, 64)\n")
    path = sys.path[0]
    command = [sys.executable, "-c", f"{before} import sys; sys.path.insert(0, {path!r}); {LIMITED} {program}"]
    assert entry("_processes").run_command(command, timeout=60).err == "(32, 32)\n"


def test_the_agents_child_is_limited_and_still_validates(entry: Entry) -> None:
    program = "import configok_agent.__main__ as m; sys.exit(m.main(['validate', '--json', '--limited', '-']))"
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {sys.path[0]!r}); {program}"]
    text = kubelet_config("maxPods: -1")
    result = entry("_processes").run_command(command, timeout=60, stdin=text)
    assert (result.code, "maxPods" in result.out) == (1, True), result.err
    shown = program.replace("sys.exit(", "(").replace("'-'", "'/dev/null'")
    command[-1] = command[-1].replace(program, f"{shown}; import resource as r; print(r.getrlimit(r.RLIMIT_DATA)[0])")
    assert entry("_processes").run_command(command, timeout=60).out.splitlines()[-1] == str(128 * 1024 * 1024)


@pytest.mark.parametrize("end", ["x = bytearray(200_000_000)", "import os; os.kill(os.getpid(), 9)"])
def test_validation_is_unavailable_when_a_child_reaches_a_limit(entry: Entry, end: str) -> None:
    path = sys.path[0]
    program = f"import sys; sys.path.insert(0, {path!r}); {LIMITED} {end}"
    validate = ValidateCommand(entry("_processes").run_command, [sys.executable, "-c", program])
    with pytest.raises(ValidationUnavailable):
        validate("kubelet", "maxPods: 1\n", "")
