# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The files of a command line are read: config, drop-ins, and its process."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._componentconfig.migrate import migrate
from ansible_collections.configok.node.plugins.module_utils._host.component_process import (
    MAX_BYTES,
    read_process,
    read_started,
)


def test_the_files_of_a_command_line_are_read(tmp_path: Path) -> None:
    (tmp_path / "etc/d/sub").mkdir(parents=True)
    for name in ("c.yaml", "d/20.conf", "d/sub/10.conf", "d/notes.txt"):
        (tmp_path / "etc" / name).write_text(name)
    argv = ("kubelet", "--config", "c.yaml", "--config-dir=d")
    started = read_started(argv, "/etc", str(tmp_path))
    assert started.config == ("/etc/c.yaml", b"c.yaml")
    assert started.drop_ins == (("/etc/d/20.conf", b"d/20.conf"), ("/etc/d/sub/10.conf", b"d/sub/10.conf"))
    assert read_started(("kubelet",), "/").config is None
    with pytest.raises(FileNotFoundError):
        read_started(("kubelet", "--config=/none"), "/", str(tmp_path))


def test_drop_ins_are_read_in_the_order_of_a_walk(tmp_path: Path) -> None:
    # A directory's files are sorted by the directory's name: before a file with that name and a suffix.
    for name in ("d/10-a.conf", "d/10-a/99.conf", "d/10-a-b.conf", "d/9.conf"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    drop_ins = read_started(("kubelet", "--config-dir=/d"), "/", str(tmp_path)).drop_ins
    assert [path for path, _text in drop_ins] == ["/d/10-a/99.conf", "/d/10-a-b.conf", "/d/10-a.conf", "/d/9.conf"]


def test_the_beginning_of_a_config_that_is_too_large_is_not_used(tmp_path: Path) -> None:
    head = b"apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"
    (tmp_path / "c").write_bytes(head + b"#" * (MAX_BYTES - len(head)) + b"\nmaxPods: 5\n")
    argv = ("kubelet", "--config=/c")
    migration = migrate("kubelet", argv, version="1.31", config=read_started(argv, "/", str(tmp_path)).config)
    assert migration.text == ""
    assert [finding.rule for finding in migration.findings] == ["too-large"]


def test_the_command_line_and_directory_of_a_process_are_read() -> None:
    argv, directory = read_process(os.getpid())
    assert argv == tuple(sys.orig_argv)
    assert directory == str(Path.cwd())
    assert read_process(0) == ((), "/")
