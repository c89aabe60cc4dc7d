# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A program is run as the bytes whose checksum is known, with nothing of this machine around it."""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig import ConfigError
from ansible_collections.configok.node.plugins.module_utils._host.isolated_program import isolated, verified_copy

SCRIPT = b'#!/bin/sh\necho "$PWD|$SECRET|$HOME|$*"\nenv | cut -d= -f1 | sort | tr "\\n" ,\n'


def program(directory: Path) -> tuple[Path, str]:
    path = directory / "kubelet"
    path.write_bytes(SCRIPT)
    return path, hashlib.sha256(SCRIPT).hexdigest()


def test_a_program_sees_its_own_directory_and_no_other_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET", "s3cret")
    path, digest = program(tmp_path)
    own = tmp_path / "own directory"
    own.mkdir()
    copy = verified_copy(str(path), digest.upper() + "\n", str(own))
    out = subprocess.run(isolated(copy, ["a b", "$c"]), capture_output=True, text=True, check=True).stdout
    assert out.splitlines()[0] == f"{own}||{own}|a b $c"
    assert set(out.splitlines()[1].strip(",").split(",")) <= {"HOME", "LC_ALL", "PATH", "PWD", "TMPDIR", "SHLVL", "_"}


@pytest.mark.parametrize("digest", ["", "0" * 64, "not hexadecimal"])
def test_a_program_other_than_the_given_one_is_not_copied(tmp_path: Path, digest: str) -> None:
    path, _digest = program(tmp_path)
    own = tmp_path / "own"
    own.mkdir()
    with pytest.raises(ConfigError, match="not the given one: it is not run"):
        verified_copy(str(path), digest, str(own))
    assert os.listdir(own) == []


def test_a_copy_does_not_follow_the_file(tmp_path: Path) -> None:
    path, digest = program(tmp_path)
    own = tmp_path / "own"
    own.mkdir()
    copy = verified_copy(str(path), digest, str(own))
    path.write_bytes(b"#!/bin/sh\necho replaced\n")
    assert "replaced" not in subprocess.run(isolated(copy, []), capture_output=True, text=True, check=True).stdout
