# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The textfile: always complete, readable for node_exporter; a file that cannot be written is logged once."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._agent._reporting._metrics import MetricsFile
from support.agents.log_lines import LogLine, record_log


def new_metrics_file(path: Path, log: list[LogLine]) -> MetricsFile:
    record_log(log)
    return MetricsFile(str(path))


@pytest.mark.contract("metrics.format")
def test_it_is_replaced_as_a_whole_with_a_mode_that_others_can_read(tmp_path: Path) -> None:
    path = tmp_path / "configok.prom"
    metrics_file = new_metrics_file(path, [])
    before = os.umask(0o077)  # the agent's
    try:
        assert metrics_file.update("a 1\n")
        first = path.stat()
        assert metrics_file.update("a 2\n")
    finally:
        os.umask(before)
    assert path.read_text() == "a 2\n"
    assert path.stat().st_ino != first.st_ino
    assert path.stat().st_mode & 0o777 == first.st_mode & 0o777 == 0o644
    assert os.listdir(tmp_path) == ["configok.prom"]


def test_a_temporary_file_left_by_a_killed_agent_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "configok.prom"
    Path(f"{path}.new").write_text("half")
    assert new_metrics_file(path, []).update("a 1\n")
    assert os.listdir(tmp_path) == ["configok.prom"]


def test_a_symbolic_link_is_replaced_and_never_followed(tmp_path: Path) -> None:
    path, target = tmp_path / "metrics" / "configok.prom", tmp_path / "shadow"
    path.parent.mkdir()
    target.write_text("root")
    path.symlink_to(target)
    Path(f"{path}.new").symlink_to(target)
    assert new_metrics_file(path, []).update("a 1\n")
    assert (target.read_text(), path.is_symlink()) == ("root", False)


def test_failing_writes_are_logged_once_until_one_succeeds(tmp_path: Path) -> None:
    log: list[LogLine] = []
    metrics_file = new_metrics_file(tmp_path / "missing" / "configok.prom", log)
    assert [metrics_file.update("a 1\n"), metrics_file.update("a 2\n")] == [False, False]
    [line] = [message for _level, message, _fields in log]
    assert line == f"the metrics cannot be written to {tmp_path}/missing/configok.prom: No such file or directory"
    (tmp_path / "missing").mkdir()
    assert metrics_file.update("a 3\n")
    metrics_file.close()
    (tmp_path / "missing").rmdir()
    metrics_file.update("a 4\n")
    assert len(log) == 2


def test_a_full_disk_leaves_the_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "configok.prom"
    log: list[LogLine] = []
    metrics_file = new_metrics_file(path, log)
    metrics_file.update("a 1\n")

    def full(*_arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fchmod", full)
    assert not metrics_file.update("a 2\n")
    assert (path.read_text(), len(log)) == ("a 1\n", 1)


def test_an_agent_that_is_stopped_takes_its_metrics_with_it(tmp_path: Path) -> None:
    path = tmp_path / "configok.prom"
    metrics_file = new_metrics_file(path, [])
    metrics_file.close()
    metrics_file.update("a 1\n")
    metrics_file.close()
    assert os.listdir(tmp_path) == []
