# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A config is read from files, or from the content of an option."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.configok.node.plugins.module_utils._operations.config_layers import read_layers


def test_files_are_layers_in_their_order(tmp_path: Path) -> None:
    for name in ("base", "site"):
        (tmp_path / name).write_text(name)
    paths = [str(tmp_path / name) for name in ("site", "base")]
    assert read_layers(paths, None) == [(paths[0], b"site"), (paths[1], b"base")]


def test_content_is_one_layer_with_the_name_of_its_option() -> None:
    assert read_layers(["unread"], "maxPods: 1", "before_content") == [("before_content", b"maxPods: 1")]


def test_bytes_that_are_not_utf_8_stay_as_they_are() -> None:
    assert read_layers(None, "\udcff") == [("content", b"\xff")]


def test_without_files_and_content_there_is_no_layer() -> None:
    assert read_layers(None, None) == []


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_layers([str(tmp_path / "missing")], None)
