# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The real Runner: output, exit codes, and an end for what takes too long."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import ModuleType

Entry = Callable[[str], ModuleType]


def test_output_code_input_and_locale(entry: Entry) -> None:
    found = entry("_processes").run_command(
        ["/bin/sh", "-c", 'cat; echo "$LC_ALL $MORE" >&2; exit 3'], timeout=10, env={"MORE": "x"}, stdin="in"
    )
    assert (found.code, found.out, found.err) == (3, "in", "C x\n")


def test_what_is_not_there(entry: Entry) -> None:
    found = entry("_processes").run_command(["/nonexistent"], timeout=10)
    assert (found.code, found.err) == (127, "/nonexistent: No such file or directory")


def test_what_takes_too_long_is_ended_with_all_it_started(entry: Entry) -> None:
    began = time.monotonic()
    found = entry("_processes").run_command(["/bin/sh", "-c", "sleep 20 & sleep 20"], timeout=0.2)
    assert (found.code, found.err) == (124, "/bin/sh: no answer within 0.2s")
    assert time.monotonic() - began < 5
