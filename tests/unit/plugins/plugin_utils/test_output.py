# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What counts as an output without a reader: a pipe, of either kind, whose other end is closed."""

from __future__ import annotations

import os
from pathlib import Path

from ansible_collections.configok.node.plugins.plugin_utils._output import has_lost_reader


def test_a_pipe_loses_its_reader() -> None:
    reader, writer = os.pipe()
    path = f"/proc/{os.getpid()}/fd/{writer}"
    assert not has_lost_reader(path)
    os.close(reader)
    assert has_lost_reader(path)
    os.close(writer)
    assert not has_lost_reader(path)


def test_a_named_pipe_loses_its_reader(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    assert not has_lost_reader(str(path))
    os.close(reader)
    assert has_lost_reader(str(path))


def test_a_file_and_a_device_have_no_reader_to_lose(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert not has_lost_reader(str(tmp_path / "file"))
    assert not has_lost_reader("/dev/null")
