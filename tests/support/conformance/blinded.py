# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An agent with validation disabled, to test values that get past validation with values that ours would refuse."""

from __future__ import annotations

import base64
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ansible_collections.configok.node.plugins.plugin_utils._pack import pack
from support.conformance.ours import OurNode

__all__ = ["blinded", "blinded_archive"]

COLLECTION = Path(__file__).resolve().parents[3]
INSTALLED = "/usr/local/lib/configok/configok-agent.pyz"
_FORGET = "rm -f /var/lib/configok/kubelet-*/verdicts*"  # the verdicts are cached
_BLIND = """
def validate_on_node(*_arguments, **_options):
    return []
"""


def blinded_archive(directory: Path) -> bytes:
    """Return an archive whose ``validate-document`` has no findings. directory: for a copy of the sources."""
    for part in ("plugins/module_utils", "roles/node/files/agent"):
        shutil.copytree(COLLECTION / part, directory / part, ignore=shutil.ignore_patterns("__pycache__"))
    validate = directory / "roles/node/files/agent/_validate_document.py"
    text = validate.read_text(encoding="utf-8")
    if " validate_on_node(" not in text:
        raise AssertionError(f"{validate.name} calls no validate_on_node: this agent would not be blind")
    validate.write_text(text + _BLIND, encoding="utf-8")
    return pack(directory)


@contextmanager
def blinded(node: OurNode, directory: Path) -> Iterator[None]:
    """Run that agent on a node, and then its own again. Neither sees the other's verdicts."""
    run = node.machine.run
    run(["cp", "-a", INSTALLED, f"{INSTALLED}.kept"])
    try:
        node.machine.write("/run/blinded.b64", base64.b64encode(blinded_archive(directory)).decode())
        run(["sh", "-c", f"base64 -d /run/blinded.b64 > {INSTALLED} && {_FORGET} && {INSTALLED} compile"])
        node.restart_agent()
        yield
    finally:
        run(["mv", f"{INSTALLED}.kept", INSTALLED])
        run(["sh", "-c", f"{_FORGET} /run/blinded.b64; {INSTALLED} compile"])
        node.restart_agent()
