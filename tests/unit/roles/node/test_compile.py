# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests the compiled code next to the archive: it is used only if no other user can have written it."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent import AGENT_VERSION
from ansible_collections.configok.node.plugins.plugin_utils._pack import ARCHIVE, pack
from support.session.unavailable import leave_out

COLLECTION = Path(__file__).resolve().parents[4]
NOBODY = 65534
OURS = f"configok-agent {AGENT_VERSION}\n"
THEIRS = "code of another user\n"


@pytest.fixture(scope="module")
def packed() -> bytes:
    return pack(COLLECTION)


@pytest.fixture
def archive(tmp_path: Path, packed: bytes) -> Path:
    path = tmp_path / ARCHIVE
    path.write_bytes(packed)
    return path


def call(archive: Path, *words: str, umask: int = 0o022) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-I", str(archive), *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        preexec_fn=lambda: os.umask(umask) and None,
    )


def plant(archive: Path) -> Path:
    """Compile the archive, replace the compiled code, and return its directory."""
    assert call(archive, "compile").stdout == "compiled\n"
    (build,) = Path(f"{archive}.d").iterdir()
    (build / "configok_agent" / "__main__.py").write_text(f"def start():\n    print({THEIRS[:-1]!r})\n")
    for cache in (build / "configok_agent" / "__pycache__").glob("__main__*"):
        cache.unlink()
    return build


def give_away(path: Path) -> None:
    if os.geteuid() != 0:
        leave_out("another owner is given by root alone")
    os.chown(path, NOBODY, NOBODY)


def move_behind_a_link(path: Path) -> None:
    elsewhere = path.parent / f"elsewhere-{path.name}"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)


CHANGES: dict[str, Callable[[Path], None]] = {
    "others may write": lambda path: path.chmod(0o757),
    "its group may write": lambda path: path.chmod(0o775),
    "sticky": lambda path: path.chmod(0o1777),
    "another owner": give_away,
    "a link": move_behind_a_link,
}


def test_what_is_ours_is_used(archive: Path) -> None:
    plant(archive)
    assert call(archive, "version").stdout == THEIRS


@pytest.mark.contract("files.compiled-is-protected")
@pytest.mark.parametrize("what", CHANGES)
@pytest.mark.parametrize("where", ["the cache", "its directory"])
def test_what_others_may_have_written_is_not_used(archive: Path, what: str, where: str) -> None:
    build = plant(archive)
    CHANGES[what](build if where == "the cache" else build.parent)
    ended = call(archive, "version")
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, OURS, "")


@pytest.mark.contract("files.compiled-is-protected")
@pytest.mark.parametrize("what", CHANGES)
def test_nothing_is_compiled_into_what_others_may_write_to(archive: Path, what: str) -> None:
    home = Path(f"{archive}.d")
    home.mkdir()
    (home / "kept").touch()
    CHANGES[what](home)
    ended = call(archive, "compile")
    assert ended.returncode == 1
    message = f"configok-agent: {home}: is not ours, or others may write to it: remove it and try again\n"
    assert (ended.stdout, ended.stderr) == ("", message)
    assert [path.name for path in home.iterdir()] == ["kept"]


def test_a_cache_that_is_not_used_is_compiled_again(archive: Path) -> None:
    plant(archive).chmod(0o777)
    assert call(archive, "compile").stdout == "compiled\n"
    assert call(archive, "compile").stdout == "already compiled\n"
    assert call(archive, "version").stdout == OURS


@pytest.mark.contract("files.compiled-is-protected")
@pytest.mark.parametrize("umask", [0o000, 0o002, 0o077])
def test_others_can_read_compiled_files_and_not_write_them_under_any_umask(archive: Path, umask: int) -> None:
    assert call(archive, "compile", umask=umask).stdout == "compiled\n"
    home = Path(f"{archive}.d")
    modes = {path.stat().st_mode & 0o777 for path in (home, *home.rglob("*"))}
    assert modes == {0o755, 0o644}


def test_the_hash_of_the_archive_is_printed_as_by_sha256sum(archive: Path, packed: bytes) -> None:
    line = f"{hashlib.sha256(packed).hexdigest()}  {archive}\n"
    for _compiled in range(2):
        ended = call(archive, "version", "--sha256")
        assert (ended.returncode, ended.stdout, ended.stderr) == (0, line, "")
        checked = subprocess.run(["sha256sum", "-c"], input=ended.stdout, capture_output=True, text=True, check=False)
        assert checked.stdout == f"{archive}: OK\n"
        call(archive, "compile")


def test_a_program_that_is_not_an_archive_has_no_hash(
    entry: Callable[[str], ModuleType], capsys: pytest.CaptureFixture[str]
) -> None:
    assert entry("__main__").main(["version", "--sha256"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "which is not an archive: only configok-agent.pyz" in captured.err
    assert entry("__main__").main(["version"]) == 0
    assert capsys.readouterr().out == OURS


def test_compiled_code_has_no_docstrings(archive: Path) -> None:
    """They would take a quarter of a megabyte of the daemon's memory."""
    assert call(archive, "compile").stdout == "compiled\n"
    (build,) = Path(f"{archive}.d").iterdir()
    shows = f"import sys; sys.path.insert(0, {str(build)!r}); from configok_agent import _run as m; print(m.__doc__)"
    command = [sys.executable, "-I", "-c", shows]
    assert subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout == "None\n"
