# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The files that `configok-agent validate` finds."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from support.configs.kubelet import KUBELET_HEADER

Entry = Callable[[str], ModuleType]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (KUBELET_HEADER, True),
        ('{"apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration"}', True),
        ("apiVersion: kubelet.config.k8s.io/v1beta9\nkind: KubeletConfigration\n", True),  # a typing error
        ("apiVersion: v1\nkind: Config\n", True),  # a kubeconfig
        ("kind: KubeletConfiguration\n", True),  # an omission
        ("kind: Config\n", False),
        ("apiVersion: installer.example.org/v1\nkind: ClusterConfiguration\n", False),
        ("apiVersion: kubeadm.k8s.io/v1beta4\nkind: InitConfiguration\n---\n" + KUBELET_HEADER, True),
        ("apiVersion: v1\nkind: ConfigMap\ndata:\n  kubelet: |\n    " + KUBELET_HEADER.replace("\n", "\n    "), True),
        (KUBELET_HEADER + "a: [\n", True),  # a syntax error
        ("apiVersion: v1\nkind: ConfigMap\ndata: {a: b}\n", False),
        ("apiVersion: apps/v1\nkind: Deployment\n", False),
        ("# apiVersion: kubelet.config.k8s.io/v1beta1\nkind: Other\n", False),
        ("{{ template }}\n", False),
        ("server {\n  listen 80;\n}\n", False),
        ("- 1\n", False),
        ("", False),
        ("\x00\xff", False),
    ],
)
def test_a_component_config_is_recognized(entry: Entry, text: str, expected: bool) -> None:
    assert entry("_file_search").holds_component_config(text.encode("latin-1")) is expected


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory: configs, and other files."""
    monkeypatch.chdir(tmp_path)
    for name in ("b.yaml", "a.yml", "sub/10-first.conf", "sub/k.json", ".hidden/c.yaml", ".d.yaml", "notes.txt"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(KUBELET_HEADER)
    (tmp_path / "deployment.yaml").write_text("apiVersion: apps/v1\nkind: Deployment\n")
    os.mkfifo(tmp_path / "pipe.yaml")
    return tmp_path


def test_a_directory_is_searched_for_configs(entry: Entry, tree: Path) -> None:
    inputs = entry("_file_search").read_files(["."])
    assert [file.name for file in inputs.files] == ["a.yml", "b.yaml", "sub/10-first.conf", "sub/k.json"]
    assert inputs.skipped == ("deployment.yaml",)


def test_a_named_file_is_read_whatever_it_holds(entry: Entry, tree: Path) -> None:
    read_files = entry("_file_search").read_files
    inputs = read_files(["notes.txt", ".", "./deployment.yaml", "b.yaml"])
    names = [file.name for file in inputs.files]
    assert names == ["notes.txt", "a.yml", "b.yaml", "sub/10-first.conf", "sub/k.json", "./deployment.yaml"]
    assert inputs.skipped == ()
    skipping = read_files(["deployment.yaml", "b.yaml"], skip_unknown=True)
    assert ([file.name for file in skipping.files], skipping.skipped) == (["b.yaml"], ("deployment.yaml",))


def test_what_cannot_be_read_is_an_error(entry: Entry, tree: Path) -> None:
    read_files = entry("_file_search").read_files
    with pytest.raises(FileNotFoundError):
        read_files([".", "missing"])
    (tree / "dangling.yaml").symlink_to("missing")
    with pytest.raises(FileNotFoundError):
        read_files(["."])


def test_standard_input_is_a_file(entry: Entry, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a: 1\n")))
    assert entry("_file_search").read_files(["-"]).files == (("-", b"a: 1\n"),)
