# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Flags that commands read from a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

Entry = Callable[[str], ModuleType]


@pytest.mark.parametrize(
    ("text", "flags"),
    [
        ("", []),
        ("# none\n", []),
        ("--v=2 --node-labels=a=b,c=d\n", ["--v=2", "--node-labels=a=b,c=d"]),
        ("/usr/bin/kubelet \\\n  --v 2 \\\n  --max-pods=60\n", ["--v", "2", "--max-pods=60"]),
        ("--eviction-hard='memory.available<5%' \"--a=b c\"", ["--eviction-hard=memory.available<5%", "--a=b c"]),
        ('KUBELET_KUBEADM_ARGS="--v=2 --cert-dir=/a"\nEXTRA=\n', ["--v=2", "--cert-dir=/a"]),
        ("ARGS=\"--eviction-hard='memory.available<5%'\"\n", ["--eviction-hard=memory.available<5%"]),
    ],
)
def test_flags_are_read(entry: Entry, tmp_path: Path, text: str, flags: list[str]) -> None:
    file = tmp_path / "flags"
    file.write_text(text)
    assert list(entry("_flags_file").read_flags(str(file)).words) == flags


def test_other_variables_are_named(entry: Entry, tmp_path: Path) -> None:
    file = tmp_path / "kubelet.env"
    file.write_text('KUBELET_ARGS="--v=2"\nPATH=/bin\nHTTP_PROXY=http://p\n')
    assert entry("_flags_file").read_flags(str(file)) == (("--v=2",), ("PATH", "HTTP_PROXY"))


def test_an_open_quotation_is_an_error(entry: Entry, tmp_path: Path) -> None:
    file = tmp_path / "flags"
    file.write_text("--a='b")
    with pytest.raises(entry("_componentconfig").ConfigError, match="cannot be split into words"):
        entry("_flags_file").read_flags(str(file))
