# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Has systemd verify an override of a unit before it is put in place."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from typing import NamedTuple

from ..._systemd.unit_checks import Verification, override_faults, why_not_verified

_PATIENCE = "60"  # seconds; a verification takes about one

Runner = Callable[[Sequence[str]], "tuple[int, str, str]"]


class Verdict(NamedTuple):
    """What systemd has against an override, as parts of a sentence, and why it was not verified, "" if it was."""

    faults: tuple[str, ...]
    not_verified: str


def verify_override(run: Runner, fragment: str, unit: str, drop_in: str, text: str) -> Verdict:
    """Return systemd's verdict on a unit with an override, which is in a temporary directory until then.

    run(argv) -> (exit code, output, errors). fragment: the path of the unit's own file. drop_in: the name of the
    override, which hides an installed one.
    """
    if os.path.basename(fragment) != unit:
        return Verdict((), f"{unit} has no file of its own name, as a unit of a template")
    with tempfile.TemporaryDirectory(prefix="configok-") as directory:
        before = _verify(run, fragment, directory)
        path = os.path.join(directory, f"{unit}.d", drop_in)
        os.mkdir(os.path.dirname(path), 0o700)
        with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)
        after = _verify(run, fragment, directory)
    reason = why_not_verified(before) or why_not_verified(after)
    return Verdict((), reason) if reason else Verdict(tuple(override_faults(before, after, path)), "")


def _verify(run: Runner, fragment: str, directory: str) -> Verification:
    """Verify a unit as it would be with the files in a directory, which come before all others."""
    search = f"SYSTEMD_UNIT_PATH={directory}:"  # the colon at its end adds the usual directories
    command = ["timeout", _PATIENCE, "env", search, "systemd-analyze", "verify", "--man=no", fragment]
    code, out, err = run(command)
    return Verification(code, tuple(line.strip() for line in (out + err).splitlines() if line.strip()))
