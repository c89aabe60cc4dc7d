# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The demo's sandbox nodes, for tests: on the embedded API server or on the real one."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from sandbox import Sandbox, SandboxNode, Timing, pack_agent
from support.api.servers import ApiServer

__all__ = ["Sandbox", "SandboxNode", "Timing", "start_sandbox"]

_CHECKOUT = Path(__file__).resolve().parents[3]


@cache
def _packed_agent() -> list[str]:
    """Return the agent's command. Its archive is packed and compiled once for all sandboxes of this process."""
    directory = tempfile.mkdtemp(prefix="cko-")
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    return pack_agent(_CHECKOUT, Path(directory) / "configok-agent.pyz")


@contextmanager
def start_sandbox(api: ApiServer, names: Sequence[str] = (), *, timing: Timing | None = None) -> Iterator[Sandbox]:
    """Start agents and supervisors for the named nodes; end them when the context ends.

    The directory has a short path in the temporary directory, since socket paths are limited to 107 characters.
    """
    directory = Path(tempfile.mkdtemp(prefix="cko-"))
    sandbox = Sandbox(directory, _packed_agent(), lambda name: Path(api.node_kubeconfig(name)), timing=timing)
    try:
        sandbox.add(list(names))
        yield sandbox
    finally:
        sandbox.stop()
        shutil.rmtree(directory, ignore_errors=True)
