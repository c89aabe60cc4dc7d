# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which files and directories of Machines are read, in which order, and the errors about those that cannot be."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._machines import InvalidMachines
from ansible_collections.configok.node.plugins.module_utils._operations import machine_files
from ansible_collections.configok.node.plugins.module_utils._operations.machine_files import (
    machine_catalog,
    read_machine_files,
)
from support.machine_files import cluster, machine, text_of


def errors_of(*paths: Path) -> tuple[str, ...]:
    with pytest.raises(InvalidMachines) as raised:
        read_machine_files([str(path) for path in paths])
    return raised.value.errors


def test_a_directory_is_read_in_order_and_a_file_once(tmp_path: Path) -> None:
    folder, elsewhere = tmp_path / "machines", tmp_path / "elsewhere.yaml"
    (folder / "sub.yaml").mkdir(parents=True)
    elsewhere.write_text("e", encoding="utf-8")
    for name in ("b.yml", "a.yaml", "c.json", "d.txt", ".hidden.yaml"):
        (folder / name).write_text(name, encoding="utf-8")
    (folder / "e.yaml").symlink_to(elsewhere)
    (tmp_path / "link").symlink_to(folder)
    texts = read_machine_files([elsewhere, str(tmp_path / "link"), folder / "a.yaml"])
    assert [Path(name).name for name in texts] == ["elsewhere.yaml", "a.yaml", "b.yml", "c.json"]
    assert texts[str(tmp_path / "link" / "a.yaml")] == "a.yaml"


def test_the_objects_of_several_files_are_read_together(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(text_of(cluster()), encoding="utf-8")
    (tmp_path / "b.yaml").write_bytes(b"\xef\xbb\xbf" + text_of(machine()).encode())
    (item,) = machine_catalog([tmp_path]).machines
    assert item.origin == f"{tmp_path}/b.yaml:1"


def test_what_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine_files, "MAX_FILE_BYTES", 1024 * 1024)
    empty, latin, large, pipe = (tmp_path / name for name in ("empty", "latin.yaml", "large.yaml", "pipe.yaml"))
    empty.mkdir()
    latin.write_bytes(b"a: 1\nb: \xe9\n")
    large.write_bytes(b"#" * (1024 * 1024 + 1))
    os.mkfifo(pipe)
    assert errors_of(tmp_path / "none.yaml", empty, latin, large, pipe) == (
        f"{tmp_path}/none.yaml: cannot be read: No such file or directory",
        f"{empty}: the directory has no files that end in .yaml, .yml, .json",
        f"{latin}: line 2 is not valid UTF-8 text: write the file in UTF-8",
        f"{large}: the file is too large: at most 1 MiB are read",
        f"{pipe}: is neither a file nor a directory",
    )
    assert errors_of() == ("no files are named: name files or directories with Machines",)


def test_too_many_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine_files, "_MAX_FILES", 2)
    for index in range(3):
        (tmp_path / f"{index}.yaml").write_text("", encoding="utf-8")
    assert errors_of(tmp_path) == ("3 files, at most 2 are read: name fewer files or directories",)
