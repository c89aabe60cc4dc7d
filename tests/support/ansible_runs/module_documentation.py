# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads what a module documents, with what it shares with others in documentation fragments."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

import yaml

__all__ = ["documented_options"]

_COLLECTION = "configok.node."
_FRAGMENTS = "ansible_collections.configok.node.plugins.doc_fragments"


def documented_options(module: ModuleType) -> dict[str, Any]:
    """Return the options of a module, by name: its own, and those of this collection's fragments."""
    documentation = yaml.safe_load(module.DOCUMENTATION)
    options: dict[str, Any] = {}
    for name in documentation["extends_documentation_fragment"]:
        if name.startswith(_COLLECTION):
            options.update(_fragment(name.removeprefix(_COLLECTION))["options"])
    return {**options, **documentation.get("options", {})}


def _fragment(name: str) -> dict[str, Any]:
    """Return what a fragment has. Its name is that of its file, and of one of its constants unless it is the first."""
    file, _dot, constant = name.partition(".")
    fragment = importlib.import_module(f"{_FRAGMENTS}.{file}").ModuleDocFragment
    text: dict[str, Any] = yaml.safe_load(getattr(fragment, constant.upper() or "DOCUMENTATION"))
    return text
