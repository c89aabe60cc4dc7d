# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The entry point's files as they lie in the archive, where they can be imported."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

from ansible_collections.configok.node.plugins.plugin_utils._pack import PACKAGE, sources

COLLECTION = Path(__file__).resolve().parents[4]


@pytest.fixture(scope="session")
def entry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], ModuleType]]:
    """Import one of the files of roles/node/files/agent by its name."""
    directory = tmp_path_factory.mktemp("agent")
    for name, content in sources(COLLECTION).items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    sys.path.insert(0, str(directory))
    yield lambda name: importlib.import_module(f"{PACKAGE}.{name}")
    sys.path.remove(str(directory))
    for name in [name for name in sys.modules if name.split(".")[0] == PACKAGE]:
        del sys.modules[name]
