# Copyright (c) 2026, the configok.node authors
# GNU General Public License v3.0 or later (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeps out of the daemon's memory what urllib3 would load and nobody here uses."""

from __future__ import annotations

import sys
from types import ModuleType

__all__ = ["import_urllib3"]

_METADATA = "importlib.metadata"


def import_urllib3() -> None:
    """Import urllib3, where it is there, without importlib.metadata.

    urllib3 2.1 and newer load it, 2 MB (measured, Python 3.13), to ask for the version of a package when HTTP/2 is
    turned on, which it is not here.
    """
    if _METADATA in sys.modules:
        return
    stand_in = ModuleType(_METADATA)
    stand_in.version = _nobody_asks  # type: ignore[attr-defined]  # a module made here has what it is given
    sys.modules[_METADATA] = stand_in
    try:
        import urllib3  # noqa: F401 - for sys.modules, where whoever imports it next finds it
    except ImportError:
        pass  # who needs it says so
    finally:
        del sys.modules[_METADATA]


def _nobody_asks(package: str) -> str:
    raise LookupError(f"the version of {package} is not known: configok-agent does not use it")
