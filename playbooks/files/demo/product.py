# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Load the collection's own modules, which need not be installed: they import each other relatively."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

__all__ = ["load"]

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "plugins"))


def load(name: str, *, below: str = "module_utils") -> Any:
    """Return a module of the product by its name below module_utils, for example "_kube.api_client"."""
    return importlib.import_module(f"{below}.{name}")
